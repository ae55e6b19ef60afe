"""What `ragtriage doctor` says of the passages: counts, then each kind of finding with its places and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragtriage_tui.figures import count, wrapped
from ragtriage_tui.text import clip, one_line, take, width

if TYPE_CHECKING:
    from ragtriage.diagnose.diagnosis import Diagnosis, FragmentFound, QuestionsSeen
    from ragtriage.diagnose.extraction import Thin
    from ragtriage.diagnose.numbers import Difference
    from ragtriage.diagnose.places import Place

__all__ = ["corpus_lines"]

_CELLS, _WHERE = 80, 40
_SHOWN = 5  # findings of a kind, without --all


class _Kind(NamedTuple):
    """One kind of finding. `one` or `many` and `advice` make its heading; `findings` are the lines of each."""

    short: str
    number: int
    one: str
    many: str
    advice: str
    findings: Sequence[Sequence[str]]
    of: str = ""
    notes: Sequence[str] = ()

    @property
    def says(self) -> str:
        return f"{self.number:,} {self.one if self.number == 1 else self.many}"


def _listed(short: str, name: str, advice: str, findings: Sequence[Sequence[str]], *, notes: Sequence[str] = ()) -> _Kind:
    """A kind that counts its findings; `name` has a `*` where several have an s."""
    return _Kind(short, len(findings), name.replace("*", ""), name.replace("*", "s"), advice, findings, notes=notes)


def corpus_lines(found: Diagnosis, *, everything: bool = False) -> list[str]:
    """At most five findings of a kind, unless `everything` is wanted; rows of 80 cells."""
    kinds = [*_numbers(found), *_duplicates(found), _unread(found), _fragments(found), _thin(found)]
    seen = found.questions
    if seen is not None:
        kinds += [_hubs(seen), _orphans(seen, found.passages)]
    there = [kind for kind in kinds if kind.number]
    none = [kind.short for kind in kinds if not kind.number]
    lines = ["", f"{count(found.passages, 'passage')} of {count(found.documents, 'document')}"]
    lines += [f"{kind.number:>7,}  {kind.one if kind.number == 1 else kind.many}" for kind in there]
    lines += wrapped(f"   none: {', '.join(none)}", " " * 9) if none else []
    for note in _notes(found):
        lines += wrapped(f"   {note}", "   ")
    for kind in there:
        lines += ["", *wrapped(f"{kind.says}: {kind.advice}", "")]
        shown = kind.findings if everything else kind.findings[:_SHOWN]
        lines += [clip(line, _CELLS) for finding in shown for line in finding]
        if len(kind.findings) > len(shown):
            lines.append(f"  … and {len(kind.findings) - len(shown):,} more{kind.of}: ragtriage doctor --all")
        for note in kind.notes:
            lines += wrapped(f"  {note}", "  ")
    return lines


def _notes(found: Diagnosis) -> list[str]:
    seen = found.questions
    if seen is None:
        return ["hubs and orphans need dev questions: ragtriage add"] if found.passages else []
    notes = []
    if seen.lexical:
        of = f"{seen.lexical:,} of " if seen.lexical < seen.count else ""
        notes.append(f"{of}{count(seen.count, 'question')} asked by BM25 alone, for want of vectors: ragtriage eval makes them")
    if seen.reranked:
        notes.append("hubs are those before reranking")
    return notes


def _numbers(found: Diagnosis) -> list[_Kind]:
    apart = {
        "series of more than three values": found.numbers.series,
        "about things that a number tells apart": found.numbers.told_apart,
    }
    notes = [f"not listed: {', '.join(f'{number:,} {why}' for why, number in apart.items() if number)}"]
    same, dated = ([_difference(one) for one in found.numbers.found if one.dated == by_year] for by_year in (False, True))
    kinds = [
        _listed(
            "numbers that differ",
            "statement* with another number elsewhere",
            "correct the stale one, or say in each what it is about",
            same,
            notes=notes if any(apart.values()) else (),
        )
    ]
    if dated:
        advice = "the year may be the reason; if the old one is over, take it out, for retrieval finds both"
        kinds.append(_listed("", "statement* with another number in another year", advice, dated))
    return kinds


def _difference(difference: Difference) -> list[str]:
    lines = []
    for at, side in enumerate(difference.sides):
        year = f"{one_line(side.year)}: " if side.year else ""
        numbers = clip(year + " · ".join(map(one_line, side.numbers)), 24)
        more = f" (+{side.more:,})" if side.more else ""
        lines.append(f"{'    ' if at else '  '}{_where(side.place)}  {numbers}{more}  {one_line(side.place.text)}")
    return lines


def _duplicates(found: Diagnosis) -> list[_Kind]:
    kinds = []
    for exact, words in ((True, "repeats"), (False, "nearly repeats")):
        groups = [group for group in found.duplicates if group.exact == exact]
        findings = []
        for group in groups:
            first, *others = group.places
            likeness = "" if exact else f"{group.resemblance:.0%}  "
            line = f"  {_where(first)}  {likeness}{one_line(first.text)}"
            some = others if len(others) <= 3 else others[:2]
            rest = [f"    {_where(place)}" for place in some]
            findings.append([line, *rest, *([f"    and {len(others) - len(some):,} more"] if len(some) < len(others) else [])])
        plural = words.removesuffix("s")
        kinds.append(
            _Kind(
                "exact duplicates" if exact else "near-duplicates",
                sum(len(group.places) - 1 for group in groups),
                f"passage that {words} another",
                f"passages that {plural} another",
                "keep one, or say in each what sets it apart; they take each other's places among the first k",
                findings,
                of=" groups",
            )
        )
    return kinds


def _unread(found: Diagnosis) -> _Kind:
    if not found.window:
        return _listed("chunks beyond a window (mode bm25 has none)", "", "", ())
    findings = [[f"  {_where(one.place)}  {one.lost:,} of {one.tokens:,} tokens never embedded"] for one in found.unread]
    return _listed(
        f"chunks beyond the window of {found.window:,} tokens",
        f"chunk* longer than the model's window of {found.window:,} tokens",
        f"{found.unread_share:.1%} of all text is in no vector; a smaller chunking.size, or a model with a longer window",
        findings,
    )


def _fragments(found: Diagnosis) -> _Kind:
    findings = [[f"  {_where(one.place)}  {_fragment(one)}"] for one in found.fragments]
    advice = "join them to what they belong to, or take them out"
    return _listed("fragments", "fragment* (under 5 words beside headings)", advice, findings)


def _fragment(one: FragmentFound) -> str:
    if not one.place.text:
        return "empty"
    return f"{'heading alone' if one.heading else count(one.words, 'word')}: {one_line(one.place.text)}"


def _thin(found: Diagnosis) -> _Kind:
    findings = [[f"  {_name(one.doc_id)}  {_size(one)}"] for one in found.thin]
    advice = "see whether the files were read as they should"
    return _listed("documents without text", "document* with next to no text", advice, findings)


def _size(one: Thin) -> str:
    return count(one.words, "word") + (f" in a file of {one.size / 1000:,.0f} kB" if one.size >= 1000 else "")


def _hubs(seen: QuestionsSeen) -> _Kind:
    return _Kind(
        "hubs",
        len(seen.hubs),
        "hub (among the first k of many questions it does not answer)",
        "hubs (among the first k of many questions they do not answer)",
        "take boilerplate out of the corpus, or split what is about everything",
        [
            [
                f"  {_where(hub.place)}  first {seen.k} of {hub.questions:,} of {seen.count:,}, evidence for {hub.evidence:,}"
                f"  {one_line(hub.place.text)}"
            ]
            for hub in seen.hubs
        ],
    )


def _orphans(seen: QuestionsSeen, passages: int) -> _Kind:
    findings = [
        [f"  {_name(one.doc_id)}  {one.orphans:,} of {count(one.passages, 'passage')}" + _readers(one.readers, seen.count)]
        for one in seen.documents
    ]
    limit = f"{seen.count:,} pools of {seen.pool:,} hold {seen.reachable:,} of {passages:,} passages at most"
    return _Kind(
        "orphans",
        seen.orphans,
        f"passage retrieved by none of your {count(seen.count, 'dev question')}",
        f"passages retrieved by none of your {count(seen.count, 'dev question')}",
        f"in no pool of {seen.pool:,}; ask about them, or see whether they can be found at all",
        findings,
        of=" documents",
        notes=[limit] if seen.reachable < passages else (),
    )


def _readers(may: int, questions: int) -> str:
    if may == questions:
        return ""
    return (
        f", seen by {may:,} of {count(questions, 'question')} by its access"
        if may
        else ", hidden from all of them by its access"
    )


def _where(place: Place) -> str:
    return f"{_name(place.doc_id)}:{place.line}"


def _name(doc_id: str) -> str:
    """A document's id in at most 40 cells; a longer one loses its middle."""
    name = one_line(doc_id)
    if width(name) <= _WHERE:
        return name
    start = take(name, _WHERE // 2)
    return f"{start}…{take(name[::-1], _WHERE - 1 - width(start))[::-1]}"
