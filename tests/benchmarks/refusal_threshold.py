"""When the extractive generator refuses: its constants chosen on some sets, and measured on one that has no say.

The generator answers where best cosine + weight × coverage >= fits + per_fold × ln(passages / 5). The first two constants are
chosen here on mongodb-faq, chunking-eval and the sample, and on nothing else. Each of their questions is asked over the first
k passages of its ranking where these hold evidence (it should be answered), and over the first k of the same ranking with
every chunk of its evidence left out (it should be refused, as should the unanswerable questions of these sets over what is
found for them). Chosen are the weight and the threshold with the largest mean, over the three sets alike, of the balanced
accuracy: the mean of the share answered among the first and the share refused among the second. Of equals the lower threshold
is taken.

The third is chosen when the others are, on the same sets: so that questions are answered as often from their evidence alone
as from five passages that hold it, in the mean over the sets. It plays no part where five passages are sent.

It is a harder task than the one that it is for, since what a ranking holds beside the evidence is often about the same matter
and sometimes answers as well; it orders constants all the same. What was chosen is then applied to clapnq-dev, whose questions
are asked over what is found for them, 300 that its passages answer and 300 that they do not. `top cosine alone` is the same
procedure with the weight 0; the last figure is what nobody may claim, a threshold chosen on clapnq-dev itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tests.benchmarks.contexts import Asked, asked_of, selected_sentences, share_said
from tests.benchmarks.harness import Bench, Figure, at_least, at_most, info

from ragtriage.answers.extractive import _PER_FOLD, REFUSAL, ExtractiveGenerator, Fit
from ragtriage.project import Project
from ragtriage.types import Passage

CHOOSE_ON = ("mongodb-faq", "chunking-eval", "sample_corpus")
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
THRESHOLDS = np.arange(40, 161) / 100
K = 5
PER_FOLD = np.arange(21) / 100
RESAMPLES = 500

Floats = npt.NDArray[np.float64]


class Cases(NamedTuple):
    """Of each case the best cosine, the coverage, and whether it should be answered."""

    cosine: Floats
    coverage: Floats
    answerable: npt.NDArray[np.bool_]

    def accuracy(self, weight: float) -> Floats:
        """The balanced accuracy at each of THRESHOLDS."""
        score = self.cosine + weight * self.coverage
        yes, no = np.sort(score[self.answerable]), np.sort(score[~self.answerable])
        answered = 1 - np.searchsorted(yes, THRESHOLDS) / len(yes)
        refused = np.searchsorted(no, THRESHOLDS) / len(no)
        return (answered + refused) / 2

    def resampled(self, rng: np.random.Generator) -> Cases:
        """As many cases of either kind, drawn with replacement."""
        parts = [
            rng.choice(np.flatnonzero(self.answerable == kind), int((self.answerable == kind).sum())) for kind in (True, False)
        ]
        rows = np.concatenate(parts)
        return Cases(self.cosine[rows], self.coverage[rows], self.answerable[rows])


class Choice(NamedTuple):
    """`mean` is the mean balanced accuracy of the sets that it was chosen on."""

    weight: float
    fits: float
    mean: float


def choose(sets: list[Cases], weights: tuple[float, ...] = WEIGHTS) -> Choice:
    """The procedure of this module's description."""
    found = []
    for weight in weights:
        mean = np.mean([cases.accuracy(weight) for cases in sets], axis=0).round(6)
        best = int(mean.argmax())  # the first of equals
        found.append(Choice(weight, float(THRESHOLDS[best]), float(mean[best])))
    return max(found, key=lambda choice: choice.mean)


def choose_per_fold(pairs: list[list[tuple[Fit, Fit]]], choice: Choice) -> float:
    """What makes questions be answered as often over the first of two contexts as over the second, in the mean of the sets."""

    def answered(fits: list[Fit], per_fold: float) -> float:
        score = np.array([(fit.cosine or 0.0) + choice.weight * fit.coverage for fit in fits])
        bar = choice.fits + per_fold * np.log(np.array([fit.passages for fit in fits]) / K)
        return float((score >= bar).mean())

    apart = [
        abs(fmean(answered([a for a, _ in one], value) - answered([b for _, b in one], value) for one in pairs))
        for value in PER_FOLD
    ]
    return float(PER_FOLD[int(np.argmin(np.round(apart, 6)))])


def live_and_oracle(generator: ExtractiveGenerator, asked: list[Asked]) -> list[tuple[Fit, Fit]]:
    """How the questions whose evidence was found fit what was found, and the evidence alone."""
    pairs = []
    for one in asked:
        if one.inside and one.oracle:
            live = generator.fit(one.question.question, one.live, sent=one.question.sent)
            oracle = generator.fit(one.question.question, one.oracle, sent=one.question.sent)
            if live and oracle:
                pairs.append((live, oracle))
    return pairs


def measured(cases: Cases, choice: Choice) -> float:
    """The balanced accuracy of a choice."""
    return float(cases.accuracy(choice.weight)[np.abs(THRESHOLDS - choice.fits).argmin()])


def with_and_without(one: Asked) -> list[tuple[tuple[Passage, ...], bool]]:
    """A question of a set that is chosen on: what it is asked over, and whether it should be answered."""
    if not one.question.answerable:
        return [(one.live, False)]
    if one.oracle is None:
        return []
    return [*([(one.live, True)] if one.inside else []), (one.without, False)]


def as_it_is(one: Asked) -> list[tuple[tuple[Passage, ...], bool]]:
    """A question of the set that is measured."""
    return [(one.live, one.question.answerable)]


def cases_of(
    generator: ExtractiveGenerator, asked: list[Asked], contexts: Callable[[Asked], list[tuple[tuple[Passage, ...], bool]]]
) -> Cases:
    """The cases that a generator sees; those without a passage or a term are refused whatever the constants."""
    rows = []
    for one in asked:
        for passages, answerable in contexts(one):
            fit = generator.fit(one.question.question, passages, sent=one.question.sent)
            if fit is not None and fit.cosine is not None:
                rows.append((fit.cosine, fit.coverage, answerable))
    cosine, coverage, answerable = zip(*rows, strict=True)
    return Cases(np.array(cosine), np.array(coverage), np.array(answerable))


def refuses(generator: ExtractiveGenerator, one: Asked) -> bool:
    """Whether the generator as it is refuses a question over what was found for it."""
    return generator.answer(one.question.question, one.live, sent=one.question.sent).text == REFUSAL


def said(
    generator: ExtractiveGenerator, asked: list[Asked], sentences: dict[str, list[str]]
) -> tuple[list[float], list[float]]:
    """The shares of the sentences that people chose which the answers hold, live and oracle, of the questions with both."""
    live, oracle = [], []
    for one in asked:
        chosen = sentences.get(one.question.qid)
        if chosen and one.oracle:
            live.append(share_said(generator.answer(one.question.question, one.live).text, chosen))
            oracle.append(share_said(generator.answer(one.question.question, one.oracle).text, chosen))
    return live, oracle


def run(bench: Bench) -> list[Figure]:
    names = {name: bench.copy_of(name) if name == "sample_corpus" else bench.set(name) for name in CHOOSE_ON}
    every = [_asked(folder) for folder in names.values()]
    sets = [cases_of(*one, with_and_without) for one in every]
    chosen = choose(sets)
    figures = [
        info(
            f"weight {chosen.weight:g}, fits {threshold:.2f}: mean of the sets chosen on",
            fmean(measured(cases, chosen._replace(fits=threshold)) for cases in sets),
            note=", ".join(
                f"{name} {measured(cases, chosen._replace(fits=threshold)):.3f}"
                for name, cases in zip(names, sets, strict=True)
            ),
        )
        for threshold in sorted({0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 1.00, chosen.fits})
    ]
    figures += [
        info(f"weight {weight:g}: best mean", best.mean, note=f"fits {best.fits:.2f}")
        for weight in WEIGHTS
        if (best := choose(sets, (weight,)))
    ]
    generator, clapnq = _asked(bench.set("clapnq-dev"))
    in_use = generator._rule.fits
    per_fold = choose_per_fold([live_and_oracle(*one) for one in every], chosen)
    figures.append(info("chosen: weight", chosen.weight, note="in use: 0.5"))
    figures.append(info("chosen: fits", chosen.fits, note=f"in use: {in_use:g}"))
    figures.append(at_most("chosen: fits, away from that in use", round(abs(chosen.fits - in_use), 4), 0.01))
    figures.append(
        at_most("chosen: per_fold, away from that in use", round(abs(per_fold - _PER_FOLD), 4), 0.01, note=f"{per_fold}")
    )
    cases = cases_of(generator, clapnq, as_it_is)
    rng = np.random.default_rng(7)
    value = measured(cases, chosen)
    low, high = np.quantile([measured(cases.resampled(rng), chosen) for _ in range(RESAMPLES)], [0.025, 0.975])
    figures.append(at_least("clapnq-dev: balanced refusal accuracy", value, 0.75, note=f"95 % {low:.3f} to {high:.3f}"))
    for what, answerable in (("answerable, refused", True), ("unanswerable, answered", False)):
        some = [one for one in clapnq if one.question.answerable == answerable]
        wrong = sum(refuses(generator, one) == answerable for one in some)
        figures.append(info(f"clapnq-dev: {what}, as the generator is", wrong / len(some), note=f"{wrong} of {len(some)}"))
    live, oracle = said(generator, clapnq, selected_sentences(bench.set("clapnq-dev")))
    note = f"{len(live)} questions; live {fmean(live):.3f}, oracle {fmean(oracle):.3f}"
    figures.append(at_least("clapnq-dev: chosen sentences said, oracle less live", fmean(oracle) - fmean(live), 0.0, note=note))
    again = [choose([one.resampled(rng) for one in sets]) for _ in range(RESAMPLES)]
    low, middle, high = np.quantile([measured(cases, choice) for choice in again], [0.025, 0.5, 0.975])
    figures.append(info("clapnq-dev: had other questions been chosen on", middle, note=f"95 % {low:.3f} to {high:.3f}"))
    alone = choose(sets, (0.0,))
    figures.append(info("clapnq-dev: top cosine alone, chosen likewise", measured(cases, alone), note=f"fits {alone.fits:.2f}"))
    best = choose([cases], (0.0,))
    figures.append(info("clapnq-dev: top cosine alone, chosen on clapnq-dev", best.mean, note=f"fits {best.fits:.2f}"))
    best = choose([cases])
    figures.append(info("clapnq-dev: the rule, chosen on clapnq-dev", best.mean, note=f"{best.weight:g}, {best.fits:.2f}"))
    return figures


def _asked(folder: Path) -> tuple[ExtractiveGenerator, list[Asked]]:
    project = Project.open(folder)
    try:
        return asked_of(project, K)
    finally:
        project.close()  # ends the encoder; the vectors are there
