"""What the functions behind the commands refuse and return, called as a notebook calls them: no command line, no model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import ragtriage
from ragtriage import Project, UsageError

REFUNDS = "# Refunds\n\nSend it back within 30 days of delivery.\n\n# Postage\n\nWe pay the postage.\n"
QUOTE = {"doc": "refunds", "quote": "within 30 days of delivery"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """One document and one question, searched by BM25 alone."""
    ragtriage.init_project(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "refunds.md").write_text(REFUNDS, encoding="utf-8")
    line = {"qid": "q1", "question": "when must i send it back", "evidence": [QUOTE]}
    (tmp_path / "evals" / "golden.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with closing(Project.open(tmp_path, overrides=["retrieval.mode=bm25"])) as opened:
        yield opened


def test_a_project_is_started_once(tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    started = ragtriage.init_project(tmp_path)
    assert (len(started.written), started.kept, started.docs) == (4, (), "wiki")
    again = ragtriage.init_project(str(tmp_path), docs="elsewhere")
    assert (again.written, len(again.kept), again.docs) == ((), 4, "elsewhere")
    assert 'path = "wiki"' in (tmp_path / "ragtriage.toml").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="not a folder"):
        ragtriage.init_project(tmp_path / "ragtriage.toml")


def test_reports_come_from_bytes_and_once(project: Project) -> None:
    line = json.dumps({"user_query": "who pays the postage? write to a@example.org", "id": 7}).encode()
    dry = ragtriage.import_reports(project, line, write=False)
    assert (len(dry.added.new), dry.written, dry.path.exists()) == (1, False, False)
    done = ragtriage.import_reports(project, line, maps={"question": "user_query"}, origin="ticket")
    assert (done.where, done.written, dict(done.masked)) == ("the text", True, {"e-mail": 1})
    assert not ragtriage.import_reports(project, line, origin="ticket").written
    item = ragtriage.open_inbox(project).named("7")
    assert (item.state, item.report.source) == ("open", "ticket")
    found = ragtriage.propose_question(project, item)
    assert found.proposal.candidates[0].doc_id == "refunds"
    assert found.production is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"origin": "moon"}, "moon: reports come from ticket, "),
        ({"maps": {"quest": "q"}}, "did you mean question"),
        ({"source": Path("nowhere.csv")}, "nowhere.csv: no such file"),
    ],
)
def test_imports_that_mean_nothing(project: Project, options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        ragtriage.import_reports(project, **{"source": b"who pays?", **options})  # type: ignore[arg-type]
    assert not ragtriage.open_inbox(project).path.exists()


def test_a_report_becomes_a_question(project: Project) -> None:
    ragtriage.import_reports(project, b'{"question": "who pays the postage", "id": "8", "from": "chat"}')
    inbox = ragtriage.open_inbox(project)
    added = ragtriage.add_question(
        project, None, quotes=[("refunds:7", "the postage")], must_mention=["48 hours"], report=inbox.named("8")
    )
    assert added.question.evidence[0].place.quote == "We pay the postage."
    assert (added.question.source["from"], added.question.source["ref"], added.stays) == ("chat", "8", "")
    assert added.unsaid == (f"{added.question.qid} mentions “48 hours”, which its evidence does not say",)
    assert inbox.named("8").qid == added.question.qid
    with pytest.raises(UsageError, match=f"is {added.question.qid} already"):
        ragtriage.add_question(project, "another", places=["refunds"], report=inbox.named("8"))
    found = ragtriage.evaluate(project, only=[added.question.qid], store=False).get(added.question.qid)
    assert found is not None
    assert found.ranks == (1,)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (" ", {}, "the question is empty"),
        (None, {}, "the question is empty"),
        ("who?", {}, "where is the answer"),
        ("who?", {"answerable": False, "places": ["refunds"]}, "evidence is named"),
        ("who?", {"places": ["refunds#nowhere"]}, "no such heading"),
        ("who?", {"quotes": [("refunds", "no such words")]}, "does not say"),
        ("When must I send it  back", {"answerable": False}, "q1 asks the same"),
    ],
)
def test_questions_that_would_not_hold(project: Project, text: str | None, options: dict[str, object], says: str) -> None:
    before = project.golden_path.read_bytes()
    with pytest.raises(UsageError, match=says):
        ragtriage.add_question(project, text, **options)  # type: ignore[arg-type]
    assert project.golden_path.read_bytes() == before


def test_the_golden_set_is_looked_at_and_mended(project: Project) -> None:
    assert ragtriage.check_golden(project).errors == ()
    formatted = ragtriage.format_golden(project, write=False)
    assert not formatted.changed
    page = project.root / "docs" / "refunds.md"
    page.rename(project.root / "docs" / "returns.md")
    with closing(Project.open(project.root, overrides=["retrieval.mode=bm25"])) as later:
        labels = ragtriage.anchor_labels(later, moved=True)
        assert [anchor.places[0].doc_id for anchor in labels.moved] == ["returns"]
        assert ragtriage.write_anchors(later, labels) == []
        assert later.golden.questions[0].evidence[0].place.doc == "returns"
        assert ragtriage.mark_obsolete(later, "q1", " sold no more ") == "sold no more"
        assert later.golden.questions[0].obsolete
        with pytest.raises(UsageError, match="q2: no such question"):
            ragtriage.mark_obsolete(later, "q2")


def test_the_golden_set_goes_out(project: Project, tmp_path: Path) -> None:
    assert json.loads(ragtriage.export_golden(project).data)["qid"] == "q1"
    assert ragtriage.export_golden(project, "jsonl", split="holdout").questions == ()
    with pytest.raises(UsageError, match="beir is a folder"):
        _ = ragtriage.export_golden(project, "beir").data
    folder = tmp_path / "out" / "beir"
    ragtriage.export_golden(project, "beir", to=folder)
    assert (folder / "queries.jsonl").is_file()
    for form, to, says in (("beir", folder, "is there already"), ("xml", None, "no form of export")):
        with pytest.raises(UsageError, match=says):
            ragtriage.export_golden(project, form, to=to)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="test: is no split; there are dev, holdout, all"):
        ragtriage.export_golden(project, split="test")  # type: ignore[arg-type]


def test_no_run_is_made_of_a_split_that_is_none(project: Project) -> None:
    with pytest.raises(UsageError, match="test: is no split; there are dev, holdout, all"):
        ragtriage.evaluate(project, split="test")  # type: ignore[arg-type]
    assert not project.runs.all()


def test_runs_go_out(project: Project) -> None:
    assert ragtriage.newest_run(project) is None
    run = ragtriage.evaluate(project)
    newest = ragtriage.newest_run(project)
    assert newest is not None
    assert newest.id == run.id
    assert json.loads(ragtriage.export_run(project))["per_question"][0]["qid"] == "q1"
    assert ragtriage.export_run(project, run, "run").startswith(b"q1 Q0 refunds 1 ")
    assert ragtriage.export_run(project, run, "run", by="chunk").startswith(b"q1 Q0 refunds#")
    assert ragtriage.export_run(project, run, "qrels") == b"q1 0 refunds 1\n"
    with pytest.raises(UsageError, match="no form of export"):
        ragtriage.export_run(project, run, "xml")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="passages are ranked by document or chunk"):
        ragtriage.export_run(project, run, "run", by="page")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="evidence lies in documents"):
        ragtriage.export_run(project, run, "qrels", by="chunk")


def test_a_judge_needs_reviews(project: Project) -> None:
    with pytest.raises(UsageError, match="no reviews yet"):
        ragtriage.calibrate_judge(project)
    assert not (project.evals / "calibration.json").exists()


def test_what_a_configuration_would_do_is_agreed_to(project: Project) -> None:
    file = project.root / "ragtriage.toml"
    file.write_text('[retrieval]\nmode = "bm25"\nrerank_command = ["./rank", "--fast"]\n', encoding="utf-8")
    with closing(Project.open(project.root)) as risky:
        shown = ragtriage.what_it_would_do(risky)
        assert shown.settings == shown.pending
        assert any("rank" in one.sentence for one in shown.pending)
        ragtriage.agree(risky.root, shown.pending)
        assert ragtriage.what_it_would_do(risky).pending == ()
        assert ragtriage.revoke(risky.root) == len(shown.pending)
        assert ragtriage.what_it_would_do(risky).pending == shown.pending


def test_the_setup_is_looked_at_whatever_is_wrong_with_it(project: Project) -> None:
    (project.evals / "golden.jsonl").write_text("{", encoding="utf-8")
    found = {finding.what: finding for finding in ragtriage.check_setup(project)}
    assert {"python", "packages", "cache", "state", "project", "config", "model", "answers", "corpus", "runs"} <= found.keys()
    assert found["corpus"].says.startswith("1 document, ")
    assert found["golden set"].state == "wrong"
    passages = ragtriage.diagnose_project(project)
    assert passages.passages == len(project.chunks)
