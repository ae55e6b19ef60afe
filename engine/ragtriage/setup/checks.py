"""What `ragtriage doctor` looks at before the passages."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ragtriage.errors import CorpusError, Problem, RagtriageError
from ragtriage.setup.cluster import check_cluster
from ragtriage.setup.embedding import check_embedding, check_model
from ragtriage.setup.findings import Finding, counted, not_agreed
from ragtriage.setup.machine import check_machine
from ragtriage.setup.models import check_answers, check_judge, check_reranker
from ragtriage.setup.system import check_system

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["check_project", "check_setup"]


def check_setup(project: Project) -> list[Finding]:
    """Versions, folders, models, servers, files and settings, each with its state and, where it is wrong, what to do.

    Nothing is fetched or embedded, and nothing is sent: a server on this machine and a cluster are connected to where the user
    has agreed to that. What cannot be read or found is a finding, not an error. The passages are for `diagnose_project`.
    """
    return [*check_machine(), Finding("ok", "project", str(project.root)), *check_project(project)]


def check_project(project: Project) -> list[Finding]:
    """`check_setup` without the machine. What raises in one part is a finding; the other parts are looked at all the same."""
    parts = {
        "config": _config, "models": _models, "cluster": check_cluster, "answers": check_answers, "judge": check_judge,
        "corpus": _corpus, "golden set": _golden, "runs": _runs, "trust": _trust, "secrets": _secrets,
    }  # fmt: skip
    out: list[Finding] = []
    for what, look in parts.items():
        try:
            out += look(project)
        except RagtriageError as error:  # the other parts are looked at all the same
            if all(finding.says != str(error) for finding in out):
                out.append(Finding("wrong", what, str(error)))
    return out


def _config(project: Project) -> list[Finding]:
    source = project.config.source
    return [Finding("ok", "config", str(source) if source else "none, all defaults")]


def _models(project: Project) -> list[Finding]:
    """The embedding model, which also counts tokens in mode bm25, and the reranker; nothing is fetched."""
    from ragtriage.project_places import NO_MODEL

    found = [check_embedding(project), *not_agreed(project, "embedding", "model"), *check_system(project)]
    if project.rerank in NO_MODEL:
        found += check_reranker(project)
    elif project.rerank:
        found.append(check_model("reranker", "retrieval.rerank", project.rerank, offline=project.embedding.offline))
    return found


def _corpus(project: Project) -> list[Finding]:
    corpus = project.corpus
    characters = sum(len(document.text) for document in corpus.documents)
    says = f"{counted(len(corpus.documents), 'document')}, {counted(characters, 'character')}, in {project.corpus_root}"
    out = [Finding("ok" if corpus.documents else "wrong", "corpus", says)]
    return out + [_finding("corpus", problem) for problem in corpus.problems]


def _golden(project: Project) -> list[Finding]:
    from ragtriage.golden.lint import check
    from ragtriage.measure.label_shas import known_label_shas
    from ragtriage.triage.reviews import ReviewLog

    golden = project.golden
    kept = sum(question.split == "holdout" for question in golden.questions)
    says = f"{len(golden.questions) - kept} dev · {kept} holdout in {project.golden_path}"
    reviews = ReviewLog(project.evals / "reviews.jsonl").problems()
    problems = [*golden.problems, *project.verdicts.problems(), *reviews]
    with contextlib.suppress(CorpusError):  # said already; what the file itself tells is said all the same
        chunks = project.chunks if check_embedding(project).state == "ok" else None  # a model is not fetched for this
        problems += check(golden, project.corpus, chunks, known_label_shas(project))
    out = [Finding("ok" if golden.questions else "note", "golden set", says)]
    return out + [_finding("golden set", problem) for problem in dict.fromkeys(problems)]


def _finding(what: str, problem: Problem) -> Finding:
    return Finding("wrong" if problem.severity == "error" else "note", what, str(problem))


def _trust(project: Project) -> list[Finding]:
    """Which settings need the user's word, each named; all of what they would do is for `ragtriage trust` to show."""
    from ragtriage.trust import is_given, what_it_would_do

    if is_given(project.trusted):
        return []
    pending = what_it_would_do(project).pending
    keys = sorted({key for one in pending if not one.keys <= project.typed for key in one.keys})
    return [Finding("note", "trust", f"your word is needed for {', '.join(keys)}: ragtriage trust")] if keys else []


def _secrets(project: Project) -> list[Finding]:
    """Settings that hold what looks like a secret, which a repository should not; it is not shown."""
    from ragtriage.secret_texts import secret_keys

    says = "holds what looks like a secret, which everybody can read who has the file"
    ways = {True: "run.pass_env gives programs a variable", False: "retrieval.headers take one from the environment: ${NAME}"}
    found = secret_keys(project.config.as_dict(secrets=True))
    return [Finding("note", "secrets", f"{key} {says}; {ways[key.endswith('command')]}") for key in found]


def _runs(project: Project) -> list[Finding]:
    infos = project.runs.all()
    says = f"{len(infos)} in {project.runs.folder}"
    if project.read_only:
        return [Finding("note", "runs", f"{says}, because {project.root} cannot be written")]
    return [Finding("ok", "runs", says)]
