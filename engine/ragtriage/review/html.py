"""A review as one HTML file: no script, nothing loaded from elsewhere, everything that others wrote escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ragtriage.compare.comparison import Flip
from ragtriage.measure.results import QuestionResult
from ragtriage.review.review import Review
from ragtriage.review.words import decision_text, difference_lines, gate_sentences, happened, nothing_differs, plain_sentences

__all__ = ["page"]

_RANKS = 10
_TEXT = 4_000  # characters of an answer
_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } td, th { padding: .15rem .8rem; text-align: right }
tr { border-top: 1px solid #8886 }
td:first-child, th:first-child { text-align: left } .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
.broken { border-left: .3rem solid #c33 } .fixed { border-left: .3rem solid #383 } .errored { border-left: .3rem solid #b80 }
.better, .worse { border-left: .3rem solid #8886 } details { padding: .3rem .8rem; margin: .4rem 0 }
code, ol { font: 14px/1.5 ui-monospace, monospace } .said { font-style: italic } ol { padding-left: 2.5rem }
li.cut { border-bottom: 2px solid #888 } p, li, summary { overflow-wrap: anywhere }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(review: Review, *, title: str) -> str:
    """The whole file."""
    return "\n".join(_lines(review, title)) + "\n"


def _lines(review: Review, title: str) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Review of {_text(title)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>Review of {_text(title)}</h1>"
    yield f"<p>{' '.join(map(_text, plain_sentences(review)))}</p>"
    for sentence in gate_sentences(review):
        yield f"<p><strong>{_text(sentence)}</strong></p>"
    for line in (*review.gate.warnings, *review.incomplete, *review.notes):
        yield f"<p>{_text(line)}</p>"
    yield f"<p>Base <code>{_text(review.base.label)}</code>{_why(review.base.why)}, head"
    yield f"<code>{_text(review.head.label)}</code>."
    yield f"{review.reviewed} of {len(review.to_review)} reviewed.</p>"
    yield from _metrics(review)
    yield "<h2>What differs</h2><ul>"
    yield from (f"<li>{_text(line)}</li>" for line in difference_lines(review.differences) or [nothing_differs(review)])
    yield "</ul>"
    flips = review.comparison.flips
    for heading, changes in (
        ("Broken", ("broken",)),
        ("Could not be compared", ("errored",)),
        ("Fixed", ("fixed",)),
        ("Moved", ("worse", "better")),
    ):
        several = [flip for flip in flips if flip.change in changes]
        if several:
            yield f"<h2>{heading} <small>{len(several)}</small></h2>"
            for flip in several:
                yield from _flip(review, flip)
    yield "</body></html>"


def _why(why: str) -> str:
    return f" ({_text(why)})" if why else ""


def _metrics(review: Review) -> Iterator[str]:
    yield "<table><tr><th>metric</th><th>base</th><th>head</th><th>change</th><th>n</th></tr>"
    for name, metric in review.comparison.metrics.items():
        cells = [_number(metric.base), _number(metric.head), _number(metric.change, sign=True), str(metric.n)]
        yield f"<tr><td>{_text(name)}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _flip(review: Review, flip: Flip) -> Iterator[str]:
    question = review.golden.get(flip.qid)
    said = review.decisions.get(flip.qid)
    yield f'<details class="{flip.change}"><summary><code>{_text(flip.qid)}</code>'
    yield f"{_text(question.question if question else '')}<br>{_text(happened(flip, k=review.comparison.k_head))}</summary>"
    if said is not None and (text := decision_text(said)):
        yield f'<p class="said">{_text(text)}</p>'
    for item in flip.head.items:
        if item.quote:
            yield f"<p>needs {_text(item.doc_id)}: <q>{_text(item.quote)}</q></p>"
    yield '<div class="sides">'
    for name, side, other, k in (
        ("Base", flip.base, flip.head, review.comparison.k_base),
        ("Head", flip.head, flip.base, review.comparison.k_head),
    ):
        yield f"<div><h3>{name}</h3>"
        yield from _ranking(side, other, k)
        if side.live is not None:
            yield f"<p>{_text(side.live.text[:_TEXT])}</p>"
        yield "</div>"
    yield "</div></details>"


def _ranking(side: QuestionResult, other: QuestionResult, k: int) -> Iterator[str]:
    there = {hit.chunk_id: rank for rank, hit in other.placed}
    yield "<ol>"
    for rank, hit in enumerate(side.hits[: max(_RANKS, k)], start=1):
        cut = ' class="cut"' if rank == k else ""
        yield f"<li{cut}>{_text(hit.chunk_id)} <small>(other side: {there.get(hit.chunk_id, '–')})</small></li>"
    yield "</ol>"


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return "–"
    return f"{value:+.3f}" if sign and round(value, 3) else f"{value:.3f}"


def _text(text: str) -> str:
    """Text of others: markup escaped, and what a browser would obey or turn round replaced."""
    return escape("".join(one if one.isprintable() or one in "\n\t" else "�" for one in text))
