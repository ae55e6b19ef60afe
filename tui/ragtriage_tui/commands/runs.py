"""`ragtriage runs list|show|export|prune`: what was measured before."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, number
from ragtriage_tui.naming import config_name, scope, setting
from ragtriage_tui.newest_run import calibration_at, named_run, texts_of
from ragtriage_tui.plain import report_lines
from ragtriage_tui.problems import say_problems
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.measure.runs import RunInfo
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("list", "show", "export", "prune"), default="list")
    parser.add_argument(
        "run", nargs="?", metavar="RUN", help="a run's id, its beginning, or latest, the newest complete one (the default)"
    )
    parser.add_argument("--to", metavar="FILE", help="export: write there instead of to standard output")
    parser.add_argument(
        "--format",
        choices=("json", "run", "qrels"),
        default="json",
        help="export: json (the default); run, what was ranked, and qrels, where the evidence lies, as TREC has them "
        "(a FILE that ends in .csv: as a table)",
    )
    parser.add_argument("--by", choices=("document", "chunk"), default="document", help="export --format run: what is ranked")
    parser.add_argument("--keep", type=int, metavar="N", help="prune: how many of the newest stay (default: [run] keep)")


def run(call: Call) -> int:
    project = call.project()
    action = {"list": _list, "show": _show, "export": _export, "prune": _prune}[call.args.action]
    return action(call, project)


def _list(call: Call, project: Project) -> int:
    infos = project.runs.all()
    if call.out.json:
        call.out.document({"format": 1, "runs": [_summary(info, infos[0]) for info in infos]})
        return 0
    if not infos:
        call.out.text("No runs yet. ragtriage eval measures.")
        return 0
    lines = [f"{'run':<26}{'questions':>12}{'recall':>17}{'mrr':>8}  configuration"]
    newest = infos[0].manifest
    for info in infos:
        manifest = info.manifest
        name = f"recall@{manifest['k']}"
        told = [
            *_unmeasured(manifest),
            *scope(manifest),
            *_asked(manifest),
            *_read_elsewhere(manifest, project),
            *_other_texts(manifest, newest),
        ]
        apart = " · ".join([config_name(manifest["config"]), *told])
        note = f"  {one_line(manifest['note'])}" if manifest.get("note") else ""
        recall = f"{name} {number(manifest['metrics'][name]['value'])}"
        measured = f"{_measured(manifest)} of " if manifest.get("failed") else ""
        figures = f"{measured + str(manifest['questions']):>12}{recall:>17}{number(manifest['metrics']['mrr']['value']):>8}"
        lines.append(f"{info.id:<26}{figures}  {apart}{note}")
    call.out.text(*map(Marks(call.out.ascii), lines))
    return 0


def _measured(manifest: Mapping[str, Any]) -> int:
    return int(manifest["questions"]) - int(manifest.get("failed") or 0)


def _unmeasured(manifest: Mapping[str, Any]) -> list[str]:
    """Its figures are those of the questions that are left, which may be the easy ones."""
    return [f"! {failed} could not be measured: does not compare"] if (failed := manifest.get("failed")) else []


def _asked(manifest: Mapping[str, Any]) -> list[str]:
    """What a language model was asked for this run, and what it was not: such a run has fewer answers than another."""
    told = []
    generator, judge = manifest.get("generator") or {}, manifest.get("judge") or {}
    if generator.get("asked"):
        told.append(f"{generator['asked']:,} answers asked")
    if unasked := generator.get("unasked"):
        told.append(f"{unasked['requests']:,} answers not asked for")
    if judge.get("asked"):
        told.append(f"{judge['asked']:,} judgements asked")
    return told


def _read_elsewhere(manifest: Mapping[str, Any], project: Project) -> list[str]:
    """What of the corpus and the golden set was configured in another way than it is now."""
    now = project.config.as_dict()
    return [
        setting(f"{table}.{key}", value)
        for table in ("corpus", "golden")
        for key, value in manifest["config"].get(table, {}).items()
        if value != now[table].get(key)
    ]


def _other_texts(manifest: Mapping[str, Any], newest: Mapping[str, Any]) -> list[str]:
    """Whether questions or documents were others than in the newest run: then the figures do not compare."""
    says = {"golden": "other golden set", "corpus": "other documents"}
    before, now = manifest["fingerprints"], newest["fingerprints"]
    return [text for name, text in says.items() if before[name] != now[name]]


def _summary(info: RunInfo, newest: RunInfo) -> dict[str, Any]:
    """`comparable`: all of the questions and documents of the newest run, and each of them measured."""
    manifest = info.manifest
    same = not _other_texts(manifest, newest.manifest)
    named = (
        "at", "k", "split", "kind", "only", "answers_made", "as", "partial", "note", "questions", "failed", "config",
        "fingerprints", "metrics", "generator", "judge",
    )  # fmt: skip
    return {
        "run": info.id,
        **{name: manifest.get(name) for name in named},
        "measured": _measured(manifest),
        "comparable": same and not manifest.get("failed") and not manifest.get("partial"),
    }


def _show(call: Call, project: Project) -> int:
    from ragtriage.measure.report import relabelled_means, to_json
    from ragtriage_tui.judge_lines import calibrated_json

    stored = project.runs.load(named_run(call, project, clean(call.args.run or "latest")))
    verdicts = project.verdicts.current()
    problems: list[Problem] = []
    calibration = calibration_at(project, stored, problems)
    if call.out.json:
        call.out.document({**to_json(stored, verdicts), "calibration": calibrated_json(stored, calibration)})
        return say_problems(call, problems)
    texts = texts_of(project)
    without = relabelled_means(stored.questions, verdicts, int(stored.manifest["k"]))
    lines = report_lines(stored, texts, verdicts, without_bad_labels=without, calibration=calibration)
    call.out.text(*map(Marks(call.out.ascii), lines))
    return say_problems(call, problems)


def _export(call: Call, project: Project) -> int:
    """The manifest with the questions of the run as one JSON document; or its rankings or judgements as TREC has them."""
    from ragtriage.errors import UsageError
    from ragtriage.files import atomic_write
    from ragtriage.measure.report import to_json
    from ragtriage.measure.run_files import export_run
    from ragtriage_tui.output import encode_json, print_bytes

    args = call.args
    if args.format != "json" and args.json and args.to is None:
        raise UsageError("--to FILE: --json tells what was written; where to?")
    if args.format == "qrels" and args.by == "chunk":
        raise UsageError("--by chunk: evidence lies in documents, however they are cut")
    stored = project.runs.load(named_run(call, project, clean(args.run or "latest")))
    target = Path(args.directory or ".") / args.to if args.to is not None else None
    if args.format != "json":
        data = export_run(project, stored, args.format, by=args.by, suffix="" if target is None else target.suffix)
        if target is None:
            print_bytes(call.out, data)
            return 0
    else:
        document = to_json(stored, project.verdicts.current())
        if target is None:
            call.out.document(document)
            return 0
        data = (encode_json(document) + "\n").encode()
    atomic_write(target, data)
    if call.out.json:
        call.out.document({"format": 1, "run": stored.id, "written": str(target)})
    else:
        call.out.text(f"wrote {stored.id} to {target}")
    return 0


def _prune(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.measure.named_runs import named_runs

    call.must_write()
    keep = project.config.run.keep if call.args.keep is None else call.args.keep
    if keep < 0:
        raise UsageError("--keep: at least 0")
    removed = project.runs.prune(keep, protected=named_runs(project))
    left = len(project.runs.all())
    if call.out.json:
        call.out.document({"format": 1, "removed": removed, "left": left})
    else:
        call.out.text(*(f"removed {name}" for name in removed), f"{len(removed)} removed, {left} left")
    return 0
