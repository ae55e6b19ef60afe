"""Do the grades that need no model prefer the answers that people prefer? 280 pairs of answers, two annotators each.

The pairs come without must-mentions and without passages, so both are made from the answer that the set holds for true, by a
rule that was written down before anything was measured and that nothing was tuned by:

- *numbers* in digits, with the word that follows where it has letters: `30 days`
- *names*: words with a capital that do not begin a sentence, neighbours together: `Louis Armstrong`
- *rare terms*: words of five letters or more that at most 3 of the set's true answers hold

none of which stand in the question. Per pair and grade, the answer with the larger share of them mentioned is preferred, the
one with fewer numbers that neither the true answer nor the question holds, and the one that does not refuse. *Combined* asks
for the refusal first, then for the share, then for the numbers. Longer answers are often preferred by people, so the number of
characters stands beside as what is to be beaten.

An annotator's label is -2..2, above 0 where the second answer is better. Agreement is counted over the labels that are not 0:
1 where the grade prefers the same answer, a half where it prefers neither, so that a coin and a grade that never decides come
to 0.5. A number may well stand in a passage that the set does not have: that grade is at its worst here. The ceiling is the
other annotator in the place of the grade. `decided` is how often a grade has a preference at all;
the rank correlation is over all labels, ties and all.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from tests.benchmarks.harness import Bench, Figure, info

from ragtriage.answers.citations import without_citations
from ragtriage.answers.must_mention import mentions
from ragtriage.answers.numbers import unsupported_numbers
from ragtriage.answers.refusal import is_refusal
from ragtriage.answers.sentences import sentence_spans

ASKED = ("correctness", "overall")
RARE = 3  # true answers that may hold a rare term
RESAMPLES = 1000

_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NAME = re.compile(r"[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")

Prefers = Callable[[dict[str, Any]], float]
"""Above 0 where the second answer of a pair is better."""


def must_mentions(true_answer: str, question: str, held_by: Counter[str]) -> list[str]:
    """The phrases that an answer should mention, by the rule of this module's description."""
    text = without_citations(true_answer)
    found: dict[str, None] = {}
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        for match in _NUMBER.finditer(sentence):
            after = re.match(r"[\s-]+([a-z]+)", sentence[match.end() :])
            found[f"{match[0]} {after[1]}" if after else match[0]] = None
        first = re.search(r"\w+", sentence)
        begins = first.end() if first else 0
        found.update(dict.fromkeys(match[0] for match in _NAME.finditer(sentence, begins)))
        found.update(dict.fromkeys(word for word in _words(sentence) if len(word) >= 5 and held_by[word] <= RARE))
    return [phrase for phrase in found if not mentions(question, phrase)]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def run(bench: Bench) -> list[Figure]:
    path = bench.set("generation-meta-eval") / "ragchecker_human_pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        pairs[row["instance_id"]].append(row)
    both = [two for two in pairs.values() if len(two) == 2]
    true_answers = {row["gt_answer"] for row in rows}
    held_by = Counter(word for answer in true_answers for word in set(_words(answer)))
    phrases = {id(two): must_mentions(two[0]["gt_answer"], two[0]["query"], held_by) for two in both}
    figures = [info("pairs", len(both), note="two annotators each"), _about_phrases(list(phrases.values()))]
    for asked in ASKED:
        labels = np.array([[row[f"{asked}_label"] for row in two] for two in both], dtype=float)
        figures.append(info(f"{asked}: labels that prefer neither", float((labels == 0).mean())))
        figures.append(_figure(asked, "the other annotator (ceiling)", labels[:, ::-1], labels))
        for name, prefers in _grades().items():
            scores = np.array([prefers({**two[0], "phrases": phrases[id(two)]}) for two in both])
            figures.append(_figure(asked, name, np.stack([scores, scores], axis=1), labels))
    return figures


def _about_phrases(every: list[list[str]]) -> Figure:
    counts = np.array([len(phrases) for phrases in every])
    note = f"median {np.median(counts):.0f}, none at {int((counts == 0).sum())}"
    return info("phrases a true answer gives", float(counts.mean()), note=note)


def _grades() -> dict[str, Prefers]:
    def said(pair: dict[str, Any], model: str) -> float:
        phrases = pair["phrases"]
        return _share(pair[model]["response"], tuple(phrases)) if phrases else 0.0

    def made_up(pair: dict[str, Any], model: str) -> int:
        return len(unsupported_numbers(pair[model]["response"], [pair["gt_answer"], pair["query"]]))

    def refused(pair: dict[str, Any], model: str) -> bool:
        return is_refusal(pair[model]["response"])

    def less(of: Callable[[dict[str, Any], str], float]) -> Prefers:
        return lambda pair: of(pair, "model1") - of(pair, "model2")

    def combined(pair: dict[str, Any]) -> float:
        differences = (less(refused)(pair), -less(said)(pair), less(made_up)(pair))
        return next((2.0 * one if at == 0 else one for at, one in enumerate(differences) if one), 0.0)

    return {
        "combined": combined,
        "share mentioned": lambda pair: -less(said)(pair),
        "unsupported numbers": less(made_up),
        "refusal": less(refused),
        "characters (a baseline)": lambda pair: float(len(pair["model2"]["response"]) - len(pair["model1"]["response"])),
        "a coin (chance)": lambda _: 0.0,
    }


@cache
def _share(response: str, phrases: tuple[str, ...]) -> float:
    return sum(mentions(response, phrase) for phrase in phrases) / len(phrases)


def _figure(asked: str, name: str, scores: npt.NDArray[np.float64], labels: npt.NDArray[np.float64]) -> Figure:
    """Agreement with the labels, its interval over pairs, how often there is a preference, and the rank correlation."""
    value = _agreement(scores, labels)
    rng = np.random.default_rng(11)
    draws = (rng.integers(0, len(labels), len(labels)) for _ in range(RESAMPLES))
    low, high = np.quantile([_agreement(scores[rows], labels[rows]) for rows in draws], [0.025, 0.975])
    decided = float((scores[labels != 0] != 0).mean())
    note = f"95 % {low:.3f} to {high:.3f}; decided {decided:.2f}"
    if decided:
        note += f"; rank correlation {_spearman(scores.ravel(), labels.ravel()):.2f}"
    return info(f"{asked}: {name}", value, note=note)


def _agreement(scores: npt.NDArray[np.float64], labels: npt.NDArray[np.float64]) -> float:
    counted = labels != 0
    return float(((np.sign(scores[counted]) * np.sign(labels[counted]) + 1) / 2).mean())


def _spearman(first: Iterable[float], second: Iterable[float]) -> float:
    """Pearson's correlation of the ranks, ties at their mean rank."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Iterable[float]) -> npt.NDArray[np.float64]:
    _, place, times = np.unique(np.array(list(values)), return_inverse=True, return_counts=True)
    ends = np.cumsum(times)
    means: npt.NDArray[np.float64] = (ends - (times - 1) / 2)[place]
    return means
