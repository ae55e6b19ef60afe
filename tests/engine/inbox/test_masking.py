"""What is masked, and what never is."""

from __future__ import annotations

import random
import string
import uuid

import pytest
from tests.soak import rounds

from ragtriage.inbox.masking import KINDS, is_masked, mask, mask_value

MASKED = [
    ("write to bob.o+shop@ex-a.co.uk, please", "write to [e-mail], please"),
    ("jörg@bücher.example wrote", "[e-mail] wrote"),
    ("my card is 4111 1111 1111 1111 12/27", "my card is [card] 12/27"),
    ("4111111111111111", "[card]"),
    ("4111-1111-1111-1111.", "[card]."),
    ("Visa-4111111111111111", "Visa-[card]"),
    ("amex 3782 822463 10005", "amex [card]"),
    ("378282246310005", "[card]"),
    ("on 2024-11-23 4111 1111 1111 1111", "on 2024-11-23 [card]"),
    ("4222222222222 and 6304000000000000", "[card] and [card]"),
    ("DE89 3704 0044 0532 0130 00 is mine", "[iban] is mine"),
    ("gb82west12345698765432", "[iban]"),
    ("sk-proj-abcDEF123ghiJKL456mno", "[token]"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[token]"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[token]"),
    ("AKIAIOSFODNN7EXAMPLE", "[token]"),
    ("sk-dsTnNXebGYHGlCaqciRkostYlWsJDfosEEMMTQNKbW", "[token]"),
    ("xoxb-123456789012-abcdefGHIJKL", "[token]"),
    ("Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [token]"),
    ("token=abcdefgh12345678ijkl&x=1", "token=[token]&x=1"),
    ('{"api_key": "Zx81kPq03LmN77aBcD42"}', '{"api_key": "[token]"}'),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", "[token]"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[token]"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----", "[token]"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nis what i sent", "[token]\nis what i sent"),
    ("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", "[token]"),
    ("my api key is Zx81kPq03LmN77aBcD42, why?", "my api key is [token], why?"),
    ("token: `9f86d081884c7d659a2feaa0c55ad015`", "token: `[token]`"),
    ("_bob@ex.example_ or bob@ex.xn--p1ai or bob.o'brien@ex.example", "_[e-mail]_ or [e-mail] or [e-mail]"),
    ("4111\u20111111\u20111111\u20111111, 4111\u202f1111\u202f1111\u202f1111", "[card], [card]"),
    ("_4111111111111111_ and 3782 8224 6310 005", "_[card]_ and [card]"),
]

KEPT = [
    "FO-4471093", "ERR_4024", "T210", "FW-T210-DOCK", "FWP-20261119-0317", "SN-4111111111111111", "4111111111111111A",
    "A4111111111111111", "4111111111111112", "1234567890123456", "0000000000000000", "1700000000000", "356938035643809",
    "v1.2.3",    "10.0.0.1", "react@18.2.0", "user@host", "sk-leather-sofa-brown-large-2", "key: FW-T210-DOCK-EU-2024-BLACK",
    "key=550e8400-e29b-41d4-a716-446655440000", "key: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "api key is missing",
    "the token is too long", "4000 0000", "2024-11-23T10:00:00", "+49 30 1234567890", "DE89 3704 0044 0532 0130 01",
    "20261119-4111111111111111", "4111 1111 1111-1111", "9f86d081884c7d659a2feaa0c55ad015", "Basic training starts on monday",
    "pk_customer_orders_items", "token: CustomerAuthenticationTokenProvider", "NL690-MJ-269761 after ERR_8766",
    "xoxo-hugs-and-kisses", "logo@2x.png", "the key is 6ES7214-1AG40-0XB0-V4", "the password was set-by-administrator",
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), MASKED)
def test_personal_and_secret_is_masked(text: str, wanted: str) -> None:
    masked = mask(text)
    assert masked.text == wanted
    assert {KINDS[kind] for kind in masked.kinds} <= {part for part in KINDS.values() if part in wanted}
    assert len(masked.kinds) == sum(wanted.count(part) for part in KINDS.values())
    assert mask(wanted) == (wanted, ())
    assert is_masked(wanted)


@pytest.mark.parametrize("text", KEPT)
def test_what_people_ask_about_stays(text: str) -> None:
    assert mask(text) == (text, ())
    assert mask(f"what is {text}? please") == (f"what is {text}? please", ())


def _with_check_digit(digits: str) -> str:
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[::-2])
    return digits + str(-(doubled + sum(map(int, digits[-2::-2]))) % 10)


def _grouped(number: str, sizes: tuple[int, ...], mark: str) -> str:
    out, at = [], 0
    for size in sizes:
        out.append(number[at : at + size])
        at += size
    return mark.join(out)


CARDS = [
    ("4", 16),
    ("51", 16),
    ("2221", 16),
    ("34", 15),
    ("37", 15),
    ("36", 14),
    ("6011", 16),
    ("3530", 16),
    ("62", 19),
    ("4", 13),
]


def test_every_card_is_masked_and_no_serial_is() -> None:
    rng = random.Random(5)
    for _ in range(rounds(600, 20_000)):
        prefix, length = rng.choice(CARDS)
        number = _with_check_digit(prefix + "".join(rng.choices(string.digits, k=length - len(prefix) - 1)))
        forms = [number]
        if length == 16:
            forms += [_grouped(number, (4, 4, 4, 4), mark) for mark in " -"]
        if length == 15:
            forms += [_grouped(number, (4, 6, 5), mark) for mark in " -"]
        for form in forms:
            assert mask(f"paid with {form}, then called").text == "paid with [card], then called"
        wrong = number[:-1] + str((int(number[-1]) + rng.randint(1, 9)) % 10)
        for kept in (wrong, f"FO-{number}", f"{number}B", f"X{number}", f"AB_{number}"):
            assert mask(f"part {kept}, please").kinds == ()


def test_every_token_is_masked() -> None:
    rng = random.Random(7)
    letters = string.ascii_letters + string.digits
    for _ in range(rounds(500, 20_000)):
        body = "".join(rng.choices(letters, k=rng.randint(40, 80)))
        for token in (
            f"sk-{body}",
            f"sk-proj-{body}",
            f"ghp_{body[:36]}",
            f"xoxb-1{body}",
            f"AKIA{body[:16].upper()}",
            f"glpat-{body}",
        ):
            assert mask(f"it says {token} there").text == "it says [token] there", token
        for before in ("token=", "api_key: ", "secret=", "Authorization: Bearer ", "password="):
            assert mask(f"{before}{body}").text == f"{before}[token]"


def test_no_name_of_a_thing_is_masked() -> None:
    rng = random.Random(9)

    def digits(low: int, high: int) -> str:
        return "".join(rng.choices(string.digits, k=rng.randint(low, high)))

    def capitals(low: int, high: int) -> str:
        return "".join(rng.choices(string.ascii_uppercase, k=rng.randint(low, high)))

    for _ in range(rounds(1500, 50_000)):
        names = [
            f"{capitals(1, 4)}-{digits(4, 12)}",
            f"ERR_{digits(3, 6)}",
            f"{capitals(1, 3)}{digits(2, 5)}-{capitals(2, 5)}-{digits(1, 6)}",
            f"v{digits(1, 2)}.{digits(1, 2)}.{digits(1, 3)}",
            "".join(rng.choices("0123456789abcdef", k=40)),
            "".join(rng.choices("0123456789abcdef", k=7)),
            str(uuid.UUID(int=rng.getrandbits(128))),
            f"{capitals(3, 3)}-20{digits(6, 6)}-{digits(4, 4)}",
            digits(4, 12),
            f"0x{digits(4, 8)}",
            f"+{digits(2, 2)} {digits(3, 3)} {digits(3, 3)} {digits(4, 4)}",
        ]
        text = f"why does {rng.choice(names)} say {rng.choice(names)} after {rng.choice(names)}?"
        assert mask(text) == (text, ()), text


def test_masking_again_changes_nothing() -> None:
    rng = random.Random(3)
    parts = [text for text, _ in MASKED] + KEPT + [" ", "\n", "-", "=", ":", "@", "4", "."]
    for _ in range(rounds(500, 20_000)):
        text = "".join(rng.choices(parts, k=rng.randint(1, 8)))
        once = mask(text)
        assert mask(once.text) == (once.text, ())


def test_values_are_masked_wherever_they_stand() -> None:
    kinds: list[str] = []
    value = {
        "a@b.example": ["4111111111111111", {"n": 4111111111111111, "m": 4111111111111112, "t": True, "f": 1.5, "z": None}]
    }
    assert mask_value(value, kinds) == {
        "[e-mail]": ["[card]", {"n": "[card]", "m": 4111111111111112, "t": True, "f": 1.5, "z": None}]
    }
    assert sorted(kinds) == ["card", "card", "e-mail"]


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "@",
        "1",
        "1 ",
        "4111 ",
        "DE89 ",
        "key=",
        "a@",
        "a.b@c.",
        "sk-",
        "eyJ",
        "bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "b-",
    ],
)
def test_a_hostile_text_is_done_with(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert mask(text).text
