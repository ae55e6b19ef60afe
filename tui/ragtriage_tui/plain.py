"""The report as text: what the app shows, for pipes, build logs and screen readers. Lines out, no terminal codes in.

Numbers come from the run alone, so that a stored run prints the same report again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.answer_lines import answer_lines
from ragtriage_tui.figures import BAR, bar, clip_text, count, interval, number, some, wrapped
from ragtriage_tui.naming import config_name, scope
from ragtriage_tui.text import fit, one_line, take, width

if TYPE_CHECKING:
    from ragtriage.answers.calibration import Calibration
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.triage.verdicts import Verdict

__all__ = ["failing_lines", "report_lines", "skipped_lines"]

_MOST_FAILING = 60
_MOST_ALIKE = 3
_MOST_REASONS = 5
_MOST_SKIPPED = 8
_QID, _RANK = (9, 24), (9, 16)  # least and most cells of a column


def report_lines(
    run: Run,
    texts: Mapping[str, str],
    verdicts: Mapping[str, Verdict],
    *,
    without_bad_labels: Mapping[str, Any] | None = None,
    calibration: Calibration | None = None,
) -> list[str]:
    """The whole report. `texts` maps a qid to its question's text; a question no longer in the golden set has none.

    `calibration` is how far a judge agrees with people; of another judge than the run's it counts for nothing.
    """
    manifest = run.manifest
    blocks = [
        _head(run),
        _all_failed(run),
        _metrics(manifest),
        _system(run),
        _reranked(manifest),
        _splits(manifest),
        *answer_lines(run),
        *_judged(run, calibration),
        _causes(run.questions, verdicts, _ends_at(manifest)),
        _kinds(manifest),
        [f"→ {one_line(advice['sentence'])} ({some(advice['qids'])})" for advice in manifest["advice"]],
        _notes(manifest, without_bad_labels),
        failing_lines(run.questions, texts, verdicts, most=_MOST_FAILING, ends_at=_ends_at(manifest))
        if len(_why_all_failed(run.questions)) not in range(1, _MOST_REASONS + 1)
        else [],
    ]
    lines: list[str] = []
    for block in blocks:
        if block:
            lines += ["", *block] if lines else block
    return lines


def _judged(run: Run, calibration: Calibration | None) -> list[list[str]]:
    if "judged" not in run.manifest:
        return []
    from ragtriage_tui.judge_lines import judge_lines

    return judge_lines(run, calibration)


def _system(run: Run) -> list[str]:
    if "system" not in run.manifest:
        return []
    from ragtriage_tui import system_text

    return system_text.report_lines(run)


def _reranked(manifest: Mapping[str, Any]) -> list[str]:
    if "rerank" not in manifest:
        return []
    from ragtriage_tui import rerank_text

    return rerank_text.report_lines(manifest)


def _head(run: Run) -> list[str]:
    manifest = run.manifest
    split = "dev and holdout" if manifest["split"] == "all" else manifest["split"]
    counts = [f"{manifest['questions']} {'chosen' if manifest.get('only') else split}"]
    if manifest["holdout"] and not manifest.get("only"):
        counts.append(f"{manifest['holdout']} holdout kept aside")
    counts.append(f"{manifest['answerable']} answerable")
    counts += [f"{manifest[name]} {name}" for name in ("unanswerable", "unlabelled", "failed") if manifest[name]]
    if "system" in manifest:
        from ragtriage_tui import system_text

        sizes = system_text.size_lines(manifest)
    else:
        made = [
            count(manifest[name], noun) for name, noun in (("documents", "document"), ("chunks", "chunk"), ("encoded", "text"))
        ]
        sizes = [f"{' · '.join(made)} embedded"]
    apart = scope(manifest)
    name = f"{one_line(manifest['project'])}  {config_name(manifest['config'])}"
    return [
        f"{name}  run {run.id}",
        " · ".join(counts),
        *sizes,
        *([f"measured: {' · '.join(apart)}"] if apart else []),
        *([f"note: {one_line(manifest['note'])}"] if manifest["note"] else []),
    ]


def _ends_at(manifest: Mapping[str, Any]) -> int | None:
    """The rank at which the lists of a system that is not ours end, where more was asked for."""
    found: int | None = (manifest.get("system") or {}).get("ends_at")
    return found


def _why_all_failed(questions: Sequence[QuestionResult]) -> dict[str, list[str]]:
    """The reasons for which no question at all could be measured, with the ids; none where one could be, or was alone."""
    reasons: dict[str, list[str]] = {}
    for question in questions:
        reasons.setdefault(question.reason if question.status == "failed" else "", []).append(question.qid)
    return reasons if len(questions) > 1 and "" not in reasons else {}


def _all_failed(run: Run) -> list[str]:
    """Said once, above a table without a figure."""
    reasons = sorted(_why_all_failed(run.questions).items(), key=lambda pair: -len(pair[1]))
    if not reasons:
        return []
    said = f"! none of {len(run.questions)} questions could be measured"
    if len(reasons) == 1:
        return wrapped(f"{said}: {clip_text(reasons[0][0], 1000)}")
    lines = [f"{said}, for {len(reasons)} reasons:"]
    for reason, qids in reasons[:_MOST_REASONS]:
        lines += wrapped(f"  {len(qids):>5}  {clip_text(reason, 1000)} ({some(qids)})", "         ")
    left = sum(len(qids) for _, qids in reasons[_MOST_REASONS:])
    return [*lines, f"  {left:>5}  for other reasons, below"] if left else lines


def _metrics(manifest: Mapping[str, Any]) -> list[str]:
    metrics: Mapping[str, Mapping[str, Any]] = manifest["metrics"]
    failed = any(mean["failed"] for mean in metrics.values())
    lines = [
        f"{'':<12}{'value':>6}{'n':>6}{'floor':>8}{'95 %':>14}{'failed':>8}"
        if failed
        else f"{'':<12}{'value':>6}{'n':>6}{'floor':>8}{'95 %':>14}"
    ]
    ends_at = _ends_at(manifest)
    for name in sorted(metrics, key=_metric_order):
        mean = metrics[name]
        if _is_beyond(name, int(manifest["k"]), ends_at):
            lines.append(f"{name:<12}{'n/a':>6}")
            continue
        line = f"{name:<12}{number(mean['value']):>6}{mean['n']:>6}{number(mean['floor']):>8}{interval(mean):>14}"
        line += f"{mean['failed']:>8}" if failed else ""
        lines.append(f"{line}  {bar(mean['value'])}" if name.startswith("recall@") and mean["n"] else line)
    at_k, at_pool = metrics[f"recall@{manifest['k']}"]["value"], metrics["recall@pool"]["value"]
    if at_k is not None and ends_at is not None:
        lines.append(f"n/a, and a reranker's headroom: not known, since the lists end at rank {ends_at}")
    elif at_k is not None and at_pool is not None:
        headroom = number(at_pool - at_k, sign=True)
        lines.append(f"A reranker's headroom: {headroom} (recall@pool - recall@{manifest['k']})")
    tokens = manifest.get("context_tokens")
    if tokens is not None:
        lines.append(f"context: about {tokens:,.0f} tokens a question at k = {manifest['k']}")
    holes = manifest.get("holes") or {}
    if holes.get("judgements"):  # with one label a question most passages are unjudged, which says nothing
        lines.append(f"unjudged: {holes['mean']:.1f} of {manifest['k']} passages a question; they decide nothing")
    return lines


def _splits(manifest: Mapping[str, Any]) -> list[str]:
    """Dev beside holdout, where both were measured: a gap that holds no 0 is a sign of overfitting."""
    gaps: Mapping[str, Mapping[str, Any]] = manifest.get("holdout_gap") or {}
    if not gaps:
        return []
    lines = [f"{'dev, holdout':<13}{'dev':>6}{'holdout':>9}{'gap':>8}{'95 %':>16}"]
    for name in (f"recall@{manifest['k']}", f"hit@{manifest['k']}", "mrr"):
        one = gaps[name]
        gap = number(one["gap"], sign=True)
        lines.append(f"{name:<13}{number(one['dev']):>6}{number(one['holdout']):>9}{gap:>8}{interval(one):>16}")
    return [*lines, f"n {one['n_dev']} and {one['n_holdout']}; an interval without 0 says that the set was tuned on"]


def _metric_order(name: str) -> tuple[int, int]:
    family, _, cut = name.partition("@")
    order = ("recall", "hit", "ndcg", "mrr")
    return order.index(family) if family in order else len(order), int(cut) if cut.isdecimal() else 1_000_000


def _is_beyond(metric: str, k: int, ends_at: int | None) -> bool:
    """Whether a metric is of ranks that nobody has seen. At `k` it is not: what the system returned is what it is read from."""
    cut = metric.partition("@")[2]
    if ends_at is None or not cut:
        return False
    return cut == "pool" or (cut.isdecimal() and int(cut) > ends_at and int(cut) != k)


def _causes(questions: Sequence[QuestionResult], verdicts: Mapping[str, Verdict], ends_at: int | None) -> list[str]:
    from ragtriage.measure.report import failure_counts
    from ragtriage.triage.categories import CATEGORIES

    counts = failure_counts(questions, verdicts)
    failing = sum(bool(question.suggested) for question in questions)
    labelled = sum(counts["confirmed"].values())
    head = f"{failing} failing of {len(questions)}, {labelled} labelled".ljust(34)
    lines, width = [f"{head}suggested  labelled"], len(head)
    for category in CATEGORIES:
        suggested, confirmed = counts["suggested"][category.slug], counts["confirmed"][category.slug]
        if suggested or confirmed:
            marks = "━" * min(confirmed, BAR) + "╌" * min(max(suggested - confirmed, 0), BAR)
            within = f" within {ends_at}" if category.slug == "not-retrieved" and ends_at is not None else ""
            lines.append(f"  {category.key} {category.name}{within}".ljust(width) + f"{suggested:>9}{confirmed:>10}  {marks}")
    return lines


def _kinds(manifest: Mapping[str, Any]) -> list[str]:
    k = manifest["k"]
    kinds: Mapping[str, Mapping[str, Any]] = manifest["slices"]["kind"]
    if len(kinds) < 2:
        return []
    names = [f"recall@{k}", f"hit@{k}", "mrr"]
    lines = [f"{'kind':<14}{'questions':>10}{'failing':>9}" + "".join(f"{name:>11}" for name in names)]
    for kind, part in kinds.items():
        values = "".join(f"{number(part['metrics'][name]['value']):>11}" for name in names)
        lines.append(f"{clip_text(kind, 13):<14}{part['questions']:>10}{part['failing']:>9}{values}")
    return lines


def _notes(manifest: Mapping[str, Any], without_bad_labels: Mapping[str, Any] | None) -> list[str]:
    says = {
        "stale": (
            "label by chunk id no longer fits its chunk and counts at document level",
            "labels by chunk id no longer fit their chunk and count at document level",
        ),
        "moved": ("quote was found in changed wording", "quotes were found in changed wording"),
        "ambiguous": (
            "quote occurs more than once and counts at any of its places",
            "quotes occur more than once and count at any of their places",
        ),
        "repeated": (
            "passage was returned again by the system, and took a place",
            "passages were returned again by the system, and took a place each",
        ),
    }
    lines = [f"! {manifest[name]} {texts[manifest[name] != 1]}" for name, texts in says.items() if manifest.get(name)]
    retrieval = manifest["config"]["retrieval"]
    if retrieval.get("system") == "qdrant" and retrieval["shards"] > 1:
        lines.append(f"! BM25 weighs a word by the shard that it is in: with {retrieval['shards']} rankings differ from one's")
    if anyway := manifest["answered_anyway"]:
        lines.append(f"! answered without its evidence, so a label may lack a place: {some(anyway)}")
    if without := manifest["answers"]["without_oracle"]:
        lines.append(f"! no oracle answer, the evidence is missing or too large: {some(without)}")
    if without_bad_labels:
        mean = without_bad_labels["metrics"][f"recall@{manifest['k']}"]
        qids = without_bad_labels["questions"]
        lines.append(f"! without the {len(qids)} labelled bad label, recall@{manifest['k']} would be {number(mean['value'])}")
    return lines


def failing_lines(
    questions: Sequence[QuestionResult],
    texts: Mapping[str, str],
    verdicts: Mapping[str, Verdict],
    *,
    most: int = 10**9,
    ends_at: int | None = None,
) -> list[str]:
    """A line for each failing question, and for each that could not be measured. `ends_at` is the rank at which the lists of
    a system that is not ours end though more was asked for."""
    from ragtriage.triage.categories import CATEGORIES

    by_slug = {category.slug: category for category in CATEGORIES}
    failing = [question for question in questions if question.suggested or question.status == "failed"]
    alike = _alike(failing)
    failing = [question for question in failing if question.status != "failed" or question.reason not in alike]
    shown = failing[:most]
    ranks = ["/".join("–" if value is None else str(value) for value in question.ranks) for question in shown]
    qids, places = _column([question.qid for question in shown], _QID), _column(ranks, _RANK)
    lines = []
    for question, qid, rank in zip(shown, qids, places, strict=True):
        text = clip_text(texts.get(question.qid, ""), 90)
        if question.status == "failed":
            lines.append(f"! {qid} could not be measured: {clip_text(question.reason, 60)}  {text}")
            continue
        verdict = verdicts.get(question.qid)
        decided = verdict is not None and verdict.fits(question.seen) and verdict.category in by_slug
        category = by_slug[verdict.category] if verdict is not None and decided else by_slug[question.suggested]
        lines.append(
            f"✗ {qid} {category.key}{' ' if decided else '?'} {category.short:<15} {question.lost_at or '–':<9} {rank} {text}"
        )
    if lines:
        head = f"{'failing'.ljust(width(qids[0]) + 2)} {'cause':<18} {'lost at':<9} {'rank'.ljust(width(places[0]))} question"
        lines.insert(0, head)
    if ends_at is not None and any(question.suggested == "not-retrieved" for question in shown):
        lines.append(f"not retrieved: not within rank {ends_at}, where its lists end; it may have it further down")
    if len(failing) > most:
        lines.append(f"… and {len(failing) - most} more: ragtriage failures")
    for reason, same in alike.items():
        lines += wrapped(f"! {len(same)} could not be measured: {clip_text(reason, 1000)} ({some(same)})")
    return lines


def _alike(questions: Sequence[QuestionResult]) -> dict[str, list[str]]:
    """The ids of the questions that failed for one reason, where they are so many that a line each would tell nothing."""
    reasons: dict[str, list[str]] = {}
    for question in questions:
        if question.status == "failed":
            reasons.setdefault(question.reason, []).append(question.qid)
    return {reason: qids for reason, qids in reasons.items() if len(qids) > _MOST_ALIKE}


def _column(cells: Sequence[str], limits: tuple[int, int]) -> list[str]:
    """The cells padded to one width, as wide as they need within `limits`; a longer one loses its middle."""
    least, most = limits
    wide = max(least, min(max(map(width, cells), default=0), most))
    return [fit(_without_middle(one_line(cell), wide), wide) for cell in cells]


def _without_middle(text: str, cells: int) -> str:
    """`text` in at most `cells`: what sets ids apart is at their ends as a rule."""
    if width(text) <= cells:
        return text
    start = take(text, cells // 2)
    end = take(text[::-1], cells - 1 - width(start))[::-1]
    return f"{start}…{end}"


def skipped_lines(skipped: Sequence[Any]) -> list[str]:
    """How many files gave no text and why, with some of their names."""
    if not skipped:
        return []
    reasons: dict[str, list[str]] = {}
    for item in skipped:
        reasons.setdefault(one_line(item.reason), []).append(f"{item.source} ({item.detail})" if item.detail else item.source)
    lines = [f"{len(skipped)} skipped below the corpus folder"]
    lines += [f"  {reason}: {some(names, _MOST_SKIPPED)}" for reason, names in reasons.items()]
    return lines
