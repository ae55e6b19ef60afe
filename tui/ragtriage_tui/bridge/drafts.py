"""Half-written questions in the user's state folder, one file a project and question: they survive a crash."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from ragtriage_tui.add_views import Draft, Marked
from ragtriage_tui.bridge.places import state_folder, write_file
from ragtriage_tui.text import Extent, scrub

__all__ = ["draft_file", "drop_draft", "keep_draft", "kept_drafts", "load_draft"]


def draft_file(root: Path, key: str = "") -> Path:
    """Where a draft of a project is kept: of a new question, of the saved one that is edited, or of a report (Draft.key)."""
    from ragtriage.ids import text_sha

    name = text_sha(str(root.absolute()))[:16]
    return state_folder() / "drafts" / (f"{name}-{text_sha(key)[:12]}.json" if key else f"{name}.json")


def kept_drafts(root: Path) -> tuple[str, ...]:
    """Which questions and reports of a project have a kept draft, by the shown id; a new one is empty and comes first."""
    new = draft_file(root)
    found = [] if load_draft(root) is None else [""]
    for path in sorted(new.parent.glob(f"{new.stem}-*.json")):
        with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError):
            value = json.loads(path.read_bytes())
            key = value.get("qid") or value.get("report")
            if isinstance(key, str) and path == draft_file(root, key) and load_draft(root, key) is not None:
                found.append(scrub(key))
    return tuple(found)


def keep_draft(root: Path, draft: Draft) -> None:
    """Write the draft; on disk when this returns. Raises DoorError where the state folder does not take it."""
    value = {
        "format": 1, "text": draft.text, "first": draft.first, "mentions": list(draft.mentions), "kind": draft.kind,
        "split": draft.split, "answerable": draft.answerable, "qid": draft.qid, "ref": draft.ref,
        "base": draft.base, "report": draft.report, "given": draft.given,
        "marks": [
            {
                "doc": mark.doc_id, "span": list(mark.span) if mark.span else None, "quote": mark.quote, "kept": mark.kept,
                "gone": mark.gone,
            }
            for mark in draft.marks
        ],
    }  # fmt: skip
    write_file(draft_file(root, draft.key), json.dumps(value).encode())


def drop_draft(root: Path, key: str = "") -> None:
    """The question is saved, or was given up."""
    with contextlib.suppress(OSError):
        draft_file(root, key).unlink()


def load_draft(root: Path, key: str = "") -> Draft | None:
    """The draft that was kept; None where there is none, or a broken one."""
    try:
        value = json.loads(draft_file(root, key).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    marks = value.get("marks")
    mentions = value.get("mentions")
    draft = Draft(
        text=_text(value.get("text")), first=_text(value.get("first")),
        marks=tuple(mark for item in marks if (mark := _mark(item))) if isinstance(marks, list) else (),
        mentions=tuple(map(_text, mentions)) if isinstance(mentions, list) else (),
        kind=_text(value.get("kind")), split="holdout" if value.get("split") == "holdout" else "dev",
        answerable=value.get("answerable") is not False, ref=_text(value.get("ref")),
        qid=_text(value.get("qid")), report=_text(value.get("report")),
        base=base if isinstance(base := value.get("base"), str) else "",  # never shown, so as it was written
        given=given if isinstance(given := value.get("given"), str) else "",
    )  # fmt: skip
    return draft if draft.text.strip() and draft.key == key else None


def _text(value: Any) -> str:
    return scrub(value) if isinstance(value, str) else ""


def _mark(value: Any) -> Marked | None:
    if not isinstance(value, dict) or not isinstance(value.get("doc"), str):
        return None
    span, kept = value.get("span"), value.get("kept")
    whole = isinstance(span, list) and len(span) == 2 and all(isinstance(one, int) and one >= 0 for one in span)
    place = Extent(span[0], span[1]) if isinstance(span, list) and whole else None
    kept = kept if isinstance(kept, int) else -1
    return Marked(_text(value["doc"]), place, _text(value.get("quote")), kept, value.get("gone") is True)
