from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.answers.must_mention import mentioned, mentions, missing_mentions

STATED = (
    # phrase, text
    ("30 days", "You have 30 days to return it."),
    ("30 days", "a 30-day window"),
    ("30 days", "a 30‑day window"),
    ("30 days", "within 30\ndays of delivery"),
    ("30 days", "within 30 Days."),
    ("30 days", "within **30** days"),
    ("30 days", "within 30\u00a0days"),
    ("30 days", "within thirty days"),
    ("30 days", "between 14 and 30 days"),
    ("30 days", "within 30 days[1]"),
    ("30 days", "30days"),
    ("30-day", "30 days"),
    ("thirty days", "30 days"),
    ("30 days.", "within 30 days of delivery"),
    ("1 day", "one day"),
    ("24 hours", "24h"),
    ("24 hours", "24 hrs"),
    ("24 hours", "a twenty-four hour wait"),
    ("5 minutes", "5 min"),
    ("90 seconds", "90s"),
    ("200 ms", "200 milliseconds"),
    ("1,000", "1000 units"),
    ("1000", "1,000 units"),
    ("1000", "1’000 units"),
    ("1000", "1\u202f000 units"),
    ("1,000,000", "1000000"),
    ("1.5 million", "1,500,000 users"),
    ("2,000", "2k requests"),
    ("2 thousand", "2000"),
    ("two hundred", "200"),
    ("2.50", "2.5"),
    ("1,5", "1.5"),
    ("7", "007"),
    ("€20", "20 €"),
    ("€12", "T210; €12"),
    ("20 €", "€ 20"),
    ("20 euro", "20 €"),
    ("20 €", "20 euros"),
    ("20 €", "EUR 20"),
    ("€20", "20.00 EUR"),
    ("$20", "US$20"),
    ("$20", "20 dollars"),
    ("$20", "$20 USD"),
    ("£1,200.50", "1200.5 pounds"),
    ("€1.5 million", "1,500,000 euros"),
    ("15%", "15 percent"),
    ("15 %", "15 per cent"),
    ("15 percent", "15%"),
    ("5 GB", "5gb"),
    ("10 km", "10 kilometres"),
    ("-18 °C", "at −18°C"),
    ("20 degrees Celsius", "20 °C"),
    ("refund", "Refunds are free"),
    ("refunds", "a refund"),
    ("cookies", "each cookie"),
    ("addresses", "your address"),
    ("batches", "a batch"),
    ("caches", "the cache"),
    ("the customer's card", "the customer’s card"),
    ("original payment method", "to your ORIGINAL  payment\tmethod"),
    ("sign-in page", "the sign in page"),
    ("don't", "don’t"),
    ("ERR_4021", "you see err_4021 then"),
    ("AX-104", "part AX104"),
    ("v1.2.3", "in v1.2.3."),
    ("support@acme.example", "write to Support@acme.example"),
    ("/path/to", "open /path/to/file"),
    ("[/path]", "the tag [/path] closes"),
    ("C++", "written in c++"),
    ("ﬁle", "a file"),
    ("30 天", "退货期为30天"),
    ("退货", "我们接受退货三十天"),
    ("№ 5", "No 5"),
    ("→", "A → B"),
)
NOT_STATED = (
    ("30 days", "130 days"),
    ("30 days", "30.5 days"),
    ("30 days", "3 0 days"),
    ("30 days", "300 days"),
    ("30 days", "1,030 days"),
    ("30 days", "30 hours"),
    ("30 days", "30 business days"),
    ("30 days", "It costs 30. Days later it ships."),
    ("30 days", "version 30\n\ndays"),
    ("30 days", "see [30] days"),
    ("30", "-30"),
    ("-5", "5 °C"),
    ("5", "v1.5"),
    ("1.2", "v1.2.3"),
    ("1000", "1,000,000"),
    ("1.5", "15"),
    ("€20", "$20"),
    ("€20", "20"),
    ("€20", "€200"),
    ("15%", "15"),
    ("15 percent", "15 per hour"),
    ("5 minutes", "5 months"),
    ("200 ms", "200 m"),
    ("refund", "refundable"),
    ("car", "card"),
    ("C", "C++"),
    ("AX-104", "AX-1045"),
    ("ERR_4021", "ERR_402"),
    ("30 days", ""),
    ("", "anything"),
    ("   ", "any   thing"),
    ("→", "A -> B"),
)


@pytest.mark.parametrize(("phrase", "text"), STATED)
def test_the_same_fact_in_another_form_is_stated(phrase: str, text: str) -> None:
    assert mentions(text, phrase)


@pytest.mark.parametrize(("phrase", "text"), NOT_STATED)
def test_another_fact_is_not(phrase: str, text: str) -> None:
    assert not mentions(text, phrase)


def test_one_alternative_of_each_requirement_is_enough() -> None:
    required = (("30 days", "a month"), ("free",), ("card", "bank account"))
    assert missing_mentions("It is free for a month.", required) == ("card",)
    assert missing_mentions("", required) == ("30 days", "free", "card")
    assert missing_mentions("anything", ()) == ()


def test_the_stale_number_is_heard() -> None:
    assert mentioned("You have 14 days, or 30-day cover.", ("30 days", "60 days")) == ("30 days",)


@given(st.text(max_size=60))
def test_every_text_states_itself(text: str) -> None:
    assert mentions(text, text) == bool(text.strip()) or "[" in text or "【" in text


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_text_breaks_it(text: str, phrase: str) -> None:
    assert mentions(text, phrase) in (True, False)
