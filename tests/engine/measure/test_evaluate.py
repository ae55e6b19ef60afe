"""One evaluation from files to the stored run, with real BM25. What other tools get wrong is here with the right value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragtriage.errors import Cancelled, ConfigError, SystemFailed, UsageError
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.identity import identity_of
from ragtriage.measure.report import to_json
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.types import Failure, Hit, Progress, Ranking, no_progress

PAGES = {
    "refunds": "# Refunds\n\nGoods may be sent back within 30 days of delivery.\n\n## Cost\n\nWe pay the way back.\n",
    "shipping": "# Shipping\n\nParcels leave on the next working day. We ship to Norway.\n",
    "errors": "# Errors\n\nERR_4021 means that the card was declined.\n",
    "scan": "---\naccess: [staff]\n---\n# Goodwill\n\nSupport may give a voucher of 15 euros.\n",
}


def question(qid: str, text: str, *labels: Any, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "question": text, **({"evidence": list(labels)} if labels else {}), **more}


GOLDEN = [
    question(
        "q1",
        "within how many days may goods be sent back",
        {"doc": "refunds", "quote": "within 30 days of delivery"},
        answer_must_mention=["30 days"],
    ),
    question("q2", "what does ERR_4021 mean", {"doc": "errors", "quote": "the card was declined"}, kind="exact"),
    question("q3", "which voucher may support give", {"doc": "scan", "quote": "a voucher of 15 euros"}, kind="exact"),
    question("q4", "do you ship to the moon", answerable=False, kind="unanswerable"),
    question("q5", "do you ship to Norway", {"doc": "shipping", "quote": "We ship to Norway."}, split="holdout"),
    question("q6", "is anybody there"),
]


def make(root: Path, golden: Sequence[Mapping[str, Any]] = GOLDEN, pages: Mapping[str, str] = PAGES, **config: str) -> Project:
    (root / "docs").mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (root / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (root / "evals").mkdir(exist_ok=True)
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in golden), encoding="utf-8")
    (root / "ragtriage.toml").write_text('[corpus]\naccess_key = "access"\n[retrieval]\nmode = "bm25"\n', encoding="utf-8")
    return Project.open(root, overrides=[f"{key.replace('__', '.')}={value}" for key, value in config.items()])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAGTRIAGE_AUTHOR", "somebody")
    return tmp_path / "handbook"


class Scripted:
    """A system that answers from a list: what a question text maps to, else nothing."""

    encoded = 0
    window = 256
    spec = "scripted"

    def __init__(self, project: Project, rankings: Mapping[str, Ranking | Failure]) -> None:
        self.retriever = project.system.retriever
        self.rankings = rankings

    def search(self, queries: Sequence[Query], *, progress: Progress = no_progress) -> list[Ranking | Failure]:
        return [self.rankings.get(query.text, Ranking((), {"bm25": ()})) for query in queries]

    def close(self) -> None: ...


def scripted(project: Project, rankings: Mapping[str, Ranking | Failure]) -> Project:
    project.__dict__["system"] = Scripted(project, rankings)
    return project


def ranking(*ids: str) -> Ranking:
    hits = tuple(Hit(chunk_id, 1.0 - place / 100, place) for place, chunk_id in enumerate(ids, start=1))
    return Ranking(hits, {"bm25": ids})


def metric(run: Run, name: str) -> dict[str, Any]:
    return run.manifest["metrics"][name]


def test_a_whole_evaluation(root):
    project = make(root)
    run = evaluate(project)
    found = {result.qid: result for result in run.questions}
    assert list(found) == ["q1", "q2", "q3", "q4", "q6"]
    assert found["q1"].status == found["q2"].status == "found"
    assert found["q3"].status == "missed"
    assert (found["q3"].suggested, found["q3"].lost_at) == ("not-retrieved", "access")
    assert found["q4"].status == "unanswerable"
    assert found["q6"].status == "unlabelled"
    manifest = run.manifest
    assert (manifest["questions"], manifest["answerable"], manifest["unlabelled"], manifest["holdout"]) == (5, 3, 1, 1)
    assert metric(run, "recall@5") | {"low": 0, "high": 0} == {
        "value": 0.666667, "n": 3, "failed": 0, "floor": 0.666667, "low": 0, "high": 0,
    }  # fmt: skip
    assert found["q1"].live is not None
    assert found["q1"].live.grade.correct is True
    assert project.runs.load(run.id) == run


def test_refusals_that_are_right_are_told_apart(root):
    must = {"answer_must_mention": ["30 days"]}
    golden = [
        question("gone", "code of the safe", {"doc": "nowhere"}, **must),
        question("moon", "do you ship to the moon", answerable=False),
        question("open", "do you ship to Norway", {"doc": "shipping"}),
    ]
    nothing = {text: ranking() for text in ("code of the safe", "do you ship to the moon", "do you ship to Norway")}
    manifest = evaluate(scripted(make(root, golden), nothing)).manifest
    assert manifest["answers"]["refusals"] == {
        "refused_rightly": 2, "refused_no_answer": 1, "refused_no_evidence": 1, "refused_wrongly": 0,
        "should_have_refused": 0, "answered": 0, "not_judged": 1,
    }  # fmt: skip
    assert manifest["context_tokens"] == 0.0
    none = evaluate(scripted(make(root, golden), nothing), answers="none").manifest
    assert set(none["answers"]["refusals"].values()) == {0}


def test_what_the_context_costs_is_the_mean_of_what_was_searched(root):
    golden = [question("a", "one", {"doc": "refunds"}), question("b", "two", {"doc": "shipping"}), question("c", "three")]
    rankings = {"one": ranking("refunds#1"), "two": Failure("gone"), "three": ranking("refunds#1", "shipping#1")}
    project = scripted(make(root, golden), rankings)
    run = evaluate(project)
    tokens = [int(project.chunks.tokens[project.chunks.row(name)]) for name in ("refunds#1", "shipping#1")]
    assert run.manifest["context_tokens"] == round((tokens[0] + sum(tokens)) / 2, 1)
    assert evaluate(scripted(make(root, golden), {"two": Failure("gone")}), only=["b"]).manifest["context_tokens"] is None


def test_the_same_inputs_give_the_same_bytes(root):
    first = evaluate(make(root))
    second = evaluate(make(root))
    store = make(root).runs
    assert first.id != second.id
    files = [(store.folder / run.id / "questions.jsonl").read_bytes() for run in (first, second)]
    assert files[0] == files[1]
    assert first.manifest["fingerprints"] == second.manifest["fingerprints"]


def test_asking_as_staff_sees_the_staff_page(root):
    make(root)
    run = evaluate(Project.open(root, groups=("staff",)))
    assert run.get("q3").status == "found"


def test_the_worked_example_at_rank_two(root):
    project = make(root, GOLDEN[:1])
    ranked = ranking("shipping#1", "refunds#1", "errors#1")
    run = evaluate(scripted(project, {GOLDEN[0]["question"]: ranked}))
    assert metric(run, "recall@1")["value"] == 0
    assert metric(run, "recall@3")["value"] == 1
    assert run.get("q1").rr == 1 / 2


def test_reciprocal_ranks_of_1_a_half_and_0(root):
    golden = [
        question("a", "one", {"doc": "refunds"}),
        question("b", "two", {"doc": "shipping"}),
        question("c", "three", {"doc": "errors"}),
    ]
    rankings = {"one": ranking("refunds#1"), "two": ranking("errors#1", "shipping#1"), "three": ranking("shipping#1")}
    run = evaluate(scripted(make(root, golden), rankings))
    assert [result.rr for result in run.questions] == [1, 1 / 2, 0]
    assert metric(run, "mrr")["value"] == 0.5


def test_a_failed_retrieval_has_no_value_and_is_counted(root):
    golden = [question("a", "one", {"doc": "refunds"}), question("b", "two", {"doc": "shipping"})]
    rankings = {"one": ranking("refunds#1"), "two": Failure("timed out after 30 s")}
    run = evaluate(scripted(make(root, golden), rankings))
    failed = run.get("b")
    assert (failed.status, failed.rr, failed.reason, failed.suggested) == ("failed", None, "timed out after 30 s", "")
    mean = metric(run, "recall@5")
    assert (mean["value"], mean["n"], mean["failed"], mean["floor"]) == (1.0, 1, 1, 0.5)
    assert run.manifest["failed"] == 1


def test_a_failed_retrieval_is_counted_among_the_answers_and_as_what_it_is(root):
    must = {"answer_must_mention": ["30 days"]}
    golden = [
        question("a", "within how many days may goods be sent back", {"doc": "refunds"}, **must),
        question("b", "two", {"doc": "refunds"}, **must),
        question("c", "three", answerable=False),
        question("d", "four"),
    ]
    rankings = {
        "within how many days may goods be sent back": ranking("refunds#1"),
        **dict.fromkeys(("two", "three"), Failure("gone")),
    }
    manifest = evaluate(scripted(make(root, golden), {**rankings, "four": Failure("gone")})).manifest
    live = manifest["answers"]["live"]
    assert (live["value"], live["n"], live["failed"], live["floor"]) == (1.0, 1, 1, 0.5)
    assert [manifest[name] for name in ("answerable", "unanswerable", "unlabelled", "failed")] == [2, 1, 1, 3]


def test_an_empty_ranking_is_the_floor_and_stays_in_the_mean(root):
    golden = [question("a", "one", {"doc": "refunds"}), question("b", "two", {"doc": "shipping"})]
    run = evaluate(scripted(make(root, golden), {"one": ranking("refunds#1")}))
    mean = metric(run, "recall@5")
    assert (mean["value"], mean["n"], mean["failed"]) == (0.5, 2, 0)
    assert run.get("b").suggested == "not-retrieved"


def test_an_unanswerable_question_is_in_no_retrieval_mean(root):
    golden = [question("a", "one", {"doc": "refunds"}), question("b", "two", answerable=False)]
    run = evaluate(scripted(make(root, golden), {"one": ranking("refunds#1"), "two": ranking("errors#1")}))
    assert metric(run, "mrr")["n"] == 1


def test_evidence_of_two_pages_in_k_larger_than_the_corpus(root):
    golden = [question("a", "one", {"doc": "refunds"}, {"doc": "shipping"})]
    run = evaluate(scripted(make(root, golden, retrieval__k="20"), {"one": ranking("shipping#1", "refunds#1")}))
    assert metric(run, "recall@20")["value"] == 1
    assert metric(run, "ndcg@20")["value"] == 1


def test_the_right_offsets_in_the_wrong_document_count_for_nothing(root):
    pages = {"a": "# T\n\nthe code is 7731.\n", "b": "# T\n\nthe code is 7732.\n"}
    golden = [question("q", "code", {"doc": "a", "quote": "the code is 7731."})]
    run = evaluate(scripted(make(root, golden, pages), {"code": ranking("b#1")}))
    assert run.get("q").status == "missed"


def test_brackets_in_a_question_are_text(root):
    golden = [question("a", "what is [/path] and [red]x[/red]?", {"doc": "errors"})]
    assert evaluate(make(root, golden)).get("a").status in ("found", "missed")


def test_a_query_replaces_the_question_for_retrieval_only(root):
    golden = [question("a", "my card does not work", {"doc": "errors"}, query="ERR_4021 declined")]
    assert evaluate(make(root, golden)).get("a").status == "found"


def test_a_question_that_is_not_there(root):
    with pytest.raises(UsageError, match="zzz"):
        evaluate(make(root), only=["zzz"])


def test_some_questions_alone_are_a_partial_run(root):
    project = make(root)
    run = evaluate(project, only=["q5"])
    assert [result.qid for result in run.questions] == ["q5"]
    assert project.runs.newest() is None
    assert run.manifest["partial"] is True


def test_looking_at_the_holdout_is_logged_however_it_was_chosen(root):
    by_name = evaluate(make(root), only=["q5"])
    run = evaluate(make(root), split="holdout")
    evaluate(make(root))
    evaluate(make(root), split="all", store=False)  # --read-only writes nothing into the project
    events = [json.loads(line) for line in (root / "evals" / "holdout.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [event["rev"] for event in events] == [by_name.id, run.id]
    event = events[-1]
    assert (event["rev"], event["command"], event["by"]) == (run.id, "eval", "somebody")
    assert event["metrics"]["recall@5"] == 1.0


def test_cancelling_stores_nothing(root):
    project = make(root)

    def stop(stage: str, done: int, total: int) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        evaluate(project, progress=stop)
    assert project.runs.all() == []
    assert evaluate(project).manifest["questions"] == 5


def test_what_breaks_everything_is_raised(root, monkeypatch):
    project = make(root)

    def broken(*_: object, **__: object) -> None:
        raise SystemFailed("the encoder is gone")

    monkeypatch.setattr(project.system, "search", broken)
    with pytest.raises(SystemFailed, match="gone"):
        evaluate(project)


def test_a_verdict_of_bad_label_stays_in_the_mean_and_is_told_apart(root):
    project = make(root)
    run = evaluate(project)
    project.verdicts.record("q3", "bad-label", run=run.id, seen=run.get("q3").seen)
    document = to_json(run, project.verdicts.current())
    assert document["metrics"]["recall@5"]["n"] == 3
    assert document["without_bad_labels"]["questions"] == ["q3"]
    assert document["without_bad_labels"]["metrics"]["recall@5"]["value"] == 1.0
    assert document["failures"]["confirmed"]["bad-label"] == 1
    assert document["failures"]["suggested"]["not-retrieved"] == 1


def test_an_old_verdict_leaves_the_counts(root):
    project = make(root)
    run = evaluate(project)
    for category in ("not-retrieved", "bad-label"):
        project.verdicts.record("q3", category, run=run.id, seen="something else was seen")
        document = to_json(run, project.verdicts.current())
        assert document["failures"]["confirmed"][category] == 0
        assert document["without_bad_labels"] is None


def test_a_chunk_label_goes_stale_when_its_text_changes(root):
    golden = [question("a", "one", relevant_chunk_ids=["refunds#1"])]
    project = scripted(make(root, golden), {"one": ranking("refunds#1")})
    assert evaluate(project).manifest["stale"] == 0
    pages = {**PAGES, "refunds": "# Refunds\n\nSomething else altogether now.\n"}
    for _ in range(2):  # the hash that the label was made on is kept, however often it is measured
        again = scripted(make(root, golden, pages), {"one": ranking("refunds#1")})
        assert evaluate(again).manifest["stale"] == 1


def test_a_folder_that_cannot_be_written_keeps_its_runs_elsewhere(root, tmp_path, monkeypatch):
    project = make(root)
    monkeypatch.setattr("ragtriage.project_places.is_writable", lambda folder: False)
    run = evaluate(project)
    assert not (root / ".ragtriage").exists()
    assert tmp_path / "home" / "state" in project.runs.folder.parents
    assert project.runs.load(run.id)


@pytest.mark.parametrize("key", ["golden.path", "corpus.path", "embedding.model"])
def test_a_name_with_a_nul_is_refused_where_it_is_read(root, key):
    make(root)
    with pytest.raises(ConfigError, match=rf"{key}: it holds a NUL"):
        Project.open(root, overrides=[f"{key}=a\0b"])


@pytest.mark.parametrize("name", ["verdicts.jsonl", "reviews.jsonl", "inbox.jsonl", "baseline.json", "calibration.json"])
def test_nothing_is_written_through_a_link_that_a_repository_brought(root, tmp_path, name):
    make(root)
    place = root / "evals" / name
    place.symlink_to(root / "kept-elsewhere")
    assert Project.open(root).root == root
    place.unlink()
    place.symlink_to(tmp_path / "home" / ".bashrc")
    with pytest.raises(ConfigError, match="a link out of the project"):
        Project.open(root)


def test_documents_may_stand_beside_the_golden_set(root):
    make(root, [question("a", "which page", {"doc": "page-7", "quote": "the seventh page"})])
    (root / "evals" / "pages.jsonl").write_text('{"id": "page-7", "text": "This is the seventh page."}\n', encoding="utf-8")
    run = evaluate(Project.open(root, overrides=["corpus.path=evals"]))
    assert run.get("a").status == "found"
    assert run.manifest["documents"] == 1  # and neither the golden set nor a log


def test_a_model_in_the_project_is_found_from_anywhere_and_known_by_its_weights(root, tmp_path, monkeypatch):
    project = make(root, embedding__model="models/mine")
    folder = root / "models" / "mine"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"first")
    monkeypatch.chdir(tmp_path)
    assert project.embedding.model == str(folder)
    before = project.fingerprints()
    assert project.fingerprints() == before
    (folder / "model.safetensors").write_bytes(b"trained again")
    assert {name for name, value in project.fingerprints().items() if value != before[name]} == {"config"}


def test_an_answer_is_not_to_blame_for_what_the_token_budget_kept_from_it(root):
    long = "Nothing of interest stands in these words. " * 20
    pages = {"a": f"# A\n\n{long}\n", "b": "# B\n\nThe code of the safe is 7731.\n"}
    golden = [
        question("q", "code of the safe", {"doc": "b", "quote": "The code of the safe is 7731."}, answer_must_mention=["7731"])
    ]
    ranked = {"code of the safe": ranking("a#1", "b#1")}
    full = evaluate(scripted(make(root, golden, pages), ranked)).get("q")
    assert (full.status, full.suggested) == ("found", "")
    short = evaluate(scripted(make(root, golden, pages, answers__max_context_tokens="100"), ranked)).get("q")
    assert (short.status, short.suggested, short.lost_at) == ("found", "ranked-too-low", "context")
    assert short.context_tokens == 100


def test_a_verdict_is_old_when_its_label_moves(root):
    first = evaluate(make(root, [question("q", "one", {"chunk": "refunds#1"})])).get("q")
    again = evaluate(make(root, [question("q", "one", {"chunk": "refunds#1"})])).get("q")
    moved = evaluate(make(root, [question("q", "one", {"chunk": "shipping#1"})])).get("q")
    assert first.seen == again.seen != moved.seen


def test_a_question_without_labels_has_no_oracle_to_miss(root):
    run = evaluate(make(root, [question("q", "is anybody there", answer_must_mention=["yes"])]))
    assert run.manifest["answers"]["without_oracle"] == []


@pytest.mark.parametrize("path", ["../elsewhere.jsonl", "/etc/golden.jsonl", "evals/link/golden.jsonl"])
def test_labels_are_not_written_outside_the_project(root, path):
    make(root)
    (root / "evals" / "link").symlink_to("/tmp")
    with pytest.raises(ConfigError, match="outside the project"):
        Project.open(root, overrides=[f"golden.path={path}"])


def test_evidence_inside_k_keeps_its_rank_in_every_stage(root):
    golden = [
        question("q1", "one", {"doc": "refunds", "quote": "within 30 days of delivery"}),
        question("q2", "two", {"chunk": "errors#1"}),
    ]
    project = make(root, golden)
    hits = (Hit("shipping#1", 0.9, 2), Hit("refunds#1", 0.8, 1))
    stages = {"bm25": ("refunds#1", "shipping#1"), "dense": ("shipping#1",)}
    scripted(project, {"one": Ranking(hits, stages), "two": ranking("errors#1")})
    run = evaluate(project, answers="none")
    first, second = (one.items[0] for one in run.questions)
    assert (first.rank, first.rungs, first.stage_ranks) == (2, (), {"bm25": 1, "dense": None})
    assert (first.in_parts, first.doc_rank) == (False, None)
    assert (second.stages, second.doc_rank) == ({"bm25": 1}, 1)
    assert all(one.identity == identity_of(project.golden.get(one.qid)) for one in run.questions)
    assert project.runs.load(run.id) == run


def test_evidence_inside_k_that_no_passage_holds_whole(root):
    text = "# Refunds\n\n" + " ".join(f"Word{n} and more of them." for n in range(60))
    golden = [question("q1", "one", {"doc": "refunds", "quote": text[60:900]})]
    project = make(root, golden, {"refunds": text}, chunking__size="60", chunking__strategy="fixed", retrieval__k="20")
    scripted(project, {"one": ranking(*project.chunks.ids)})
    (found,) = evaluate(project, answers="none").questions
    assert found.status == "found"
    assert found.items[0].in_parts


def test_a_copy_that_is_whole_in_a_chunk_that_did_not_come_holds_nothing_together(root):
    quote = "within thirty days of delivery and whatever the season or the weather of the day may be like"
    words = [f"w{n}" for n in range(120)]
    pages = {"split": f"{' '.join(words[:11])} {quote} {' '.join(words[11:40])}", "whole": f"{quote} {' '.join(words[40:120])}"}
    label = {"doc": "split", "quote": quote, "also": [{"doc": "whole", "quote": quote}]}
    project = make(root, [question("q1", "one", label)], pages, chunking__size="30", chunking__strategy="fixed")
    scripted(project, {"one": ranking("split#1", "split#2")})
    (found,) = evaluate(project, answers="none").questions
    assert (found.status, found.ranks, found.items[0].in_parts) == ("found", (2,), True)
    scripted(project, {"one": ranking("split#1", "whole#1")})
    (found,) = evaluate(project, answers="none").questions
    assert (found.ranks, found.items[0].in_parts) == ((2,), False)
