"""Two revisions of a small project: what flips, what differs, what is compared with what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.revisions.conftest import CONFIG, PAGES, QUESTIONS, Repo

from ragtriage.errors import ConfigError, Untrusted, UsageError
from ragtriage.git import Repository
from ragtriage.project import Project
from ragtriage.review.review import Review, review
from ragtriage.revisions.measuring import Asking, measure_revision
from ragtriage.revisions.naming import named


def reviewed(repo: Repo, base: str | None = None, head: str | None = None) -> Review:
    project = Project.open(repo.root)
    try:
        return review(project, base, head)
    finally:
        project.close()


def flips(found: Review) -> list[tuple[str, str]]:
    return [(flip.qid, flip.change) for flip in found.comparison.flips]


def test_an_uncommitted_edit_is_compared_with_where_the_branch_left_main(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    found = reviewed(repo)
    assert flips(found) == [("q1", "broken")]
    assert found.comparison.flips[0].rung == "corpus"
    assert found.differences.edited == ("refunds",)
    assert (found.base.name, found.head.working) == ("main", True)
    assert found.gate.outcome == "cannot-tell"  # three questions are too few


def test_nothing_differs(repo: Repo) -> None:
    found = reviewed(repo)
    assert flips(found) == []
    assert found.differences.nothing
    assert found.encoded == 0


def test_a_run_that_is_known_from_another_commit_is_called_by_this_one(repo: Repo) -> None:
    reviewed(repo)
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    found = reviewed(repo, base="HEAD")
    assert found.comparison.base.id.partition("-")[0] == repo.git("rev-parse", "HEAD")[:9]


@pytest.mark.parametrize(
    "name", ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_DIR", "GIT_INDEX_FILE"]
)
def test_what_the_environment_tells_git_counts_for_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    assert reviewed(repo).differences.nothing


def test_untracked_documents_count_and_ignored_ones_do_not(repo: Repo) -> None:
    repo.write(".gitignore", "draft*.md\n")
    repo.write("docs/new.md", "# New\n\nNobody knows me.\n")
    repo.write("docs/draft.md", "# Draft\n\nIgnored.\n")
    found = reviewed(repo)
    assert found.differences.added == ("new",)
    assert any("1 file" in note for note in found.notes)
    assert not (repo.root / ".ragtriage" / "runs").exists()  # another corpus than that of `eval`


def test_a_commit_as_head_is_measured_with_its_own_golden_set(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nYou may send goods back within 60 days.\n")
    repo.questions([{**QUESTIONS[0], "evidence": [{"doc": "refunds", "quote": "within 60 days"}]}, *QUESTIONS[1:]])
    repo.commit()
    repo.write("docs/notes.md", "# Notes\n\nNothing.\n")  # not committed: no part of it
    found = reviewed(repo, head="change")
    assert flips(found) == []
    assert found.comparison.apart.relabelled == ("q1",)
    assert found.differences.edited == ("refunds",)


def test_questions_that_the_branch_changed_stand_apart(repo: Repo) -> None:
    new = {"qid": "q4", "question": "who pays", "evidence": [{"doc": "notes"}]}
    repo.questions([QUESTIONS[0], {**QUESTIONS[1], "question": "when do the parcels leave"}, new])
    found = reviewed(repo)
    apart = found.comparison.apart
    assert (apart.new, apart.edited, apart.removed) == (("q4",), ("q2",), ("q3",))
    assert found.comparison.common == ("q1",)


def test_a_question_with_another_id_is_the_same_one(repo: Repo) -> None:
    repo.questions([{**QUESTIONS[0], "qid": "q9"}, *QUESTIONS[1:]])
    found = reviewed(repo)
    assert set(found.comparison.common) == {"q9", "q2", "q3"}
    assert not any(found.comparison.apart)


def test_each_side_has_its_own_configuration(repo: Repo) -> None:
    repo.write("ragtriage.toml", CONFIG.replace("k = 2", "k = 1") + '[chunking]\nstrategy = "whole"\n')
    found = reviewed(repo)
    assert {change.key: (change.old, change.new) for change in found.differences.config} == {
        "chunking.strategy": ("recursive", "whole"),
        "retrieval.k": (2, 1),
    }
    assert found.comparison.k_differs


def test_no_golden_set_in_the_base(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "shop").fill()
    (repo.root / "evals" / "golden.jsonl").unlink()
    repo.commit()
    repo.git("switch", "-q", "-c", "change")
    repo.questions(QUESTIONS)
    found = reviewed(repo)
    assert found.differences.labels is None
    assert len(found.comparison.common) == 3
    assert any("no golden set" in note for note in found.notes)


@pytest.mark.parametrize("head", [None, "HEAD"])
@pytest.mark.parametrize("questions", [[], [{**QUESTIONS[0], "split": "holdout"}]])
def test_a_golden_set_without_questions_is_refused_and_nothing_stored(
    repo: Repo, questions: list[dict[str, Any]], head: str | None
) -> None:
    repo.questions(questions)
    repo.commit()
    with pytest.raises(UsageError, match=r"golden\.jsonl: there is no question to measure"):
        reviewed(repo, head=head)
    assert Project.open(repo.root).runs.all() == []


def test_the_golden_set_has_another_path_now(repo: Repo) -> None:
    repo.git("mv", "evals/golden.jsonl", "evals/questions.jsonl")
    repo.write("ragtriage.toml", CONFIG + '[golden]\npath = "evals/questions.jsonl"\n')
    found = reviewed(repo)
    assert len(found.comparison.common) == 3
    assert found.differences.labels is not None
    assert not any(found.differences.labels)


def test_the_project_was_in_another_folder(repo: Repo) -> None:
    repo.write("moved/.keep", "")
    for name in ("docs", "evals", "ragtriage.toml"):
        repo.git("mv", name, "moved/")
    repo.root = repo.top / "moved"
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    found = reviewed(repo)
    assert flips(found) == [("q1", "broken")]
    assert any("the top folder" in note for note in found.notes)


def test_the_base_has_no_configuration(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "shop").fill()
    (repo.root / "ragtriage.toml").unlink()
    repo.commit()
    repo.git("switch", "-q", "-c", "change")
    repo.write("ragtriage.toml", CONFIG)
    project = Project.open(repo.root, overrides=["retrieval.mode=bm25"])
    found = review(project, overrides=["retrieval.mode=bm25"])
    assert any("no ragtriage.toml" in note for note in found.notes)
    assert [change.key for change in found.differences.config] == ["retrieval.k"]


def test_a_project_below_the_top_with_documents_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_TRUST", "1")
    repo = Repo(tmp_path / "mono", project="tools/rag").fill()
    for name in PAGES:
        (repo.root / "docs" / name).rename(repo.top / name)
    (repo.top / "pages").mkdir()
    for name in PAGES:
        (repo.top / name).rename(repo.top / "pages" / name)
    repo.write("ragtriage.toml", CONFIG + '[corpus]\npath = "../../pages"\n')
    repo.commit()
    repo.git("switch", "-q", "-c", "change")
    (repo.top / "pages" / "refunds.md").write_text("# Refunds\n\nWrite to us.\n", encoding="utf-8")
    assert flips(reviewed(repo)) == [("q1", "broken")]


def test_documents_outside_the_repository_are_today_s_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_TRUST", "1")
    repo = Repo(tmp_path / "shop").fill()
    (repo.root / "docs").rename(tmp_path / "elsewhere")
    repo.write("ragtriage.toml", CONFIG + '[corpus]\npath = "../elsewhere"\n')
    repo.commit()
    repo.git("switch", "-q", "-c", "change")
    found = reviewed(repo)
    assert any("outside the repository" in note for note in found.notes)
    assert len(found.comparison.common) == 3
    repo.write("ragtriage.toml", CONFIG)
    for name, text in PAGES.items():
        repo.write(f"docs/{name}", text)
    with pytest.raises(UsageError, match="lie outside the repository"):
        reviewed(repo)


def test_a_revision_without_documents(repo: Repo) -> None:
    repo.git("rm", "-q", "-r", "docs")
    empty = repo.commit()
    for name, text in PAGES.items():
        repo.write(f"docs/{name}", text)
    with pytest.raises(UsageError, match="has no documents in docs"):
        reviewed(repo, base=empty)


def test_a_configuration_that_does_not_read(repo: Repo) -> None:
    repo.write("ragtriage.toml", "[chunkin]\nsize = 3\n")
    broken = repo.commit()
    repo.write("ragtriage.toml", CONFIG)
    with pytest.raises(ConfigError, match=rf"{broken[:9]}:ragtriage.toml:1: chunkin: unknown table"):
        reviewed(repo, base=broken)


def test_a_second_review_measures_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragtriage.revisions import measuring

    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    first = reviewed(repo)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("measured again")

    monkeypatch.setattr(measuring, "evaluate", refuse)
    second = reviewed(repo)
    assert [flip[:6] for flip in second.comparison.flips] == [flip[:6] for flip in first.comparison.flips]
    assert second.differences == first.differences


def test_a_run_of_one_revision(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    project = Project.open(repo.root)
    repository = Repository.of(repo.root)
    run = measure_revision(project, repository, named(repository, "main"), Asking("none"), golden=project.golden).run
    assert [question.status for question in run.questions] == ["found"] * 3
    assert run.manifest["revision"]["name"] == "main"
    assert not (repo.root / ".ragtriage").exists()


def test_a_chunk_label_that_names_another_text_is_scored_by_document(tmp_path: Path) -> None:
    page = (
        "# Page\n\n" + "\n\n".join(f"Word{number} is explained here in some words of its own." for number in range(40)) + "\n"
    )
    repo = Repo(tmp_path / "shop").fill()
    repo.write("docs/page.md", page)
    repo.questions([{"qid": "q1", "question": "what is word3", "relevant_chunk_ids": ["page#1"]}, *QUESTIONS[1:]])
    repo.commit()
    repo.git("switch", "-q", "-c", "change")
    repo.write("ragtriage.toml", CONFIG + "[chunking]\nsize = 30\n")
    found = reviewed(repo)
    assert found.comparison.stale == ("q1",)
    assert "q1" not in dict(flips(found))


def test_what_a_model_would_be_asked_is_not_asked_and_its_program_does_not_run(repo: Repo) -> None:
    ran = repo.top / "ran"
    program = f'#!/bin/sh\ntouch "{ran}"\necho yes\n'
    repo.write("answer.sh", program).chmod(0o755)
    repo.questions([{**one, "answer_must_mention": ["yes"]} for one in QUESTIONS])
    repo.write("ragtriage.toml", CONFIG + '[answers]\ngenerator = "command"\ncommand = ["./answer.sh"]\n')
    hostile = repo.commit()
    repo.write("ragtriage.toml", CONFIG)
    found = reviewed(repo, base=hostile)
    assert not ran.exists()
    assert len(found.comparison.common) == 3
    assert any("nobody has agreed to its answers" in note for note in found.notes)
    project = Project.open(repo.root)
    with pytest.raises(Untrusted, match=f"^{repo.root.resolve()}: its configuration would do what you have not agreed to"):
        review(project, hostile, asking=Asking("live", lambda *_: None))
    assert not ran.exists()


def test_bad_lines_of_a_commit_s_golden_set_are_named_by_the_commit(repo: Repo) -> None:
    golden = (repo.root / "evals" / "golden.jsonl").read_text(encoding="utf-8")
    repo.write("evals/golden.jsonl", golden + "not json\n")
    commit = repo.commit()
    found = reviewed(repo, head=commit)
    (problem,) = found.golden.problems
    assert str(problem).startswith(f"{commit[:9]}:evals/golden.jsonl:4: not JSON")
    assert found.gate.outcome == "cannot-tell"
    assert "evals/golden.jsonl: 1 line cannot be used" in found.gate.reasons[0]
