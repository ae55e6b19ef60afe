"""`ragtriage eval --qrels FILE --run FILE`: a run file scored against a file of judgements. No project is opened."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean, listed

if TYPE_CHECKING:
    from ragtriage.interchange.scoring import FileScores

__all__ = ["arguments", "asked_for", "run"]

_OURS = ("ties", "complete", "level", "depth", "metrics", "per_query")
_OF_PROJECTS = (
    "mode", "only", "failing", "kind", "answers", "split_tax", "repeat", "yes", "note", "rehash", "set", "groups",
)  # fmt: skip
_HEADLINE = ("recall@5", "ndcg@10", "mrr")


def arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files alone, by trec_eval's rules")
    group.add_argument(
        "--run",
        action=_Once,
        metavar="FILE",
        help="score this run (TREC, or question, document, score or rank) against --qrels or PATH",
    )
    group.add_argument(
        "--ties",
        choices=("trec_eval", "ours"),
        help="equal scores: by descending document id (trec_eval), or as ragtriage ranks",
    )
    group.add_argument("--complete", action="store_true", help="judged questions that the run lacks count 0 (trec_eval -c)")
    group.add_argument("--level", type=int, metavar="N", help="the grade from which a document is relevant (trec_eval -l)")
    group.add_argument("--depth", type=int, metavar="N", help="only the first N of each question (trec_eval -M)")
    group.add_argument("--metrics", metavar="M,…", help="only these, by ragtriage's name or trec_eval's")
    group.add_argument("--per-query", action="store_true", help="the values of each question, too (trec_eval -q)")


class _Once(argparse.Action):
    """An option whose second value would silently take the place of the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string}: given twice; one run is scored at a time")
        setattr(namespace, self.dest, values)


def asked_for(call: Call) -> bool:
    """Whether files are to be scored. Raises UsageError where options of that and of a project are mixed."""
    from ragtriage.errors import UsageError

    args = call.args
    if args.run is None:
        if alone := [name for name in _OURS if getattr(args, name) is not None and getattr(args, name) is not False]:
            raise UsageError(f"{_option(alone[0])}: is for scoring a file; which? --run FILE")
        return False
    odd = [name for name in _OF_PROJECTS if getattr(args, name)] + (["split"] if args.split != "dev" else [])
    if odd:
        raise UsageError(f"{_option(odd[0])}: is for a project; --run scores files alone")
    return True


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.interchange.measures import file_metrics, parse_measure
    from ragtriage.interchange.scoring import Rules, score_files

    args = call.args
    here = Path(args.directory or ".")
    if args.qrels is not None and args.path is not None:
        raise UsageError(f"{args.path}: --qrels names the judgements already; one run is scored at a time")
    qrels = args.qrels if args.qrels is not None else args.path
    if qrels is None:
        raise UsageError("--run: against which judgements? --qrels FILE, or the PATH of a BEIR folder")
    k = _k(args.k)
    asked = listed(args.metrics) if args.metrics is not None else []
    metrics = tuple(dict.fromkeys(parse_measure(name, k=k) for name in asked)) if asked else file_metrics(k)
    rules = Rules(args.ties or "trec_eval", args.complete, 1 if args.level is None else args.level, args.depth)
    scores = score_files(here / clean(qrels), here / clean(args.run), metrics=metrics, rules=rules)
    if call.out.json:
        call.out.document(_document(scores, clean(qrels), clean(args.run), per_query=args.per_query))
    else:
        from ragtriage_tui.figures import Marks

        call.out.text(*map(Marks(call.out.ascii), _lines(scores, per_query=args.per_query)))
    call.out.say(*map(str, scores.problems))
    return 2 if any(problem.severity == "error" for problem in scores.problems) else 0


def _option(name: str) -> str:
    return "--as" if name == "groups" else f"--{name.replace('_', '-')}"


def _k(text: str | None) -> int:
    from ragtriage.errors import UsageError

    if text is None:
        return 5
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:7]) < 1_000_000 and len(text) < 7):
        raise UsageError(f"--k: a whole number from 1, not {text}")
    return int(text)


def _document(scores: FileScores, qrels: str, run_file: str, *, per_query: bool) -> dict[str, Any]:
    from ragtriage.interchange.measures import trec_name

    names = [repr(metric) for metric in scores.metrics]
    means = scores.means
    out: dict[str, Any] = {
        "format": 1,
        "qrels": qrels,
        "run": run_file,
        "rules": scores.rules._asdict(),
        "questions": len(scores.questions),
        "missing": list(scores.missing),
        "unknown": scores.unknown,
        "unanswerable": scores.unanswerable,
        "repeated": scores.repeated,
        "lines": scores.lines,
        "judgements": scores.judgements,
        "metrics": {
            name: {"value": means[name], "n": len(scores.questions), "trec_eval": trec_name(metric) or None}
            for name, metric in zip(names, scores.metrics, strict=True)
        },
        "problems": [str(problem) for problem in scores.problems],
    }
    if per_query:
        out["per_question"] = [
            {**one._asdict(), "values": dict(zip(names, one.values, strict=True))} for one in scores.questions
        ]
    return out


def _lines(scores: FileScores, *, per_query: bool) -> list[str]:
    from ragtriage.interchange.measures import trec_name
    from ragtriage_tui.figures import count

    judged, listed = scores.forms
    means = scores.means
    lines = [
        f"{count(len(scores.questions), 'question')} · run: {count(scores.lines, 'line')} ({listed}) · "
        f"judgements: {scores.judgements:,} ({judged})",
        *_rules(scores),
        "",
        f"{'measure':<14}{'value':>8}   trec_eval",
    ]
    for metric in scores.metrics:
        lines.append(f"{metric!r:<14}{means[repr(metric)]:>8.4f}   {trec_name(metric) or '–'}")
    return [*lines, "", *_table(scores)] if per_query else lines


def _rules(scores: FileScores) -> list[str]:
    """What was left out, and what counts how, as far as it matters here."""
    from ragtriage_tui.figures import count, some

    rules, missing = scores.rules, scores.missing
    told = []
    if rules.ties == "ours":
        told.append("equal scores as ragtriage ranks them: at six decimals, by ascending document id")
    if rules.level != 1:
        told.append(f"relevant from grade {rules.level} on")
    if rules.depth is not None:
        told.append(f"only the first {rules.depth:,} of each question")
    if missing:
        how = "they count 0" if rules.complete else "left out; --complete counts them 0"
        told.append(f"{count(len(missing), 'judged question')} not in the run, {how}: {some(missing)}")
    if scores.unknown:
        told.append(f"{count(scores.unknown, 'question')} of the run without judgements, left out")
    if scores.unanswerable:
        told.append(f"{count(scores.unanswerable, 'question')} without a relevant document, counting 0")
    if scores.repeated:
        told.append(
            f"{count(scores.repeated, 'entry').replace('entrys', 'entries')} naming a document again; the best place counts"
        )
    return told


def _table(scores: FileScores) -> list[str]:
    names = [repr(metric) for metric in scores.metrics]
    shown = range(len(names)) if len(names) <= 6 else [names.index(name) for name in _HEADLINE if name in names]
    width = min(40, max([3, *(len(one.qid) for one in scores.questions)]))
    head = f"{'qid':<{width}}{'listed':>8}{'relevant':>10}{'found':>7}" + "".join(f"{names[at]:>13}" for at in shown)
    rows = [
        f"{one.qid:<{width}}{one.retrieved:>8}{one.relevant:>10}{one.found:>7}"
        + "".join(f"{one.values[at]:>13.4f}" for at in shown)
        for one in scores.questions
    ]
    return [head, *rows]
