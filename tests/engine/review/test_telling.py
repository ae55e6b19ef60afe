"""A review as Markdown, HTML and annotations: hostile text stays text, and long ones are cut with a count."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.engine.revisions.conftest import PAGES, QUESTIONS, Repo

from ragtriage.gate.decision import gate
from ragtriage.gate.inputs import Gated, GateInputs, Pair
from ragtriage.markup import code, escape
from ragtriage.project import Project
from ragtriage.review.annotations import workflow_commands
from ragtriage.review.html import page
from ragtriage.review.markdown import LIMIT, markdown
from ragtriage.review.review import Review, review
from ragtriage.review.words import _counting

HOSTILE = (
    "</summary><script>alert(1)</script> @everyone #12 [x](http://evil) `rm` | ::error:: %0A\n::warning::x "
    "\x1b[31m \u202e <img src=x onerror=y> ![p](q) **b** $$x$$ :tada: GH-12"
)


@pytest.fixture
def hostile(repo: Repo) -> Review:
    repo.questions([{**QUESTIONS[0], "qid": "q`1|<b>", "question": HOSTILE + " how long send goods back"}, *QUESTIONS[1:]])
    repo.git("commit", "-q", "-a", "-m", "hostile")
    repo.git("branch", "-q", "-f", "main")
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    return review(Project.open(repo.root))


def many(repo: Repo, number: int) -> Review:
    """That many broken questions, each with a long text."""
    long = "how long may i send goods back " + "and what about this and that " * 20
    repo.questions([{**QUESTIONS[0], "qid": f"q{at}", "question": f"{long} {at}"} for at in range(number)])
    repo.git("commit", "-q", "-a", "-m", "many")
    repo.git("branch", "-q", "-f", "main")
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    return review(Project.open(repo.root))


def test_the_first_two_sentences_are_counts_for_everybody(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    text = markdown(review(Project.open(repo.root)))
    first = text.partition("\n")[0]
    assert first == (
        "This change was tried on 3 questions: 1 that worked before no longer works, and 0 that did not work before do now. "
        "2 come out as before."
    )
    base = re.search(r"`ragtriage show q1 --against ([0-9a-f]{12})`", text)
    assert base is not None
    assert repo.git("rev-parse", "main").startswith(base[1])
    assert "<details>\n<summary>What differs</summary>\n\n- 1 document edited: refunds\n" in text


def test_every_form_says_that_nothing_differs_and_why(repo: Repo) -> None:
    short = repo.git("rev-parse", "main")[:9]
    found = review(Project.open(repo.root))
    for text in (markdown(found), page(found, title="shop")):
        assert f"nothing: both sides are {short}, and no uncommitted work touches documents" in text
    repo.git("commit", "-q", "--allow-empty", "-m", "code")
    found = review(Project.open(repo.root))
    for text in (markdown(found), page(found, title="shop")):
        assert "nothing: documents, configuration and labels are the same" in text


def test_markdown_shows_hostile_text_as_text(hostile: Review) -> None:
    text = markdown(hostile)
    assert "<script" not in text
    assert "<img" not in text
    for called in ("@everyone", "#12", "http://evil", "[x](", "**b**", ":tada:", "\x1b", "\u202e", "GH-12"):
        assert called not in text, called
    assert text.count("<details>") == text.count("</details>")
    assert "``q`1|<b>``" in text


@pytest.mark.parametrize("text", ["", "`", "``", "a`b", "` `", "a\nb", "x" * 5_000])
def test_code_holds_any_backticks(text: str) -> None:
    shown = code(text)
    fence = re.match("`+", shown)
    assert fence is not None
    assert shown.endswith(fence[0])
    assert "\n" not in shown


def test_escape_clips() -> None:
    assert escape("a" * 100, 10) == "a" * 9 + "…"
    assert escape("a_b*c", 10) == "a\\_b\\*c"


def test_what_does_not_fit_is_counted(repo: Repo) -> None:
    found = many(repo, 300)
    text = markdown(found)
    assert len(text) <= LIMIT
    shown = len(re.findall(r"^- `q\d+`", text, re.MULTILINE))
    cut = re.search(r"… and (\d+) more rows that do not fit here", text)
    assert cut is not None
    assert shown + int(cut[1]) == 300 + (0 if "What differs" in text else 1)
    assert len(markdown(found, limit=5_000)) <= 5_000
    assert text.count("<details>") == text.count("</details>")


def test_the_page_holds_no_script_and_loads_nothing(hostile: Review) -> None:
    text = page(hostile, title="<shop>")
    tags: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.add(tag)
            assert not {name for name, _ in attrs} & {"src", "href", "onerror", "onload", "style"}

    Tags().feed(text)
    assert not tags & {"script", "img", "a", "link", "iframe", "b", "object", "form"}
    assert "default-src &#x27;none&#x27;" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;" in text
    assert "within 30 days" in text


def test_annotations_are_one_line_each_at_the_question(hostile: Review) -> None:
    lines = list(workflow_commands(hostile, "evals/golden,1:2.jsonl"))
    assert all(line.startswith(("::notice ", "::warning ", "::error ")) and "\n" not in line for line in lines)
    assert lines[0].startswith("::warning title=review%3A cannot-tell::")
    assert lines[1].startswith("::warning file=evals/golden%2C1%3A2.jsonl,line=1,title=q`1|<b> broken::")
    assert "%250A" in lines[1]
    assert "\x1b" not in lines[1]


def test_no_more_annotations_than_are_shown(repo: Repo) -> None:
    lines = list(workflow_commands(many(repo, 40), "golden.jsonl"))
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 10
    assert lines[-1].endswith(f"{40 - 8} more questions are broken or could not be compared")


def test_pages_are_those_of_the_repository(repo: Repo) -> None:
    assert sorted(path.name for path in (repo.root / "docs").iterdir()) == sorted(PAGES)


def test_the_gate_s_sentence_says_what_it_counts() -> None:
    def metric(name: str, **pairs: int) -> Gated:
        several = {"lost": (1.0, 0.0), "won": (0.0, 1.0), "same": (1.0, 1.0)}
        values = [values for kind, values in several.items() for _ in range(pairs.get(kind, 0))]
        return Gated(name, tuple(Pair(f"q{at}", *both) for at, both in enumerate(values)))

    def said(*gated: Gated) -> list[str]:
        decided = gate(GateInputs(gated, 50, 50, 5, 5))
        return [_counting(sentence, decided.metrics) for sentence in decided.sentences]

    fine = metric("recall@5", lost=3, won=2, same=45)
    assert said(fine, metric("hit@5", lost=1, same=49)) == [
        "ok: recall@5, 3 questions with less of their evidence, 2 with more, of 50, within 2 net.",
        "ok: hit@5 1 question lower, 0 higher, of 50, within 2 net.",
    ]
    (worse,) = said(metric("recall@5", lost=5, won=1, same=44))
    assert worse.startswith(
        "regressed: recall@5 0.98 -> 0.90, 5 questions with less of their evidence, 1 with more, of 50 (4 net, 2 allowed)."
    )
    assert said() == ["cannot tell: no metric is gated."]
