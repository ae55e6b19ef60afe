"""What a report says of a retriever that is not ours: how fast it was, and how its passages were found in the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.figures import clip_text, count
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.measure.results import Run

__all__ = ["report_lines", "size_lines"]

_MOST_UNMATCHED = 5
_MOST_HIDDEN = 5  # questions; and chunks of each
_WAYS = (
    ("id", "by id"),
    ("exact", "by their text"),
    ("folded", "but for typography"),
    ("fuzzy", "in other words"),
    ("parts", "in several pieces"),
    ("document", "as whole documents"),
)


def size_lines(manifest: Mapping[str, Any]) -> list[str]:
    """How large what was asked is. How somebody's own system cuts documents is not known: chunks are those of our probes."""
    chunks = count(manifest["chunks"], "chunk")
    documents = count(manifest["documents"], "document")
    embedded = f" · {count(manifest['encoded'], 'text')} embedded" if manifest["encoded"] else ""
    mode = manifest["config"]["retrieval"]["mode"]
    probes = {"bm25": "BM25", "dense": "dense"}.get(mode, "BM25 and dense")
    if manifest["system"].get("name") == "qdrant":  # which holds the project's own
        return [f"{documents} · {chunks}{embedded}", f"probes (what the embedded engine here has): {probes}"]
    return [
        f"{documents} · cut and searched by your system",
        f"probes (what the embedded engine here has): {probes} over {chunks} of its own{embedded}",
    ]


def report_lines(run: Run) -> list[str]:
    """Some lines of the report; the whole is under `system` in its JSON."""
    manifest = run.manifest
    account: Mapping[str, Any] = manifest["system"]
    hits, matched = account["hits"], account["matched"]
    lines = []
    seconds = account["seconds"]
    if seconds["p50"] is not None and account.get("name") != "recorded":  # what is only read has no time of its own
        lines.append("your system: " + " · ".join(f"{name} {_time(seconds[name])}" for name in ("p50", "p95", "p99")))
    ways = [f"{matched[way]:,} {words}" for way, words in _WAYS if matched.get(way)]
    if hits:
        share = f"{100 * account['aligned']:.1f} %"
        lines.append(f"{count(hits, 'passage')} returned, {share} found here: {', '.join(ways) or 'none'}")
    lines += _lengths(account, int(manifest["k"]))
    unmatched = account["unmatched"]
    if matched["nothing"]:
        lines.append(f"! {matched['nothing']:,} stand nowhere in the corpus; they keep their places and cover nothing")
        for one in unmatched[:_MOST_UNMATCHED]:
            text = f"  {clip_text(one_line(one['text']), 70)}" if one["text"] else ""
            lines.append(f"    {clip_text(one_line(one['chunk_id']), 40)}{text}")
        if len(unmatched) > _MOST_UNMATCHED:
            lines.append(f"    and {len(unmatched) - _MOST_UNMATCHED:,} more: system.unmatched of --json")
        lines += _unknown_documents(account.get("unknown_documents", {}))
        if matched["nothing"] == hits:
            lines.append("! none was found, so the figures say nothing of your system: it has to return its")
            lines.append("  texts, or ids of documents as `ragtriage find` lists them (over http: text_at, id_at)")
    if account["hidden"]:
        lines.append(f"! {account['hidden']:,} are from documents that are hidden from who asked")
        lines += _hidden(run)
    if account["cut"]:
        lines.append(f"! {account['cut']:,} were more than the {account['asked_for']} asked for, and left out")
    if manifest.get("generator", {}).get("by_itself"):
        lines.append("Its answers are from passages of its own choice, so there is no oracle and no tax.")
    return lines


def _lengths(account: Mapping[str, Any], k: int) -> list[str]:
    """Which questions got nothing, and where the lists of the others end; a run of an older version does not tell."""
    lines = []
    if empty := account.get("empty"):
        so = ": the figures say nothing of your system" if empty == account["answered"] else ""
        lines.append(f"! {empty:,} of {count(account['answered'], 'question')} got no passages from your system{so}")
    if (ends_at := account.get("ends_at")) is not None:
        at_k = f"; at k = {k} they are measured as they are" if ends_at < k else ""
        lines.append(
            f"! its lists end at rank {ends_at}, and {account['asked_for']} passages were asked for: what it has further"
        )
        lines.append(f"  down cannot be told{at_k}")
    return lines


def _unknown_documents(found: Mapping[str, Any]) -> list[str]:
    """What they call documents that are none here, and what documents are called here."""
    if not found.get("count"):
        return []
    named = []
    for one in found["most"]:
        near = f" (nearest here: {clip_text(one_line(one['nearest']), 60)})" if one["nearest"] else ""
        named.append(f"{clip_text(one_line(one['name']), 60)}{near}")
    more = f" and {found['count'] - len(named):,} more" if found["count"] > len(named) else ""
    ours = ", ".join(clip_text(one_line(name), 60) for name in found["ours"])
    return [f"  named as theirs, and no document here: {', '.join(named)}{more}", f"  documents here are called {ours}"]


def _hidden(run: Run) -> list[str]:
    """Which questions got them, and what they are."""
    leaks = [question for question in run.questions if question.hidden]
    lines = []
    for question in leaks[:_MOST_HIDDEN]:
        ids = [clip_text(one_line(name), 40) for name in question.hidden[:_MOST_HIDDEN]]
        more = f" and {len(question.hidden) - len(ids)} more" if len(question.hidden) > len(ids) else ""
        lines.append(f"    {clip_text(one_line(question.qid), 40)}  {', '.join(ids)}{more}")
    if len(leaks) > _MOST_HIDDEN:
        lines.append(f"    and {count(len(leaks) - _MOST_HIDDEN, 'question')} more: hidden in per_question of --json")
    return lines


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
