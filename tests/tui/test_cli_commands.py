"""The other commands as processes, in text and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tui.conftest import Command


def test_search_has_the_stable_keys(ragtriage: Command) -> None:
    done = ragtriage("search", "ERR_4021", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json.keys() >= {"question", "hits"}
    best = done.json["hits"][0]
    assert best.keys() >= {"rank", "chunk_id", "doc_id", "bm25_rank", "dense_rank", "rerank_rank", "score", "text"}
    assert (best["rank"], best["doc_id"], best["bm25_rank"], best["dense_rank"]) == (1, "errors", 1, None)
    assert "ERR_4021" in best["text"]


def test_search_respects_access(ragtriage: Command) -> None:
    def documents(*words: str) -> set[str]:
        return {hit["doc_id"] for hit in ragtriage("search", "goodwill voucher", "--json", *words).json["hits"]}

    assert "staff/goodwill" not in documents()
    assert "staff/goodwill" not in documents("--as", "sales")
    assert "staff/goodwill" in documents("--as", "staff")


def test_search_that_finds_nothing_is_fine(ragtriage: Command) -> None:
    done = ragtriage("search", "zyzzyva")
    assert done.code == 0
    assert "Nothing is retrieved" in done.out
    assert ragtriage("search", " ").code == 2


def test_find_looks_through_everything(ragtriage: Command) -> None:
    # not the ranking's business, nor that of access: evidence is labelled from here
    done = ragtriage("find", "voucher", "--json")
    (match,) = done.json["matches"]
    assert (match["doc_id"], match["heading"]) == ("staff/goodwill", ["Goodwill"])
    assert ragtriage("find", "VOUCHER", "--case", "--json").json["matches"] == []
    assert len(ragtriage("find", r"ERR_\d+", "--regex", "--json").json["matches"]) == 2
    assert "2 places" in ragtriage("find", r"ERR_\d+", "--regex").out
    assert ragtriage("find", "(", "--json").json["matches"] == []
    assert ragtriage("find", "(", "--regex").code == 2


def test_an_excerpt_shows_the_match_and_begins_with_a_whole_word(ragtriage: Command, project: Path) -> None:
    (project / "docs" / "long.md").write_text("# L\n\n" + "filling words " * 40 + "the needle here\n", encoding="utf-8")
    lines = ragtriage("find", "needle").out.splitlines()
    assert lines[1].startswith("    …")
    assert lines[1].endswith("the needle here")
    assert {word.lstrip("…") for word in lines[1].split()} == {"filling", "words", "the", "needle", "here"}
    (match,) = ragtriage("find", "needle", "--json").json["matches"]
    assert "needle" in match["text"]


def test_one_is_not_many(ragtriage: Command, project: Path) -> None:
    for name in ("refunds.md", "shipping.md", "staff/goodwill.md"):
        (project / "docs" / name).unlink()
    assert ragtriage("index").out == "1 document · 1 chunk · 0 texts embedded\n"
    assert ragtriage("find", "zyzzyva").out == "Nothing in 1 document.\n"
    assert "errors.md · 1 chunk\n" in ragtriage("show", "errors").out
    golden = project / "evals" / "golden.jsonl"
    golden.write_text(golden.read_text(encoding="utf-8").splitlines()[1] + "\n", encoding="utf-8")
    shown = ragtriage("golden").out
    assert "1 question: 1 dev · 0 holdout" in shown
    assert "1 question; fewer than 20" in shown


def test_find_without_text_lists_the_documents(ragtriage: Command) -> None:
    found = {entry["doc_id"]: entry["headings"] for entry in ragtriage("find", "--json").json["documents"]}
    assert found["refunds"] == [["Refunds"], ["Refunds", "Time limit"], ["Refunds", "Who pays"]]
    assert "  Time limit" in ragtriage("find").out


def test_show_tells_where_a_question_was_lost(ragtriage: Command) -> None:
    done = ragtriage("show", "q003")
    assert done.code == 0
    assert "what voucher may support give" in done.out
    assert "suggested 1 not retrieved" in done.out
    assert "✗ access   → the access lists of the page or of the question\n" in done.out
    document = ragtriage("show", "q003", "--json").json
    assert (document["qid"], document["suggested"], document["verdict"]) == ("q003", "not-retrieved", None)


def test_show_a_chunk_and_a_document(ragtriage: Command) -> None:
    document = ragtriage("show", "refunds", "--json").json
    assert document["title"] == "Refunds"
    first = document["chunks"][0]
    chunk = ragtriage("show", first["chunk_id"], "--json").json
    assert chunk["text"] == document["text"][first["start"] : first["end"]]
    assert "within 30 days of delivery" in ragtriage("show", "refunds.md").out
    assert "did you mean refunds?" in ragtriage("show", "refund").err


def test_show_says_where_evidence_was_and_what_is_wrong_with_a_label(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    text = golden.read_text(encoding="utf-8")
    golden.write_text(
        text.replace("within 30 days", "within 14 days").replace('"doc": "errors"', '"doc": "gone"'), encoding="utf-8"
    )
    lines = ragtriage("show", "q001").out.splitlines()
    assert "✗ the quote is not in the document, k = 2   suggested 6 bad label" in lines
    assert "       ✗ corpus  the quote is not in the document   → index the document, or fix the label" in lines
    assert "✗ there is no such document, k = 2   suggested 1 not retrieved" in ragtriage("show", "q002").out
    lost = ragtriage("show", "q003").out
    assert "●    –  not in pool  staff/goodwill#1  " in lost


def test_show_says_what_there_is_instead(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    text = golden.read_text(encoding="utf-8")
    golden.write_text(text + text.splitlines()[0] + '\n{"qid": "q007", "question": "x", "split": "test"}\n', encoding="utf-8")

    def said(name: str) -> str:
        done = ragtriage("show", name)
        assert (done.code, done.out) == (2, "")
        return done.err.removeprefix("ragtriage: ").strip()

    twice = f"q001 stands on lines 1 and 6 of {golden}; none is used until all but one are removed or renamed"
    assert said("q001") == twice
    assert twice in ragtriage("verdict", "q001", "2").err
    assert twice in ragtriage("eval", "--only", "q001").err
    assert said("q007").startswith(f"q007 stands on line 7 of {golden}, which cannot be used: split: ")
    chunks = len(ragtriage("show", "refunds", "--json").json["chunks"])
    assert chunks > 1
    assert said("refunds#99") == f"refunds has {chunks} chunks: refunds#1 to refunds#{chunks}; there is no #99"
    assert said("q0003") == "q0003: neither a question nor a chunk nor a document; did you mean q003?"
    golden.unlink()
    assert said("refudns") == "refudns: neither a question nor a chunk nor a document; did you mean refunds?"
    assert ragtriage("show", "refunds").code == 0


def test_a_verdict_on_a_question_that_passes_says_so(ragtriage: Command) -> None:
    done = ragtriage("verdict", "q002", "2")
    assert done.code == 0
    assert done.out == ("q002 is now 2 ranked too low (though it passes today); ragtriage verdict --undo takes that back\n")
    document = ragtriage("verdict", "q002", "6", "--json").json
    assert (document["status"], document["suggested"]) == ("found", None)


def test_a_verdict_and_its_undoing(ragtriage: Command, project: Path) -> None:
    ragtriage("eval")
    done = ragtriage("verdict", "q003", "6", "--note", "staff only")
    assert (done.code, done.out.splitlines()[0].split(" (")[0]) == (0, "q003 is now 6 bad label")
    assert ragtriage("eval", "--json").json["failures"]["confirmed"]["bad-label"] == 1
    assert "without the 1 labelled bad label" in ragtriage("eval").out
    (row,) = ragtriage("failures", "--json").json["failing"]
    assert (row["qid"], row["suggested"], row["labelled"]) == ("q003", "not-retrieved", "bad-label")
    assert ragtriage("failures", "--unlabelled", "--json").json["failing"] == []
    assert ragtriage("verdict", "q003", "not-retrieved", "--json").json["category"] == "not-retrieved"
    assert ragtriage("verdict", "--undo").out == "q003 is 6 bad label again\n"
    assert ragtriage("verdict", "--undo").out == "q003 has no verdict again\n"
    assert ragtriage("verdict", "--undo").code == 2
    assert (
        len((project / "evals" / "verdicts.jsonl").read_bytes().splitlines()) == 4
    )  # 2 verdicts and 2 undos: nothing is erased


def test_a_verdict_can_be_cleared(ragtriage: Command) -> None:
    ragtriage("verdict", "q003", "1")
    assert ragtriage("verdict", "q003", "0").code == 0
    assert ragtriage("failures", "--json").json["failing"][0]["labelled"] is None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["q003", "8"], "no category"),
        (["q003", "not-retreived"], "did you mean not-retrieved?"),
        (["q999", "1"], "q999: no such question"),
        (["q003"], "a question and a category are needed"),
        (["q003", "1", "--read-only"], "--read-only"),
    ],
)
def test_a_verdict_that_cannot_be(ragtriage: Command, project: Path, words: list[str], says: str) -> None:
    done = ragtriage("verdict", *words)
    assert done.code == 2
    assert says in done.err
    assert not (project / "evals" / "verdicts.jsonl").exists()


def test_failures_by_category(ragtriage: Command) -> None:
    assert [row["qid"] for row in ragtriage("failures", "--category", "1", "--json").json["failing"]] == ["q003"]
    assert ragtriage("failures", "--category", "made-up").out == "Nothing fails.\n"
    assert "✗ q003      1? not retrieved" in ragtriage("failures").out


def test_runs_are_listed_shown_exported_and_pruned(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    assert "No runs yet" in ragtriage("runs").out
    for number in range(3):
        ragtriage("eval", "--note", f"try {number}")
    listed = ragtriage("runs", "list", "--json").json["runs"]
    assert len(listed) == 3
    assert {run["note"] for run in listed} == {"try 0", "try 1", "try 2"}
    assert "try 1" in ragtriage("runs", "list").out
    shown = ragtriage("runs", "show", listed[-1]["run"], "--json").json
    assert shown["run"] == listed[-1]["run"]
    assert ragtriage("runs", "show", listed[0]["run"]).out.splitlines()[0].endswith(listed[0]["run"])
    target = tmp_path / "run.json"
    assert ragtriage("runs", "export", "latest", "--to", str(target)).code == 0
    assert json.loads(target.read_text(encoding="utf-8")) == ragtriage("runs", "export", "--json").json
    assert ragtriage("runs", "show", "never").code == 2
    done = ragtriage("runs", "prune", "--keep", "1", "--json").json
    assert (len(done["removed"]), done["left"]) == (2, 1)
    assert len(list((project / ".ragtriage" / "runs").iterdir())) == 1


def test_the_list_says_what_sets_each_run_apart(ragtriage: Command, project: Path) -> None:
    ragtriage("eval")
    ragtriage("eval", "--split", "all", "--answers", "none", "--as", "staff,sales", "--note", "wide")
    ragtriage("eval", "--set", "retrieval.pool=70", "--set", "chunking.heading_prefix=false", "--kind", "exact")
    ragtriage("eval", "--only", "q001,q002", "--as", "", "--set", "corpus.access_key=x")
    _, *lines = ragtriage("runs").out.splitlines()
    base = "bm25 k=2 recursive(size=200,overlap=0)"
    others = "retrieval.pool=70 chunking.heading_prefix=false"
    assert [line[line.index("bm25") :] for line in lines] == [
        f"{base} · only q001, q002 · as the public · corpus.access_key=x",
        f"{base} {others} · kind exact · other documents",  # they are read with other access lists
        f"{base} · split all · answers none · as staff, sales · other documents  wide",
        f"{base} · other documents",
    ]
    newest, *_, oldest = ragtriage("runs", "--json").json["runs"]
    assert (newest["only"], newest["as"], newest["config"]["corpus"]["access_key"]) == (["q001", "q002"], [], "x")
    assert (oldest["only"], oldest["as"], oldest["kind"], oldest["answers_made"]) == (None, None, None, "both")
    assert "measured: split all · answers none · as staff, sales" in ragtriage("runs", "show", lines[2].split()[0]).out
    (project / "evals" / "golden.jsonl").unlink()
    assert ragtriage("runs", "show", newest["run"]).out.splitlines()[1] == "2 chosen · 2 answerable"


def test_the_list_has_each_runs_k_and_marks_what_does_not_compare(ragtriage: Command, project: Path) -> None:
    ragtriage("eval")
    ragtriage("eval", "--k", "1")
    with open(project / "evals" / "golden.jsonl", "a", encoding="utf-8") as handle:
        handle.write('{"qid": "q006", "question": "who pays the way back", "evidence": ["refunds"]}\n')
    ragtriage("eval")
    (project / "docs" / "refunds.md").write_text("# Refunds\n\nNone within 30 days of delivery.\n", encoding="utf-8")
    ragtriage("eval")
    _, *lines = ragtriage("runs").out.splitlines()
    assert ["other golden set" in line for line in lines] == [False, False, True, True]
    assert ["other documents" in line for line in lines] == [False, True, True, True]
    assert [line.split()[2] for line in lines] == ["recall@2", "recall@2", "recall@1", "recall@2"]
    assert len({line.index(" recall@") for line in lines}) == 1


def test_without_a_run_nothing_can_be_shown(ragtriage: Command) -> None:
    assert "there is no run yet" in ragtriage("runs", "show").err


def test_a_run_that_a_verdict_names_is_not_pruned(ragtriage: Command) -> None:
    ragtriage("eval")
    ragtriage("verdict", "q003", "1")
    ragtriage("eval", "--note", "newer")
    assert ragtriage("runs", "prune", "--keep", "0", "--json").json["left"] == 1


def test_index_does_the_work_once(ragtriage: Command) -> None:
    done = ragtriage("index", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["documents"], done.json["encoded"]) == (4, 0)
    assert "4 documents" in ragtriage("index").out


def test_doctor_is_content_with_the_small_project(ragtriage: Command, project: Path) -> None:
    done = ragtriage("doctor", "--json")
    assert done.code == 0, done.out
    assert done.json["ok"] is True
    (project / "docs" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (project / "docs" / "empty.md").write_bytes(b"")
    skipped = {item["source"]: item["reason"] for item in ragtriage("doctor", "--json").json["skipped"]}
    assert skipped == {"picture.png": "unmatched", "empty.md": "empty"}
    shown = ragtriage("eval").out
    assert "2 skipped below the corpus folder" in shown
    assert "unmatched: picture.png" in shown


@pytest.mark.parametrize(
    ("key", "offline", "code", "says"),
    [
        ("retrieval.rerank", "1", 2, "✗ reranker     retrieval.rerank: some/model is neither a folder nor installed"),
        ("retrieval.rerank", "", 0, "! reranker     some/model is not on this machine; misspelt, or offline, it"),
        ("embedding.model", "1", 2, "✗ model        embedding.model: some/model is neither a folder nor installed"),
        ("embedding.model", "", 0, "! model        some/model is not on this machine"),
    ],
)
def test_doctor_knows_a_model_that_is_not_there_and_fetches_none(
    ragtriage: Command, tmp_path: Path, key: str, offline: str, code: int, says: str
) -> None:
    env = {"HF_HUB_OFFLINE": offline, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": "http://127.0.0.1:1"}
    done = ragtriage("doctor", "--set", f"{key}=some/model", env=env)
    assert (done.code, done.err) == (code, "")
    assert says in done.out
    assert "✓ golden set   4 dev · 1 holdout" in done.out
    assert not (tmp_path / "hub").exists()
    tried = ragtriage("eval", "--set", f"{key}=some/model", env=env)
    assert (tried.code, tried.out) == (2, "")
    assert ("misspelt" in tried.err, "ConnectError" in tried.err) == (True, False)


def test_doctor_outside_a_project_says_what_to_do(ragtriage: Command, tmp_path: Path) -> None:
    done = ragtriage("doctor", cwd=tmp_path)
    assert done.code == 2
    assert "ragtriage init" in done.out


def test_golden_check_names_every_bad_line(ragtriage: Command, project: Path) -> None:
    assert ragtriage("golden", "check").code == 0
    golden = project / "evals" / "golden.jsonl"
    bad = '{"qid": "q001", "question": "again"}\nnonsense\n{"question": "x", "evidence": [{"doc": "nowhere", "quote": "y"}]}\n'
    golden.write_text(golden.read_text(encoding="utf-8") + bad, encoding="utf-8")
    done = ragtriage("golden", "check", "--json")
    assert done.code == 2
    lines = {problem["line"] for problem in done.json["problems"] if problem["severity"] == "error"}
    assert lines >= {1, 6, 7}
    assert "golden.jsonl:7: not JSON: " in ragtriage("golden").out  # check is what it does
    assert "line 1 column" not in ragtriage("golden").out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["golden"], 2, "docs: no such folder; set path in [corpus]"),
        (["find", "x"], 2, "docs: no such folder"),
        (["runs"], 0, "No runs yet"),
        (["doctor"], 2, "✓ golden set   4 dev · 1 holdout"),
    ],
)
def test_without_a_corpus_what_can_be_said_is_said(
    ragtriage: Command, project: Path, words: list[str], code: int, says: str
) -> None:
    (project / "docs").rename(project / "elsewhere")
    golden = project / "evals" / "golden.jsonl"
    done = ragtriage(*words)
    assert done.code == code
    assert says in (done.out + done.err)
    golden.write_text(golden.read_text(encoding="utf-8") + "nonsense\n", encoding="utf-8")
    if words == ["golden"]:
        assert "golden.jsonl:6: not JSON" in ragtriage(*words).out


def test_an_empty_corpus_is_named_by_whatever_looks_into_it(ragtriage: Command, project: Path) -> None:
    (project / "docs").rename(project / "elsewhere")
    (project / "docs").mkdir()
    for words in (["find", "x"], ["find"], ["search", "x"], ["index"], ["eval"]):
        done = ragtriage(*words)
        assert done.code == 2, words
        assert "no file is taken by corpus.include" in done.err, words


def test_a_beir_folder_takes_every_command_that_writes_nothing_into_it(ragtriage: Command, tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "Wings", "text": "Lift of a wing."}\n', encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "1", "text": "what lift has a wing"}\n', encoding="utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n", encoding="utf-8")
    commands = [
        [], ["eval"], ["failures"], ["show", "1"], ["show", "d1"], ["search", "wing"], ["find", "wing"], ["golden"], ["runs"],
        ["index"], ["verdict", "1", "6"], ["verdict", "--undo"], ["runs", "prune"],
    ]  # fmt: skip
    for words in commands:
        done = ragtriage("-C", str(folder), "--set", "retrieval.mode=bm25", *words, cwd=tmp_path)
        assert (done.code, done.err) == (0, ""), words
    refused = ragtriage("add", "x", "--evidence", "d1", "-C", str(folder))
    assert refused.code == 2
    assert "which is only read" in refused.err


def test_add_says_that_the_stand_in_gave_the_answer(ragtriage: Command) -> None:
    done = ragtriage("add", "do you sell zebras", "--unanswerable", "--set", "retrieval.mode=bm25")
    assert "stand-in" not in done.out
    done = ragtriage(
        "add", "how many days of delivery", "--quote", "refunds", "within 30 days of delivery", "--mention", "no such word",
        "--set", "retrieval.mode=bm25", "--set", "retrieval.k=50",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "by the extractive stand-in" in done.out


def test_add_does_not_say_that_an_answer_is_right_which_was_never_asked_for(ragtriage: Command) -> None:
    own = ("--set", "answers.generator=command", "--set", 'answers.command=["cat"]', "--set", "retrieval.mode=bm25")
    refused = ragtriage("add", "do you sell zebras", "--unanswerable", *own)
    assert refused.code == 0, refused.err
    assert "passes today" not in refused.out
    assert "eval --answers both asks" in refused.out
    of = ("--quote", "refunds", "within 30 days of delivery")
    found = ragtriage("add", "within how many days of delivery", *of, "--mention", "30 days", *own)
    assert "its evidence is found today" in found.out
    ungraded = ragtriage("add", "how many days until delivery", *of, *own)
    assert "passes today" in ungraded.out  # no answer is ever asked for


def test_add_a_question_that_fails_today(ragtriage: Command, project: Path) -> None:
    done = ragtriage(
        "add", "may i get a voucher", "--quote", "staff/goodwill", "a voucher of 15 euros", "--from", "ticket", "--ref", "8812"
    )
    assert done.code == 0, done.err
    assert "fails today" in done.out
    assert "stand-in" not in done.out  # what failed is retrieval
    saved = json.loads((project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert saved["qid"].startswith("q-")
    assert (saved["question"], saved["kind"]) == ("may i get a voucher", "paraphrase")  # the app's default, too
    assert saved["evidence"][0]["doc"] == "staff/goodwill"
    assert "voucher of 15 euros" in saved["evidence"][0]["quote"]
    assert saved["source"]["from"] == "ticket"
    assert saved["source"]["ref"] == "8812"
    assert saved["qid"] in [question["qid"] for question in ragtriage("eval", "--json").json["per_question"]]


def test_a_quote_that_stands_in_two_places_is_not_guessed(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    before = golden.read_bytes()
    done = ragtriage("add", "what is wrong", "--quote", "errors", "means that the")
    assert (done.code, done.out, golden.read_bytes()) == (2, "", before)
    assert done.err == (
        "ragtriage: errors says 'means that the' 2 times, on lines 3 and 5; "
        "quote more of it, or name the line: --quote errors:3 'means that the'\n"
    )
    assert (
        "not say 'means that the' on line 4, but on lines 3 and 5"
        in ragtriage("add", "x", "--quote", "errors:4", "means that the").err
    )
    done = ragtriage("add", "what is wrong", "--quote", "errors:5", "means that the", "--json")
    assert done.json["question"]["evidence"][0]["quote"] == "ERR_4022 means that the session has expired."
    # twice in one sentence is one place
    assert ragtriage("add", "who ships", "--quote", "shipping", "the").code == 2
    assert ragtriage("add", "which parcel", "--quote", "refunds:5", "must", "--json").code == 0


def test_add_reads_standard_input_and_takes_references(ragtriage: Command) -> None:
    done = ragtriage(
        "add", "--evidence", "shipping.md#abroad", "--mention", "Norway", "--json", stdin="do you ship to norway\n"
    )
    assert done.code == 0, done.err
    assert (done.json["question"]["question"], done.json["status"]) == ("do you ship to norway", "found")


def test_the_first_question_starts_the_golden_set(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    golden.unlink()
    told = ragtriage("eval")
    assert (told.code, told.out) == (2, "")
    assert "ragtriage add" in told.err
    assert ragtriage("add", "what does ERR_4022 mean", "--quote", "errors", "ERR_4022 means").code == 0
    assert len(golden.read_text(encoding="utf-8").splitlines()) == 1


def test_a_question_that_could_not_be_measured_is_saved_all_the_same(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ragtriage.errors import EncoderFailed
    from ragtriage_tui import cli
    from ragtriage_tui.commands import add

    def broken(*words: object) -> None:
        raise EncoderFailed("the model could not be loaded")

    monkeypatch.setattr(add, "_measured", broken)
    assert cli.main(["-C", str(project), "add", "who pays", "--evidence", "refunds"]) == 3
    said = capsys.readouterr().err
    assert " saved on line 6 of " in said
    assert said.endswith(", but it could not be measured: the model could not be loaded\n")
    assert len((project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()) == 6


def test_nearly_the_same_is_said(ragtriage: Command) -> None:
    done = ragtriage("add", "do you ship to the moon please", "--unanswerable")
    assert done.code == 0
    assert "nearly the same: q004 do you ship to the moon" in done.err


def test_add_an_unanswerable_question(ragtriage: Command) -> None:
    done = ragtriage("add", "do you repair bicycles", "--unanswerable", "--json")
    assert (done.json["question"]["answerable"], done.json["question"]["kind"]) == (False, "unanswerable")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "empty"),
        (["x?"], "--unanswerable"),
        (["x?", "--evidence", "nowhere"], "nowhere"),
        (["x?", "--quote", "refunds", "words that stand nowhere in it"], "words that stand nowhere"),
        (["x?", "--unanswerable", "--evidence", "refunds"], "--unanswerable"),
        (["x?", "--unanswerable", "--kind", "exact"], "leave --kind out"),
        (["x?", "--unanswerable", "--needs", "any"], "leave --needs out"),
        (["x?", "--evidence", "refunds.md#nowhere"], "--evidence refunds.md#nowhere: the document has no such heading or page"),
        (["x?", "--evidence", "refunds", "--read-only"], "--read-only"),
        (["do you ship to the moon", "--unanswerable"], "q004"),
    ],
)
def test_what_cannot_be_added(ragtriage: Command, project: Path, words: list[str], says: str) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    done = ragtriage("add", *words)
    assert done.code == 2
    assert says in done.err
    assert (project / "evals" / "golden.jsonl").read_bytes() == before


def test_an_id_with_a_line_end_breaks_no_plain_line(ragtriage: Command, project: Path) -> None:
    row = {"id": "odd\nid\u2028x", "title": "two\nlines", "text": "# A heading\n\nThe secret word is swordfish."}
    (project / "docs" / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    evidence = [{"doc": row["id"], "quote": "word is swordfish"}]
    line = {"qid": "q\n9", "question": "what is the\nsecret word", "evidence": evidence, "answer_must_mention": ["swordfish"]}
    with open(project / "evals" / "golden.jsonl", "a", encoding="utf-8") as handle:
        handle.write(json.dumps(line) + "\n")
    for words in (["show", "q\n9"], ["search", "secret word"], ["find", "swordfish"], ["find"], ["eval"], ["failures"]):
        done = ragtriage(*words)
        assert done.code == 0, (words, done.err)
        broken = [text for text in done.out.splitlines() if text.startswith(("id", "9", "lines", "secret word"))]
        assert broken == [], words
    shown = ragtriage("show", str(row["id"])).out.splitlines()
    assert shown[0] == "odd id x  two lines"
