"""How far a judge can be believed: its verdicts against those of people on the same answers, axis by axis.

What is found holds for that judge alone. A changed model, template or rubric is another judge, and uncalibrated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ragtriage.answers.kappa import Kappa, cohens_kappa
from ragtriage.types import AXES, Axis

__all__ = ["FEWEST", "AxisFigures", "Calibration", "Pair", "Rated", "calibrate", "calibration_of"]

FEWEST = 20  # answers that both decided: below it a kappa says next to nothing


class Rated(Protocol):
    """What somebody says about an answer: types.Judged, or triage.reviews.Review."""

    def on(self, axis: Axis, /) -> bool | None: ...


class Pair(NamedTuple):
    """One answer as the judge and as a person see it. `length` is that of its text, in characters."""

    qid: str
    judge: Rated
    person: Rated
    length: int


@dataclass(frozen=True, slots=True)
class AxisFigures:
    """One axis. `n` answers were decided by both; `undecided` are those where the judge cannot tell, or the person is unsure or
    says nothing.

    `false_positives` are the questions where the judge says yes and the person no, `false_negatives` the other way round.
    `kappa` with its 95 % interval is None where both always say the same; where one of them does, it is 0 and says nothing.
    `why` tells either in words. `length_bias` is the rank correlation, from -1 to 1, of an
    answer's length with the judge's verdict minus the person's (1, 0 or -1): above 0, the judge is kinder to long answers than
    people are. It is None where they never differ or all answers are of one length.
    """

    n: int
    undecided: int
    agreement: float | None
    kappa: float | None
    low: float | None
    high: float | None
    why: str
    false_positives: tuple[str, ...]
    false_negatives: tuple[str, ...]
    length_bias: float | None

    @property
    def says_nothing(self) -> bool:
        """Whether there is no kappa, or none that says anything: one side, or both, always say one thing."""
        return bool(self.why)

    @property
    def few(self) -> bool:
        """Whether it rests on too few answers to be relied on; it is shown all the same."""
        return self.n < FEWEST

    def __str__(self) -> str:
        """`kappa 0.71 (0.50 to 0.92), n 40`, or why it says nothing; with `too few` where it is."""
        if self.why and self.kappa is not None:
            return f"{self.why} (n {self.n}): kappa says nothing"
        if self.kappa is None or self.low is None or self.high is None:
            said = f"no kappa ({self.why}), n {self.n}"
        else:
            said = f"kappa {self.kappa:.2f} ({self.low:.2f} to {self.high:.2f}), n {self.n}"
        return f"{said}, too few" if self.few else said


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was found for one judge (`answers.judge_prompt.judge_identity`) at a time (UTC)."""

    judge: str
    at: str
    axes: Mapping[Axis, AxisFigures]


def calibrate(pairs: Sequence[Pair]) -> dict[Axis, AxisFigures]:
    """The figures of every axis. An answer that one side left undecided on an axis is not in that axis' figures."""
    return {axis: _figures(axis, pairs) for axis in AXES}


def calibration_of(calibration: Calibration | None, axis: Axis, judge: str) -> AxisFigures | None:
    """What is known of `judge` on one axis. None, uncalibrated: nothing, or it is of another judge."""
    if calibration is None or calibration.judge != judge:
        return None
    figures = calibration.axes.get(axis)
    return figures if figures is not None and figures.n else None


def _figures(axis: Axis, pairs: Sequence[Pair]) -> AxisFigures:
    both = [(pair, pair.judge.on(axis), pair.person.on(axis)) for pair in pairs]
    decided = [(pair, judge, person) for pair, judge, person in both if judge is not None and person is not None]
    table = [[0, 0], [0, 0]]
    for _, judge, person in decided:
        table[judge][person] += 1
    kappa = cohens_kappa(table)
    return AxisFigures(
        n=kappa.n,
        undecided=len(pairs) - len(decided),
        agreement=kappa.agreement,
        kappa=kappa.kappa,
        low=kappa.low,
        high=kappa.high,
        why=_why(kappa),
        false_positives=tuple(pair.qid for pair, judge, person in decided if judge and not person),
        false_negatives=tuple(pair.qid for pair, judge, person in decided if person and not judge),
        length_bias=_rank_correlation(
            [pair.length for pair, _, _ in decided], [judge - person for _, judge, person in decided]
        ),
    )


def _why(kappa: Kappa) -> str:
    """Rows are the judge's, columns the people's; the second category is yes."""
    if kappa.one_sided is None:
        return kappa.why
    said = "yes" if kappa.one_sided.category else "no"
    return f"the judge always says {said}" if kappa.one_sided.rater == "rows" else f"people always say {said}"


def _rank_correlation(left: Sequence[int], right: Sequence[int]) -> float | None:
    """Spearman's rho: the correlation of ranks, equal values sharing theirs. None where one side is all equal."""
    x, y = _ranks(left), _ranks(right)
    middle = (len(x) + 1) / 2
    together = sum((one - middle) * (other - middle) for one, other in zip(x, y, strict=True))
    apart = sum((one - middle) ** 2 for one in x) * sum((one - middle) ** 2 for one in y)
    return max(-1.0, min(1.0, together / apart**0.5)) if apart else None


def _ranks(values: Sequence[int]) -> list[float]:
    order = sorted(values)
    first = {value: at for at, value in reversed(list(enumerate(order, start=1)))}
    last = {value: at for at, value in enumerate(order, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]
