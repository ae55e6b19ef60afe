"""`ragtriage compare`: two stored runs as text and as JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.tui.conftest import QUESTIONS, Command

from ragtriage_tui.text import width

KEYS = {
    "format", "outcome", "reasons", "base", "head", "k_differs", "questions", "metrics", "flips", "apart", "renamed", "stale",
    "regraded", "encoded",
}  # fmt: skip
METRIC_KEYS = {"base", "head", "change", "tolerance", "p", "interval", "n", "failed_base", "failed_head", "split"}
FLIP_KEYS = {
    "qid", "change", "half", "base_rank", "head_rank", "rung", "rung_base", "rung_head", "because", "base", "head",
}  # fmt: skip
APART_KEYS = {"new", "edited", "relabelled", "removed", "only_base", "only_head", "unknown"}


def runs_of(project: Path) -> list[Path]:
    """The oldest first: ids of one second are in no order."""
    return sorted(
        (project / ".ragtriage" / "runs").iterdir(), key=lambda run: str(json.loads((run / "run.json").read_text())["at"])
    )


def edit_golden(project: Path, *questions: dict[str, object]) -> None:
    text = "".join(json.dumps(question) + "\n" for question in questions)
    (project / "evals" / "golden.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def broken(project: Path, ragtriage: Command) -> Path:
    """Two runs: in the second one the page that q001 needs has lost its words to another page."""
    assert ragtriage("eval").code == 0
    page = project / "docs" / "errors.md"
    page.write_text(page.read_text(encoding="utf-8").replace("the card was declined", "it failed"), encoding="utf-8")
    assert ragtriage("eval").code == 0
    return project


def test_what_broke_is_named_with_its_rung(broken: Path, ragtriage: Command) -> None:
    done = ragtriage("compare", "--json")
    assert done.code == 0
    document = done.json
    assert document.keys() == KEYS
    assert (document["outcome"], document["encoded"], document["k_differs"]) == (None, 0, False)
    assert all(metric.keys() == METRIC_KEYS for metric in document["metrics"].values())
    assert document["apart"].keys() == APART_KEYS
    (flip,) = document["flips"]
    assert flip.keys() == FLIP_KEYS
    assert (flip["qid"], flip["change"], flip["half"], flip["rung"]) == ("q002", "broken", "retrieval", "corpus")
    assert (flip["base_rank"], flip["head_rank"]) == (1, None)
    assert flip["because"] == "the quote is no longer in its document"
    shown = ragtriage("compare")
    assert "1 broken · 0 fixed · 0 moved · 3 the same, of 4 in both" in shown.out
    assert "✗ q002              1 → –      corpus" in shown.out
    assert "the quote is no longer in its document" in shown.out
    assert all(width(line) <= 80 for line in shown.out.splitlines())


def test_the_other_way_round_it_was_fixed(broken: Path, ragtriage: Command) -> None:
    base, head = (path.name for path in runs_of(broken))
    there = ragtriage("compare", base, head, "--json").json
    back = ragtriage("compare", head, base, "--json").json
    assert [flip["change"] for flip in back["flips"]] == ["fixed"]
    assert back["metrics"]["recall@2"]["change"] == -there["metrics"]["recall@2"]["change"]


def test_a_run_with_itself(broken: Path, ragtriage: Command) -> None:
    done = ragtriage("compare", "latest", "latest")
    assert (done.code, done.err) == (0, "")
    assert "0 broken · 0 fixed · 0 moved · 4 the same, of 4 in both" in done.out
    assert "recall@2      0.333  0.333   0.000" in done.out


def test_two_times_the_same_bytes(broken: Path, ragtriage: Command) -> None:
    assert ragtriage("compare", "--json").out == ragtriage("compare", "--json").out
    assert ragtriage("compare").out == ragtriage("compare").out


def test_questions_that_are_others_stand_apart(project: Path, ragtriage: Command) -> None:
    ragtriage("eval")
    q1, q2, _, q4, q5 = QUESTIONS
    other = {"doc": "shipping", "quote": "Parcels leave the warehouse on the next working day."}
    edit_golden(project, {**q1, "question": "how long"}, {**q2, "evidence": [other]}, {**q4, "qid": "moon"}, q5,
                {"qid": "new", "question": "who are you"})  # fmt: skip
    ragtriage("eval")
    document = ragtriage("compare", "--json").json
    found = {name: qids for name, qids in document["apart"].items() if qids}
    assert found == {"new": ["new"], "edited": ["q001"], "relabelled": ["q002"], "removed": ["q003"]}
    assert document["renamed"] == [{"was": "q004", "qid": "moon"}]
    assert document["flips"] == []
    assert document["metrics"]["mrr"]["split"]["labels"] < 0
    assert document["metrics"]["mrr"]["split"]["retriever"] == 0
    shown = ragtriage("compare").out
    assert "apart: 1 with other labels: q002" in shown
    assert "labels -1.000, retriever 0.000" in shown
    (project / "evals" / "golden.jsonl").write_text("{\n", encoding="utf-8")  # the runs are still there
    assert ragtriage("compare").code == 0


def test_new_labels_are_scored_on_the_old_rankings(project: Path, ragtriage: Command) -> None:
    ragtriage("eval")
    q1, *others = QUESTIONS
    edit_golden(project, {**q1, "evidence": [{"doc": "refunds"}]}, *others)  # coarser, and found where the quote was
    ragtriage("eval")
    split = ragtriage("compare", "--json").json["metrics"]["mrr"]["split"]
    assert (split["labels"], split["retriever"], split["relabelled"]) == (0, 0, 1)


def test_partial_runs_lack_nothing(project: Path, ragtriage: Command) -> None:
    ragtriage("eval")
    ragtriage("eval", "--only", "q001")
    ids = [path.name for path in runs_of(project)]
    document = ragtriage("compare", *ids, "--json").json
    assert {name: qids for name, qids in document["apart"].items() if qids} == {"only_base": ["q002", "q003", "q004"]}
    assert "measured in the base alone" in ragtriage("compare", *ids).out


def test_nothing_in_common_cannot_tell(project: Path, ragtriage: Command) -> None:
    ragtriage("eval", "--only", "q001")
    ragtriage("eval", "--only", "q002")
    done = ragtriage("compare", *(path.name for path in runs_of(project)))
    assert done.code == 3
    assert "no question is the same in both runs" in done.out
    assert "nan" not in done.out


def test_where_nothing_changed_no_metric_has_an_interval(project: Path, ragtriage: Command) -> None:
    ragtriage("eval")
    metrics = ragtriage("compare", "latest", "latest", "--json").json["metrics"]
    tested = {name: one for name, one in metrics.items() if one["p"] is not None}
    assert {"recall@2", "hit@2", "mrr"} <= tested.keys()
    assert all(one["p"] == 1.0 and one["interval"] is None for one in tested.values())
    shown = ragtriage("compare", "latest", "latest").out
    assert shown.count("no change seen") == len(tested)


def test_another_k_is_said(project: Path, ragtriage: Command) -> None:
    ragtriage("eval")
    ragtriage("eval", "--k", "1")
    assert ragtriage("compare", "--json").json["k_differs"] is True
    assert "k differs, 2 and 1" in ragtriage("compare").out


def test_a_partial_run_is_passed_over_and_that_is_said(project: Path, ragtriage: Command) -> None:
    ragtriage("eval")
    ragtriage("eval", "--k", "1")
    whole = ragtriage("compare", "--json")
    assert whole.err == ""
    ragtriage("eval", "--only", "q001")
    partial = ragtriage("runs", "--json").json["runs"][0]["run"]
    said = f"{partial} is newer and partial: it is passed over, and named by its id alone\n"
    again = ragtriage("compare", "--json")
    assert (again.json["head"]["run"], again.err) == (whole.json["head"]["run"], said)
    shown = ragtriage("runs", "show", "latest", "--json")
    assert (shown.json["run"], shown.err) == (whole.json["head"]["run"], said)
    by_id = ragtriage("runs", "show", partial, "--json")
    assert (by_id.json["run"], by_id.err) == (partial, "")
    assert ragtriage("show", "q001", "--against", "latest").err == said


def test_runs_that_are_not_there(project: Path, ragtriage: Command) -> None:
    none = ragtriage("compare")
    assert none.code == 2
    assert "no run yet" in none.err
    ragtriage("eval")
    assert ragtriage("compare").err == f"ragtriage: latest~1: there is only 1 run in {project}/.ragtriage/runs\n"
    wrong = ragtriage("compare", "nothing", "latest")
    assert (wrong.code, "nothing: no such run" in wrong.err) == (2, True)
    odd = ragtriage("compare", b"\xff", "latest")
    assert (odd.code, "Traceback" in odd.err) == (2, False)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (b"", "0 fixed"),
        (b"{", "cannot be read"),
        (b"[1]\n", "cannot be read"),
        (b'{"qid": "q001"}\n', "cannot be read"),
        (b"\xff\xfe\n", "cannot be read"),
    ],
)
def test_a_damaged_run(broken: Path, ragtriage: Command, damage: bytes, says: str) -> None:
    (runs_of(broken)[-1] / "questions.jsonl").write_bytes(damage)
    done = ragtriage("compare")
    assert says in done.out + done.err
    assert done.code in (2, 3)
    assert "Traceback" not in done.err
    assert done.err.count("\n") <= 1


@pytest.mark.parametrize(
    "change",
    [
        {"ranks": 1, "ladder": [{}]}, {"status": "great"}, {"status": None}, {"needs": 7}, {"suggested": ["x"]}, {"qid": None},
        {"rr": "high"}, {"identity": 5}, {"unanswered": 3}, {"live": {"text": 1}}, {"ladder": {}}, {"reason": {}},
    ],
)  # fmt: skip
def test_a_question_that_somebody_edited(broken: Path, ragtriage: Command, change: dict[str, object]) -> None:
    path = runs_of(broken)[-1] / "questions.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **change}), *rest]) + "\n", encoding="utf-8")
    for words in (("compare",), ("compare", "--json")):
        done = ragtriage(*words)
        assert (done.code in (0, 2, 3), "Traceback" in done.err, "unexpected" in done.err) == (True, False, False), done.err


@pytest.mark.parametrize("change", [{"k": "two"}, {"k": None}, {"config": 7}, {"fingerprints": []}, {"only": 3}, {"note": 5}])
def test_a_manifest_that_somebody_edited(broken: Path, ragtriage: Command, change: dict[str, object]) -> None:
    path = runs_of(broken)[-1] / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **change}), encoding="utf-8")
    for words in (("compare",), ("compare", "--json")):
        done = ragtriage(*words)
        assert (done.code in (0, 2, 3), "Traceback" in done.err, "unexpected" in done.err) == (True, False, False), done.err


def test_a_run_of_an_older_version_does_not_say_which_question_it_asked(broken: Path, ragtriage: Command) -> None:
    path = runs_of(broken)[0] / "questions.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        del line["identity"]
        for item in line["ladder"]:
            del item["stages"], item["in_parts"], item["doc_rank"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert [flip["qid"] for flip in ragtriage("compare", "--json").json["flips"]] == ["q002"]  # the golden set is the same
    manifest = runs_of(broken)[0] / "run.json"
    value = json.loads(manifest.read_bytes())
    value["fingerprints"]["golden"] = "another"
    manifest.write_text(json.dumps(value), encoding="utf-8")
    done = ragtriage("compare")
    assert done.code == 3
    assert "measured by a version that does not say" in " ".join(done.out.split())


def test_hostile_ids_and_texts_stay_in_their_row(project: Path, ragtriage: Command) -> None:
    evil = "[/red] \x1b]52;c;aGk=\x07 \u202e 漢字 " * 4
    edit_golden(project, {**QUESTIONS[1], "qid": evil, "question": evil + "ERR_4021"})
    ragtriage("eval")
    (project / "docs" / "errors.md").unlink()
    ragtriage("eval")
    done = ragtriage("compare", "--ascii")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "1 broken" in done.out
    assert all(width(line) <= 80 for line in done.out.splitlines())
    assert "→" not in done.out


def test_it_writes_nothing(broken: Path, ragtriage: Command) -> None:
    before = {path: path.stat().st_mtime_ns for path in broken.rglob("*")}
    assert ragtriage("compare").code == 0
    assert {path: path.stat().st_mtime_ns for path in broken.rglob("*")} == before


def test_a_run_of_another_project(broken: Path, ragtriage: Command) -> None:
    """Copied by hand: nothing is the same question, and the names are said."""
    path = runs_of(broken)[-1]
    other = path.with_name("29990101T000000Z-00000000")
    shutil.copytree(path, other)
    manifest = json.loads((other / "run.json").read_bytes())
    manifest |= {"project": "elsewhere", "at": "2999-01-01T00:00:00Z", "fingerprints": {"golden": "another"}}
    (other / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = (other / "questions.jsonl").read_text(encoding="utf-8")
    (other / "questions.jsonl").write_text(lines.replace('"qid":"q0', '"qid":"x0').replace('"identity":"', '"identity":"9'),
                                           encoding="utf-8")  # fmt: skip
    done = ragtriage("compare")
    assert done.code == 3
    assert "folders of different names: handbook and elsewhere" in done.out


def test_one_question_against_a_stored_run(broken: Path, ragtriage: Command) -> None:
    first = runs_of(broken)[0].name
    for name in ("latest~1", first, first[:21]):
        document = ragtriage("show", "q002", "--against", name, "--json").json
        assert document["against"] == first
        assert (document["flip"]["change"], document["flip"]["rung"]) == ("broken", "corpus")
    shown = ragtriage("show", "q002", "--against", "latest~1")
    assert shown.code == 0
    assert "✗ q002              1 → –      corpus" in shown.out
    assert "── base ──\n\n✓ evidence at 1, k = 2\n       bm25 1\n" in shown.out
    assert "= the same on both sides" in ragtriage("show", "q001", "--against", "latest").out
    gone = ragtriage("show", "q005", "--against", "latest")
    assert (gone.code, gone.err) == (2, f"ragtriage: {runs_of(broken)[1].name}: this run did not measure q005\n")
    assert ragtriage("show", "q001", "--against", "latest~9").code == 2
    assert ragtriage("show", "q001", "--against", "20990101T").code == 2
