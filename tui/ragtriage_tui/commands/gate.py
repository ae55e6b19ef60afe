"""`ragtriage gate`: measure the project as it is, and say whether it got worse than its base. The exit code says the same."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ragtriage_tui.agreeing import asking_arguments
from ragtriage_tui.call import Call, clean

if TYPE_CHECKING:
    from ragtriage.gate.gating import Gating
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Exit code 0: ok; 1: regressed; 3: cannot tell; 2: bad use or bad input, and no gate was held. The files "
        "are gated as they are, committed or not. What is gated stands under [gate] in ragtriage.toml."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument(
        "--against",
        default="baseline",
        metavar="BASE",
        help="baseline (the default), a stored run's id or latest, or a commit, branch or tag, which is measured then",
    )
    parser.add_argument("--answers", action="store_true", help="gate answers, asking the model for those not known")
    parser.add_argument("--metrics", metavar="METRIC,…", help="gate these, for example recall@k,hit@k,ndcg@10")
    parser.add_argument("--tolerance", metavar="NUMBER", help="how much a mean may fall, from 0 to 1, or auto")
    parser.add_argument(
        "--repeat",
        action="append",
        default=[],
        metavar="RUN",
        help="a run of eval --answers live --repeat N, which asked the model anew; two settle a loss",
    )
    parser.add_argument("--ratchet", action="store_true", help="where a metric rose beyond noise, raise the baseline")
    asking_arguments(parser)


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.gate.gating import Head, gate_against
    from ragtriage.gate.settings import gate_settings
    from ragtriage_tui.newest_run import say_passed_over

    args = call.args
    against = clean(args.against)
    if args.ratchet:
        call.must_write()
        if against != "baseline":
            raise UsageError("--ratchet: raises the baseline, so it goes with --against baseline")
    if args.answers and args.path in ("none", "live", "oracle", "both") and not call.path.exists():
        raise UsageError("--answers: takes no value here: the gate looks at live answers with it, and at none without it")
    if args.repeat and not args.answers:
        raise UsageError("--repeat: is for answers that a model wrote; give --answers")
    project = call.project()
    agreeing = call.agreeing()
    try:
        with agreeing.telling(project):
            metrics = clean(args.metrics) if args.metrics is not None else None
            tolerance = clean(args.tolerance) if args.tolerance is not None else None
            settings = gate_settings(project.config.gate, answers=args.answers, metrics=metrics, tolerance=tolerance)
            asked = agreeing if args.answers else None
            head = Head(ask=asked, ask_judge=asked, store=not args.read_only, progress=call.progress())
            found = gate_against(
                project,
                against,
                settings=settings,
                overrides=args.set,
                repeats=[clean(name) for name in args.repeat],
                head=head,
            )
            say_passed_over(call, project, against, *map(clean, args.repeat))
            return _told(call, project, found)
    finally:
        project.close()


def _told(call: Call, project: Project, found: Gating) -> int:
    raised = _ratchet(call, project, found)
    if call.out.json:
        call.out.document({**_document(found), "ratchet": raised})
    else:
        from ragtriage_tui.figures import Marks
        from ragtriage_tui.gate_text import gate_lines
        from ragtriage_tui.newest_run import texts_of

        lines = gate_lines(found, texts_of(project))
        if raised is not None:
            lines += ["", raised["says"]]
        call.out.text(*map(Marks(call.out.ascii), lines))
    return found.gate.exit_code


def _ratchet(call: Call, project: Project, found: Gating) -> dict[str, Any] | None:
    """Raise the baseline where that is asked for; what became of it, None where it was not asked for."""
    if not call.args.ratchet:
        return None
    from ragtriage.gate.gating import ratchet
    from ragtriage.measure.named_runs import BASELINE

    path = str(project.evals / BASELINE)
    done = ratchet(project, found)
    if done is None:
        return {"written": False, "says": f"{path} was left as it is: nothing rose beyond noise."}
    proposal, written = done
    if written:
        return {"written": True, "says": f"wrote {path}; commit it with this change."}
    why = "nothing in it would change" if proposal.same else f"{', '.join(proposal.lowered) or 'something'} would fall"
    return {"written": False, "says": f"{path} was left as it is: {why}."}


def _document(found: Gating) -> dict[str, Any]:
    from ragtriage.compare.document import counts_of, flip_json

    comparison = found.comparison
    return {
        "format": 1,
        **found.gate.to_dict(),
        "against": found.about,
        "k": comparison.k_head,
        "questions": counts_of(comparison),
        "flips": [flip_json(flip) for flip in comparison.flips if flip.head.split == "dev"],
        "apart": {name: list(qids) for name, qids in comparison.apart._asdict().items()},
        "encoded": found.head.manifest.get("encoded", 0),
    }
