"""Somebody's own retriever on the command line: what the report, show and search say of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragtriage_tui.cli import main

PAGES = {
    "refunds": "# Refunds\n\nGoods may be sent back within 30 days of delivery.\n",
    "shipping": "# Shipping\n\nParcels leave on the next working day. We ship to Norway.\n",
    "staff": "---\naccess: [staff]\n---\n# Goodwill\n\nSupport may give a voucher of 15 euros to whoever waited long.\n",
}
GOLDEN = [
    {"qid": "q1", "question": "how long may goods be sent back", "answer_must_mention": ["30 days"]},
    {"qid": "q2", "question": "when do parcels leave", "answer_must_mention": ["next working day"]},
]
EVIDENCE = [{"doc": "refunds", "quote": "within 30 days of delivery"}, {"doc": "shipping", "quote": "on the next working day"}]

MODULE = """
def retrieve(question, k):
    if "broken" in question:
        raise RuntimeError("no index")
    return {"answer": "Within 30 days [1].", "hits": [
        {"id": "a7", "text": "goods may be sent back WITHIN 30 days of delivery.", "score": 0.9},
        {"id": "b1", "text": "Nobody ever wrote this sentence into any page."},
        {"id": "c", "text": "Support may give a voucher of 15 euros to whoever waited long."},
    ]}
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "handbook"
    (folder / "docs").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "evals").mkdir()
    lines = [{**question, "evidence": [label]} for question, label in zip(GOLDEN, EVIDENCE, strict=True)]
    (folder / "evals" / "golden.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    (folder / "mine.py").write_text(MODULE, encoding="utf-8")
    (folder / "ragtriage.toml").write_text(
        f'[corpus]\naccess_key = "access"\n[retrieval]\nmode = "bm25"\nsystem = "python"\npython = "{sys.executable}"\n'
        'callable = "mine:retrieve"\n',
        encoding="utf-8",
    )
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main([*words]) == code
    return capsys.readouterr().out


def test_nothing_runs_before_somebody_agrees(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["eval"], ["search", "what"], [str(root)]):
        assert main([*command, "-C", str(root)]) == 2
        assert "you have not agreed to; nothing was run, read or sent" in capsys.readouterr().err


def test_the_report(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "eval", "-C", str(root), "--trust")
    assert "handbook  python mine:retrieve k=5  run " in text
    assert "your system: p50 " in text
    assert "6 passages returned, 66.7 % found here: 2 by their text, 2 but for typography" in text
    assert "! 2 stand nowhere in the corpus; they keep their places and cover nothing" in text
    assert "    b1  Nobody ever wrote this sentence into any page." in text
    assert "! 2 are from documents that are hidden from who asked\n    q1  c\n    q2  c\n" in text
    assert "3 documents · cut and searched by your system\n" in text
    assert "probes (what the embedded engine here has): BM25 over 3 chunks of its own\n" in text
    assert "embedded\n" not in text
    assert "Your system did not return the evidence of 1 question" in text
    assert "BM25 here has that of 1." in text
    document = json.loads(said(capsys, "eval", "-C", str(root), "--trust", "--json"))
    assert document["system"]["unmatched"] == [
        {"chunk_id": "b1", "doc": None, "text": "Nobody ever wrote this sentence into any page.", "times": 2}
    ]
    first = document["per_question"][0]
    assert [row["chunk_id"] for row in first["ranking"]] == ["a7", "b1", "c"]
    assert first["places"] == {"a7": ["refunds", 11, 61], "b1": None, "c": ["staff", 12, 74]}
    assert (first["hidden"], document["system"]["hidden"]) == (["c"], 2)


def test_what_is_only_read_has_no_time_and_its_texts_are_shown(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"qid": one["qid"], "hits": ["Nobody ever wrote this sentence into any page."]} for one in GOLDEN]
    (root / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    own = ("--set", "retrieval.system=recorded", "--set", "retrieval.recorded=log.jsonl")
    text = said(capsys, "eval", "-C", str(root), "--trust", *own)
    assert "your system: p50" not in text
    assert "  Nobody ever wrote this sentence into any page.\n" in text
    assert "! none was found, so the figures say nothing of your system" in text


def test_documents_that_it_calls_otherwise_are_named_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hits = ["docs/Shipping.MD", "refnds.md", "DOC-4711", "DOC-4711", *(f"KB-{number}" for number in range(9))]
    lines = [{"qid": one["qid"], "hits": hits} for one in GOLDEN]
    (root / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    own = ("--set", "retrieval.system=recorded", "--set", "retrieval.recorded=log.jsonl")
    text = said(capsys, "eval", "-C", str(root), "--trust", *own)
    assert "2 as whole documents" in text
    assert "named as theirs, and no document here: DOC-4711, KB-0, KB-1, KB-2, KB-3 and 6 more\n" in text
    assert text.count("  documents here are called refunds, shipping, staff\n") == 1
    found = json.loads(said(capsys, "eval", "-C", str(root), "--trust", *own, "--json"))["system"]["unknown_documents"]
    assert (found["count"], found["most"][0]) == (11, {"name": "DOC-4711", "times": 4, "nearest": None})
    (root / "log.jsonl").write_text(json.dumps({"qid": "q1", "hits": ["refnds.md"]}) + "\n", encoding="utf-8")
    said(capsys, "eval", "-C", str(root), "--trust", *own, code=3)
    assert "refnds.md (nearest here: refunds)" in said(capsys, "runs", "show", "latest", "-C", str(root))


def test_a_joined_passage_is_marked_for_what_each_of_its_places_holds(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Support may give a voucher of 15 euros to whoever waited long. … Goods may be sent back within 30 days of delivery."
    lines = [{"qid": one["qid"], "hits": [{"id": "j", "text": text}]} for one in GOLDEN]
    (root / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    own = ("-C", str(root), "--trust", "--set", "retrieval.system=recorded", "--set", "retrieval.recorded=log.jsonl")
    assert "100.0 % found here: 2 in several pieces" in said(capsys, "eval", *own)
    shown = said(capsys, "show", "q1", *own)
    assert "●    1  j  Support may give a voucher" in shown
    assert "… Goods may be sent" in shown
    assert "! hidden from who asked: j\n" in shown


def test_a_question_and_a_search(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "eval", "-C", str(root), "--trust")
    text = said(capsys, "show", "q2", "-C", str(root), "--trust")
    assert "your system missed it; BM25 here has it at 1" in text
    assert "✓ bm25 1  probe" in text
    assert "✗ system   → your retriever" in text
    assert "  rank  chunk\n" in text
    assert "    1  a7  Goods" in text
    assert "a7  Goods may be sent back within 30 days of delivery." in text
    found = json.loads(said(capsys, "search", "how long", "-C", str(root), "--trust", "--json"))
    assert [(hit["chunk_id"], hit["doc_id"]) for hit in found["hits"]] == [
        ("a7", "refunds"), ("b1", "b1 (not in the corpus)"), ("c", "staff"),
    ]  # fmt: skip


def test_its_own_answers_have_no_oracle(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = ("--set", "retrieval.own_answers=true", "--set", "answers.generator=system")
    text = said(capsys, "eval", "-C", str(root), "--trust", *own)
    assert "Its answers are from passages of its own choice, so there is no oracle and no tax." in text
    assert "python mine:retrieve k=5 answers by the system itself" in text
    assert "extractive" not in text
    document = json.loads(said(capsys, "eval", "-C", str(root), "--trust", "--json", *own))
    assert [one["live"]["text"] for one in document["per_question"]] == ["Within 30 days [1]."] * 2
    assert "2 no oracle answer: the system answers from passages of its own choice" in text
    assert [one["oracle"] for one in document["per_question"]] == [None, None]


def test_answers_from_what_it_was_given_are_shown_as_the_newest_run_has_them(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = "\n\ndef answer(question, passages):\n    return 'Within 30 days [1].'\n"
    (root / "mine.py").write_text(MODULE + answer, encoding="utf-8")
    own = ("--set", "retrieval.answer_callable=mine:answer", "--set", "answers.generator=system", "-C", str(root), "--trust")
    assert "Within 30 days" not in said(capsys, "show", "q1", *own)
    said(capsys, "eval", "--answers", "both", "--yes", *own)
    text = said(capsys, "show", "q1", *own)
    assert "Within 30 days [1]." in text
    assert "\nas run 2" in text
    assert "your system was not asked again" in text
    assert json.loads(said(capsys, "show", "q1", "--json", *own))["live"]["text"] == "Within 30 days [1]."


@pytest.mark.parametrize("command", [["sweep", "--k", "3,5"], ["what-if", "q2"], ["rerank"], ["rerank", "--model", "lexical"]])
def test_what_tries_settings_of_our_engine_says_nothing_of_another(
    root: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert main([*command, "-C", str(root), "--trust"]) == 2
    assert "tries settings of the embedded engine, and retrieval.system is python" in capsys.readouterr().err


def test_a_review_says_that_the_system_is_asked_as_it_is_now(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import os
    import subprocess

    who = {f"GIT_{one}_{what}": "a@b.example" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "x")):
        subprocess.run(["git", *words], cwd=root, check=True, env={**os.environ, **who}, capture_output=True)
    (root / "mine.py").write_text(MODULE.replace('"b1", "text": "Nobody ever wrote this sentence into any page."',
                                  '"b2", "text": "Parcels leave on the next working day."'), encoding="utf-8")  # fmt: skip
    assert main(["review", "HEAD", "-C", str(root), "--trust"]) == 3  # two questions tell nothing
    captured = capsys.readouterr()
    assert "its system (python) is asked as it is now, not as it was then" in captured.out + captured.err
    assert "0 broken · 0 fixed · 0 moved · 2 the same" in captured.out  # both are asked today
    assert "not known" not in captured.out


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ((), [("note", "not agreed to yet, so nothing is run or sent: ragtriage trust shows it and asks")]),
        (
            ("retrieval.system=http", "retrieval.url=https://search.example/q", 'retrieval.headers=["X: ${NOT_SET_HERE}"]'),
            [("ok", "http search.example"), ("wrong", "the environment variable NOT_SET_HERE is not set")],
        ),
        (("retrieval.system=command", 'retrieval.command=["./absent"]'), [("wrong", "./absent cannot be run")]),
        (("retrieval.system=recorded", "retrieval.recorded=no.trec"), [("wrong", "no.trec: no such file")]),
    ],
)
def test_doctor_looks_at_it_and_asks_nobody(root: Path, settings: tuple[str, ...], found: list[tuple[str, str]]) -> None:
    from ragtriage.project import Project
    from ragtriage.setup.system import check_system

    project = Project.open(root, overrides=settings)
    told = [(one.state, one.says) for one in check_system(project)]
    for state, says in found:
        assert any(state == other and text.startswith(says) for other, text in told), told
    assert check_system(Project.open(root, overrides=["retrieval.system=embedded"])) == []


RECORDED = ("--set", "retrieval.system=recorded", "--set", "retrieval.recorded=log.jsonl", "--trust")


def recorded(root: Path, *hits: object) -> None:
    """A log that has the hits of each question in turn, the last ones for those that are left."""
    lines = [{"qid": one["qid"], "hits": hits[min(place, len(hits) - 1)]} for place, one in enumerate(GOLDEN)]
    (root / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")


def test_questions_without_a_passage_are_counted(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(root, ["refunds"], [])
    text = said(capsys, "eval", "-C", str(root), *RECORDED)
    assert "! 1 of 2 questions got no passages from your system\n" in text
    recorded(root, [])
    text = said(capsys, "eval", "-C", str(root), *RECORDED)
    assert "! 2 of 2 questions got no passages from your system: the figures say nothing of your system\n" in text
    assert "lists end at" not in text
    account = json.loads(said(capsys, "eval", "-C", str(root), *RECORDED, "--json"))["system"]
    assert (account["answered"], account["empty"], account["ends_at"]) == (2, 2, None)


def test_what_returns_nothing_at_all_has_failed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "mine.py").write_text("def retrieve(question): pass\n", encoding="utf-8")
    text = said(capsys, "eval", "-C", str(root), "--trust", code=3)
    assert "2 answerable · 2 failed" in text
    assert "! none of 2 questions could be measured: mine:retrieve failed: TypeError: it returned None," in " ".join(
        text.split()
    )


def test_where_its_lists_end_nothing_is_claimed_beyond(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(20):
        (root / "docs" / f"page{number}.md").write_text(f"# Page {number}\n\nIt says {number}.\n", encoding="utf-8")
    recorded(root, ["refunds", "page1", "page2", "page3", "page4"], ["page1", "page2", "page3", "page4", "page5"])
    text = said(capsys, "eval", "-C", str(root), *RECORDED)
    assert "! its lists end at rank 5, and 50 passages were asked for: what it has further\n  down cannot be told\n" in text
    figures = {
        line.split()[0]: line.split()[1] for line in text.splitlines() if line.startswith(("recall", "hit", "ndcg", "mrr"))
    }
    assert (figures["recall@5"], figures["mrr"]) == ("0.500", "0.500")
    assert {figures[name] for name in ("recall@10", "recall@20", "recall@pool", "hit@10", "ndcg@20")} == {"n/a"}
    assert "n/a, and a reranker's headroom: not known, since the lists end at rank 5\n" in text
    assert "  1 not retrieved within 5 " in text
    assert (
        "evidence of 1 question among the first 5, where its lists end: whether it has it further down cannot be told." in text
    )
    assert "a reranker cannot help there" not in text
    listed = said(capsys, "failures", "-C", str(root), *RECORDED)
    assert "not retrieved: not within rank 5, where its lists end; it may have it further down\n" in listed
    recorded(root, ["refunds", "page1", "page2"])
    assert "cannot be told; at k = 5 they are measured as they are\n" in said(capsys, "eval", "-C", str(root), *RECORDED)


def test_lists_of_all_there_is_do_not_end(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(root, ["refunds", "shipping", "staff"])
    assert "lists end" not in said(capsys, "eval", "-C", str(root), *RECORDED)


def test_a_passage_that_comes_again_keeps_its_place_whatever_it_is_named_by(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = "We ship to Norway."
    (root / "docs" / "copy.md").write_text(f"# Copy\n\n{again}\n", encoding="utf-8")
    wanted = "Goods may be sent back within 30 days of delivery."
    found = []
    for hits in ([again, again, wanted], [{"id": "a", "text": again}, {"id": "b", "text": again}, {"id": "c", "text": wanted}]):
        recorded(root, hits)
        found.append(json.loads(said(capsys, "eval", "-C", str(root), *RECORDED, "--json")))
    assert [run["per_question"][0]["ranks"] for run in found] == [[3], [3]]
    assert found[0]["metrics"] == found[1]["metrics"]
    assert [run["repeated"] for run in found] == [2, 0]
    recorded(root, [again, again, wanted])
    text = said(capsys, "eval", "-C", str(root), *RECORDED)
    assert "! 2 passages were returned again by the system, and took a place each\n" in text
    shown = said(capsys, "show", "q1", "-C", str(root), *RECORDED)
    assert "    2  copy@8-26  (again)\n" in shown
    assert "●    3  refunds@11-61" in shown


def test_no_figure_for_several_reasons(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "mine.py").write_text(
        "def retrieve(question):\n    raise ValueError('no index' if 'goods' in question else 'no pages')\n", encoding="utf-8"
    )
    text = said(capsys, "eval", "-C", str(root), "--trust", code=3)
    assert "! none of 2 questions could be measured, for 2 reasons:\n" in text
    assert "      1  mine:retrieve failed: ValueError: no index (q1)\n" in text
    assert "      1  mine:retrieve failed: ValueError: no pages (q2)\n" in text


def test_a_run_with_failures_is_marked_in_the_list(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "mine.py").write_text(MODULE.replace('"broken"', '"parcels"'), encoding="utf-8")
    said(capsys, "eval", "-C", str(root), "--trust", code=3)
    (root / "mine.py").write_text(MODULE, encoding="utf-8")
    said(capsys, "eval", "-C", str(root), "--trust")
    _, whole, broken = said(capsys, "runs", "list", "-C", str(root)).splitlines()
    assert " 1 of 2  " in broken
    assert "k=5 · ! 1 could not be measured: does not compare" in broken
    assert (" of " in whole, "!" in whole) == (False, False)
    newest, oldest = json.loads(said(capsys, "runs", "list", "-C", str(root), "--json"))["runs"]
    assert [(one["measured"], one["comparable"]) for one in (newest, oldest)] == [(2, True), (1, False)]


def test_a_program_goes_by_what_it_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "search.py").write_text("raise SystemExit('no index')\n", encoding="utf-8")
    own = ("--set", "retrieval.system=command", "--set", f'retrieval.command=["{sys.executable}", "search.py", "--fast"]')
    text = said(capsys, "eval", "-C", str(root), "--trust", *own, code=3)
    assert "handbook  command search.py k=5  run " in text
    assert "could be measured: search.py ended with exit code 1: no index" in " ".join(text.split())
