"""`ragtriage doctor`: versions, model, folders and files, then the passages; what is wrong comes with what to do."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call
from ragtriage_tui.commands.doctor_cluster import check_cluster
from ragtriage_tui.commands.doctor_corpus import corpus_lines, diagnosis_of
from ragtriage_tui.commands.doctor_system import check_system
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.model_check import Finding, check_answers, check_judge, check_reranker, not_agreed
from ragtriage_tui.plain import skipped_lines

if TYPE_CHECKING:
    from ragtriage.diagnose.diagnosis import Diagnosis
    from ragtriage.project import Project

__all__ = ["arguments", "run"]

_NOTES = 5  # on one thing, without --all


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Versions, model, folders and files; then the passages: repeated ones, numbers that differ where the text is the "
        "same, what is longer than the model reads, fragments, hubs and orphans of the questions, documents without text. "
        "Nothing is embedded. What is found in the passages is advice and leaves the exit code alone."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--all", action="store_true", help="all findings, not five of a kind")


def run(call: Call) -> int:
    from ragtriage.errors import RagtriageError

    findings = [*_versions(), *_folders()]
    skipped: list[Any] = []
    passages: Diagnosis | None = None
    try:
        project = call.project()
        findings += [Finding("ok", "project", str(project.root)), *_project(project)]
        with contextlib.suppress(RagtriageError):  # said already
            skipped = list(project.corpus.skipped)
            if skipped or project.corpus.documents:
                passages = _passages(call, project, findings)
    except RagtriageError as error:
        findings.append(Finding("wrong", "project", str(error)))
    wrong = any(finding.state == "wrong" for finding in findings)
    if call.out.json:
        rows = [finding._asdict() for finding in findings]
        out = {"format": 1, "ok": not wrong, "findings": rows, "skipped": [item._asdict() for item in skipped]}
        call.out.document({**out, "passages": passages.to_dict() if passages else None})
    else:
        marks = {"ok": "✓", "note": "!", "wrong": "✗"}
        lines = []
        for finding in findings if call.args.all else _shortened(findings):
            first, *rest = finding.says.split("\n")
            lines += [f"{marks[finding.state]} {finding.what:<12} {first}", *(f"{'':<15}{line}" for line in rest)]
        lines += skipped_lines(skipped)
        lines += corpus_lines(passages, everything=call.args.all) if passages else []
        call.out.text(*map(Marks(call.out.ascii), lines))
    return 2 if wrong else 0


def _shortened(findings: list[Finding]) -> list[Finding]:
    """The findings without the sixth and further notes on one thing: a large golden set has hundreds."""
    out, notes = [], Counter[str]()
    for finding, after in zip_longest(findings, findings[1:]):
        noted = finding.state == "note"
        notes[finding.what] += noted
        if not noted or notes[finding.what] <= _NOTES:
            out.append(finding)
        if notes[finding.what] > _NOTES and (after is None or after.what != finding.what):
            more = notes[finding.what] - _NOTES
            out.append(Finding("note", finding.what, f"… and {count(more, 'more note')}: ragtriage doctor --all"))
    return out


def _passages(call: Call, project: Project, findings: list[Finding]) -> Diagnosis | None:
    """What is found in the passages; None, with the reason among the findings, where they cannot be looked at."""
    from ragtriage.errors import RagtriageError

    if _embedding(project).state != "ok":  # a model is not fetched for this
        findings.append(Finding("note", "passages", "not looked at: they are cut by the model's tokens, and it is not here"))
        return None
    try:
        return diagnosis_of(project, call.progress())
    except RagtriageError as error:
        if all(finding.says != str(error) for finding in findings):
            findings.append(Finding("wrong", "passages", str(error)))
        return None
    finally:
        project.close()


def _versions() -> list[Finding]:
    from importlib.metadata import PackageNotFoundError, version

    python = ".".join(map(str, sys.version_info[:3]))
    found = []
    for name in ("ragtriage", "tantivy", "usearch", "numpy", "sentence-transformers", "torch", "textual"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} is missing")
    state = "wrong" if any(line.endswith("is missing") for line in found) else "ok"
    return [Finding("ok", "python", f"{python} on {sys.platform}"), Finding(state, "packages", ", ".join(found))]


def _folders() -> list[Finding]:
    from ragtriage import paths
    from ragtriage.files import is_writable

    out = []
    for name, folder in (("cache", paths.cache_dir()), ("state", paths.state_dir())):
        writable = is_writable(folder)
        size = _size(folder)
        says = (
            f"{folder} ({size / 1e6:,.0f} MB)"
            if writable
            else f"{folder} cannot be written; set RAGTRIAGE_HOME to a folder that can"
        )
        out.append(Finding("ok" if writable else "wrong", name, says))
    return out


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # removed by another process a moment ago
            continue
    return total


def _project(project: Project) -> list[Finding]:
    from ragtriage.errors import RagtriageError

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
    from ragtriage.project import NO_MODEL

    found = [_embedding(project), *not_agreed(project, "embedding", "model"), *check_system(project)]
    if project.rerank in NO_MODEL:
        found += check_reranker(project)
    elif project.rerank:
        found.append(_model("reranker", "retrieval.rerank", project.rerank, offline=project.embedding.offline))
    return found


def _embedding(project: Project) -> Finding:
    if project.config.embedding.provider != "local":
        return _server(project)
    return _model("model", "embedding.model", project.embedding.model, offline=project.embedding.offline)


def _server(project: Project) -> Finding:
    """The server that embeds, which is not asked for this, and the tokenizer that counts sizes in its place."""
    from ragtriage.errors import RagtriageError
    from ragtriage.search.encoders import tokenizer_folder
    from ragtriage.search.remote_encoder import embedding_endpoint
    from ragtriage_tui.model_names import endpoint_name

    config = project.embedding
    name = endpoint_name(embedding_endpoint(config, project.config.run))
    if config.tokenizer and not Path(config.tokenizer).is_dir():  # it is not fetched for this
        return _model("tokenizer", "embedding.tokenizer", config.tokenizer, offline=config.offline)
    try:
        return Finding("ok", "model", f"{name}; sizes are counted with the tokenizer in {tokenizer_folder(config)}")
    except RagtriageError as error:
        return Finding("wrong", "model", str(error))


def _model(what: str, key: str, name: str, *, offline: bool) -> Finding:
    from ragtriage.errors import RagtriageError
    from ragtriage.search.model_files import is_offline, local_folder, named_folder

    try:
        folder = local_folder(name, key)
        if folder is None and is_offline(offline):
            folder = named_folder(name, key, offline=True)  # says why not
    except RagtriageError as error:
        return Finding("wrong", what, str(error))
    if folder is None:
        return Finding("note", what, f"{name} is not on this machine; misspelt, or offline, it cannot be fetched when needed")
    return Finding("ok", what, f"{name} in {folder}")


def _corpus(project: Project) -> list[Finding]:
    corpus = project.corpus
    characters = sum(len(document.text) for document in corpus.documents)
    says = f"{count(len(corpus.documents), 'document')}, {count(characters, 'character')}, in {project.corpus_root}"
    out = [Finding("ok" if corpus.documents else "wrong", "corpus", says)]
    return out + [_finding("corpus", problem) for problem in corpus.problems]


def _golden(project: Project) -> list[Finding]:
    from ragtriage.errors import CorpusError
    from ragtriage.golden.lint import check
    from ragtriage.measure.label_shas import known_label_shas
    from ragtriage.triage.reviews import ReviewLog

    golden = project.golden
    kept = sum(question.split == "holdout" for question in golden.questions)
    says = f"{len(golden.questions) - kept} dev · {kept} holdout in {project.golden_path}"
    reviews = ReviewLog(project.evals / "reviews.jsonl").problems()
    problems = [*golden.problems, *project.verdicts.problems(), *reviews]
    with contextlib.suppress(CorpusError):  # said already; what the file itself tells is said all the same
        chunks = project.chunks if _embedding(project).state == "ok" else None  # a model is not fetched for this
        problems += check(golden, project.corpus, chunks, known_label_shas(project))
    out = [Finding("ok" if golden.questions else "note", "golden set", says)]
    return out + [_finding("golden set", problem) for problem in dict.fromkeys(problems)]


def _finding(what: str, problem: Any) -> Finding:
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
    ways = {True: "retrieval.headers take one from the environment: ${NAME}", False: "run.pass_env gives programs a variable"}
    found = secret_keys(project.config.as_dict(secrets=True))
    return [Finding("note", "secrets", f"{key} {says}; {ways[key.endswith('url')]}") for key in found]


def _runs(project: Project) -> list[Finding]:
    infos = project.runs.all()
    says = f"{len(infos)} in {project.runs.folder}"
    if project.read_only:
        return [Finding("note", "runs", f"{says}, because {project.root} cannot be written")]
    return [Finding("ok", "runs", says)]
