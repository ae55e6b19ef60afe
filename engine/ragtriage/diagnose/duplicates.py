"""Passages that stand in the corpus more than once: to the letter, or nearly.

They take each other's places: what fills two of the first k places with one fact leaves one place less for another.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from ragtriage.chunking.base import Chunks
from ragtriage.diagnose.minhash import candidates
from ragtriage.diagnose.shingles import Shingles, shingles_of
from ragtriage.types import Progress, no_progress

__all__ = ["LEAST_WORDS", "NEARLY_EQUAL", "NearGroup", "exact_duplicates", "near_duplicates"]

NEARLY_EQUAL = 0.7
"""Resemblance (see diagnose.shingles) from which two passages are near-duplicates: about one word in eleven may differ."""
LEAST_WORDS = 8
"""Passages of fewer words are alike by chance; they count as duplicates only to the letter."""

_LEADERS = 20  # groups of one linked crowd that a passage is compared with


class NearGroup(NamedTuple):
    """Rows that nearly repeat the first of them; `resemblance` is that of the least like, numbers counted as equal."""

    rows: tuple[int, ...]
    resemblance: float


def exact_duplicates(chunks: Chunks) -> list[tuple[int, ...]]:
    """Groups of two rows or more whose texts are the same but for white space, each ascending, in reading order."""
    rows: dict[bytes, list[int]] = defaultdict(list)
    for row in range(len(chunks)):
        folded = " ".join(chunks.text(row).split())
        if folded:
            rows[blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).digest()].append(row)
    return [tuple(group) for group in rows.values() if len(group) > 1]


def near_duplicates(chunks: Chunks, exact: Sequence[tuple[int, ...]] = (), progress: Progress = no_progress) -> list[NearGroup]:
    """Groups of passages that nearly repeat their first, in reading order. Of a group in `exact` the first stands for all.

    What overlaps by its cutting is no duplicate. Raises what `progress` raises.
    """
    repeated = {row for group in exact for row in group[1:]}
    rows = [row for row in range(len(chunks)) if row not in repeated]
    shingles = shingles_of(chunks, rows, progress)
    links: dict[int, int] = {}
    partners: dict[int, int] = {}
    for one, other in candidates(shingles, NEARLY_EQUAL, progress).tolist():
        a, b = _root(links, one), _root(links, other)
        if a != b and _alike(chunks, rows, shingles, one, other):
            links[max(a, b)] = min(a, b)
            partners.setdefault(one, other)
            partners.setdefault(other, one)
    crowds: dict[int, list[int]] = defaultdict(list)
    for at in sorted({*links, *(_root(links, at) for at in links)}):
        crowds[_root(links, at)].append(at)
    groups = [group for crowd in crowds.values() for group in _groups(chunks, rows, shingles, crowd, partners)]
    return sorted(groups)


def _root(links: dict[int, int], at: int) -> int:
    while (above := links.get(at)) is not None:
        links[at] = links.get(above, above)
        at = above
    return at


def _alike(chunks: Chunks, rows: Sequence[int], shingles: Shingles, one: int, other: int) -> bool:
    if min(shingles.words[one], shingles.words[other]) < LEAST_WORDS:
        return False
    a, b = rows[one], rows[other]
    overlap = chunks.doc_rows[a] == chunks.doc_rows[b] and chunks.starts[b] < chunks.ends[a]
    return not overlap and shingles.resemblance(one, other) >= NEARLY_EQUAL


def _groups(
    chunks: Chunks, rows: Sequence[int], shingles: Shingles, crowd: Sequence[int], partners: Mapping[int, int]
) -> list[NearGroup]:
    """A linked crowd by what its members resemble themselves: a chain of small changes may end far from where it began.

    One that resembles the first of no group is grouped with its partner, which then is in two.
    """
    led: dict[int, list[tuple[int, float]]] = {}
    newest: deque[int] = deque(maxlen=_LEADERS)
    for at in crowd:
        leader = next((one for one in newest if _alike(chunks, rows, shingles, one, at)), None)
        if leader is None:
            led[at] = []
            newest.append(at)
        else:
            led[leader].append((at, shingles.resemblance(leader, at)))
    grouped = {at for leader, members in led.items() if members for at in (leader, *(at for at, _ in members))}
    out = []
    for leader, members in led.items():
        if members:
            out.append(NearGroup((rows[leader], *(rows[at] for at, _ in members)), min(alike for _, alike in members)))
        elif leader not in grouped:
            first, second = sorted((leader, partners[leader]))
            out.append(NearGroup((rows[first], rows[second]), shingles.resemblance(first, second)))
            grouped |= {first, second}
    return out
