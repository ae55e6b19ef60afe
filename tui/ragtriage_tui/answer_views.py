"""An answer as the screens show it, with all that is said of it: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragtriage_tui.text import Extent

__all__ = [
    "ARMS",
    "AXES",
    "UNCALIBRATED",
    "AnswerView",
    "Arm",
    "Asked",
    "CalibrationView",
    "CitationView",
    "Consent",
    "JudgeView",
    "MarkView",
    "SentView",
    "pager_lines",
]  # fmt: skip

Arm = Literal["oracle", "live", "padded", "forced"]
ARMS: tuple[Arm, ...] = ("oracle", "live", "padded", "forced")
"""What an answer was given, in the order they are shown."""

AXES: tuple[str, ...] = ("correct", "grounded", "cited", "honest", "addresses")
"""The five questions about an answer, in the order of their keys."""


class MarkView(NamedTuple):
    """One remark about an answer: `✗ lacks` + `30 days`. `good` None is neither."""

    good: bool | None
    word: str
    what: str = ""


class CitationView(NamedTuple):
    """One citation in the text of an answer, and the passages it names."""

    place: Extent
    numbers: tuple[int, ...]


class SentView(NamedTuple):
    """A passage that was given: `[1]` is the first. `doc_id` is empty where today's documents do not have it."""

    chunk_id: str
    doc_id: str = ""


class CalibrationView(NamedTuple):
    """How far a judge is known to agree with people: Cohen's kappa on each of AXES, and that in words; None is not known."""

    kappas: tuple[float | None, ...] = (None,) * len(AXES)
    words: tuple[str, ...] = ("uncalibrated",) * len(AXES)

    def word(self, axes: Sequence[str] = AXES) -> str:
        """`uncalibrated`, `kappa .71`, `kappa .41 to .83`, for some of AXES in one word."""
        chosen = [AXES.index(axis) for axis in axes]
        if not chosen or all(self.words[at] == "uncalibrated" for at in chosen):
            return "uncalibrated"
        if any(self.words[at] == "uncalibrated" for at in chosen):
            return "partly uncalibrated"
        kappas = [kappa for at in chosen if (kappa := self.kappas[at]) is not None]
        if len(kappas) < len(chosen):
            return "no kappa"
        low, high = (f"{value:.2f}".replace("0.", ".", 1) for value in (min(kappas), max(kappas)))
        few = ", too few" if any(self.words[at].endswith("too few") for at in chosen) else ""
        return f"kappa {low}{'' if low == high else f' to {high}'}{few}"


UNCALIBRATED = CalibrationView()


@dataclass(frozen=True, slots=True)
class JudgeView:
    """What a model says as a judge: yes, no or None on each of AXES. `calibration` is how far it agrees with people; `unstable`
    are axes that came out otherwise in another order; `reason` says why nothing was scored."""

    said: tuple[bool | None, ...]
    calibration: CalibrationView = UNCALIBRATED
    claims: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()
    reason: str = ""

    @property
    def word(self) -> str:
        """How far what it says here can be believed."""
        return self.calibration.word([axis for axis, said in zip(AXES, self.said, strict=True) if said is not None])


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer with its remarks, the worst first. `good` None: could not be judged. `cited` are the passages it names, in
    order and each once; `cost` what it took, from the shortest form to the longest."""

    good: bool | None
    given: str
    text: str
    marks: tuple[MarkView, ...] = ()
    passages: tuple[SentView, ...] = ()
    citations: tuple[CitationView, ...] = ()
    judge: JudgeView | None = None
    cost: tuple[str, ...] = ()

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(number for citation in self.citations for number in citation.numbers))

    def passage(self, number: int) -> SentView | None:
        """What `[number]` points to; None where that was not given."""
        return self.passages[number - 1] if 1 <= number <= len(self.passages) else None


class Consent(NamedTuple):
    """What must be agreed to before anything is sent: a question, and the lines above it that say all of it. `token` is what
    agreeing is told by; `obstacle` says why nobody can agree."""

    question: str
    lines: tuple[str, ...]
    token: str
    obstacle: str = ""


class Asked(NamedTuple):
    """What came of asking about one question: a sentence. `wrong`: an answer failed, or nothing came."""

    qid: str
    message: str
    wrong: bool = False


def pager_lines(answer: AnswerView) -> list[str]:
    """All that is said of an answer, as lines for the pager."""
    sign = {True: "✓", False: "✗", None: "·"}
    lines = [f"  {sign[mark.good]} {mark.word} {mark.what}".rstrip() for mark in answer.marks]
    if judge := answer.judge:
        said = "  ".join(f"{sign[value]} {axis}" for axis, value in zip(AXES, judge.said, strict=True))
        lines.append(f"  judge, {judge.word}: {judge.reason or said}")
        lines += [f"  ✗ unsupported: {claim}" for claim in judge.claims]
        lines += [f"  ! unstable: {', '.join(judge.unstable)}"] if judge.unstable else []
    return lines + ([f"  {answer.cost[-1]}"] if answer.cost else [])
