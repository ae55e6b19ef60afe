"""What a report says of a retriever that is not ours: how fast it was, and how its passages were found in the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtriage_tui.figures import clip_text, count
from ragtriage_tui.text import one_line

__all__ = ["report_lines", "system_name"]

_MOST_UNMATCHED = 5
_WAYS = (
    ("id", "by id"),
    ("exact", "by their text"),
    ("folded", "but for typography"),
    ("fuzzy", "in other words"),
    ("document", "as whole documents"),
)


def system_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The retriever of a run as its configuration names it: `python myapp.rag:retrieve`; "" where it is ours."""
    table = config["retrieval"]
    name = table.get("system", "embedded")
    if name == "embedded":
        return ""
    command = table.get("command") or [""]
    said = {
        "python": table.get("callable"),
        "command": str(command[0]).rpartition("/")[2],
        "http": str(table.get("url", "")).partition("://")[2].partition("/")[0].rpartition("@")[2],
        "recorded": table.get("recorded"),
        "qdrant": table.get("collection"),
    }.get(name)
    return clip_text(one_line(f"{name} {said}" if said else str(name)), 80)


def report_lines(manifest: Mapping[str, Any]) -> list[str]:
    """Some lines of the report; the whole is under `system` in its JSON."""
    account: Mapping[str, Any] = manifest["system"]
    hits, matched = account["hits"], account["matched"]
    lines = []
    seconds = account["seconds"]
    if seconds["p50"] is not None and account.get("name") != "recorded":  # what is only read has no time of its own
        lines.append("your system: " + " · ".join(f"{name} {_time(seconds[name])}" for name in ("p50", "p95", "p99")))
    ways = [f"{matched[way]:,} {words}" for way, words in _WAYS if matched[way]]
    if hits:
        share = f"{100 * account['aligned']:.1f} %"
        lines.append(f"{count(hits, 'passage')} returned, {share} found here: {', '.join(ways) or 'none'}")
    unmatched = account["unmatched"]
    if matched["nothing"]:
        lines.append(f"! {matched['nothing']:,} stand nowhere in the corpus; they keep their places and cover nothing")
        for one in unmatched[:_MOST_UNMATCHED]:
            text = f"  {clip_text(one_line(one['text']), 70)}" if one["text"] else ""
            lines.append(f"    {clip_text(one_line(one['chunk_id']), 40)}{text}")
        if len(unmatched) > _MOST_UNMATCHED:
            lines.append(f"    and {len(unmatched) - _MOST_UNMATCHED:,} more: system.unmatched of --json")
        if matched["nothing"] == hits:
            lines.append("! none was found, so the figures say nothing of your system: it has to return its")
            lines.append("  texts, or ids of documents as `ragtriage find` lists them (over http: text_at, id_at)")
    if account["hidden"]:
        lines.append(f"! {account['hidden']:,} are from documents that are hidden from who asked")
    if account["cut"]:
        lines.append(f"! {account['cut']:,} were more than the {account['asked_for']} asked for, and left out")
    if manifest.get("generator", {}).get("by_itself"):
        lines.append("Its answers are from passages of its own choice, so there is no oracle and no tax.")
    return lines


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
