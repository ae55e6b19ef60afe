"""How the hits of all questions were matched, in sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from ragtriage.chunking.passages import Unplaced
from ragtriage.search.systems.document_names import DocumentNames
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.search.systems.matching import How, Matched

__all__ = ["Tally"]

_MOST_LISTED = 1_000  # passages that stand nowhere, and are listed
_SHOWN = 200  # characters of each
_UNPLACED_ROOM = 32 << 20  # characters kept of such passages, for prompts
_MOST_CALLED = 10_000  # documents that are none of ours, told apart
_NAMED = 5  # of them that are said
_OURS = 3  # ids of ours that are shown beside them
_NEARLY_ALL = 95  # of a hundred lists


class Tally:
    """Counts while questions are matched. `unplaced` has the texts of passages that stand nowhere, by name."""

    def __init__(self) -> None:
        self.unplaced: dict[str, Unplaced] = {}
        self._how: Counter[str] = Counter()
        self._nothing: dict[str, dict[str, Any]] = {}
        self._called: Counter[str] = Counter()
        self._hidden = 0
        self._cut = 0
        self._lengths: list[int] = []  # of each list that came
        self._room = _UNPLACED_ROOM

    def count(self, hits: Sequence[ForeignHit], matched: Sequence[Matched], *, cut: int) -> None:
        """The hits of one question. `cut` is how many more than those asked for came."""
        self._cut += cut
        self._lengths.append(len(hits))
        for hit, one in zip(hits, matched, strict=True):
            self._how[one.how] += 1
            self._hidden += one.hidden
            if one.called and (one.called in self._called or len(self._called) < _MOST_CALLED):
                self._called[one.called] += 1
            if one.how != "nothing":
                continue
            if one.name in self._nothing:
                self._nothing[one.name]["times"] += 1
            elif len(self._nothing) < _MOST_LISTED:
                text = hit.text or (hit.id if one.name.startswith("text~") else "")  # a text may stand in place of an id
                self._nothing[one.name] = {
                    "chunk_id": one.name, "doc": hit.doc or None, "text": text[:_SHOWN] or None, "times": 1,
                }  # fmt: skip
            if one.unplaced is not None and one.name not in self.unplaced and self._room > 0:
                self.unplaced[one.name] = one.unplaced
                self._room -= len(one.unplaced.text)

    def json(self, documents: DocumentNames, *, most: int) -> dict[str, Any]:
        """For run.json. `most` is how many passages a list may have: those asked for, or as many as there are."""
        hits = sum(self._how.values())
        named = sorted(self._called.items(), key=lambda pair: (-pair[1], pair[0]))[:_NAMED]
        return {
            "hits": hits,
            "matched": {way: self._how[way] for way in get_args(How)},
            "aligned": round(1 - self._how["nothing"] / hits, 4) if hits else None,
            "unmatched": list(self._nothing.values()),
            "unknown_documents": {
                "count": len(self._called),
                "most": [{"name": name, "times": times, "nearest": documents.nearest(name) or None} for name, times in named],
                "ours": documents.some(_OURS) if named else [],
            },
            "hidden": self._hidden,
            "cut": self._cut,
            "answered": len(self._lengths),
            "empty": self._lengths.count(0),
            "ends_at": self._ends_at(most),
        }

    def _ends_at(self, most: int) -> int | None:
        """The rank at which nearly all lists have ended, where that is before `most`: what follows there is not known. Those
        without any passage say nothing of it."""
        lengths = sorted(length for length in self._lengths if length)
        last = lengths[-(-len(lengths) * _NEARLY_ALL // 100) - 1] if lengths else most
        return last if last < most else None
