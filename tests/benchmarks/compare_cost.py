"""`ragtriage compare` of two stored runs as a whole process, and regressions planted in one of them, which it has to name."""

from __future__ import annotations

import dataclasses
import random
from functools import partial
from pathlib import Path

from tests.benchmarks.harness import IMPORT, Bench, Figure, at_least, at_most, info, interleaved, ratio, seconds

from ragtriage.compare.comparison import compare
from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.metrics.reciprocal_rank import reciprocal_rank
from ragtriage.project import Project

ROUNDS = 7
PLANTED = 10


def run(bench: Bench) -> list[Figure]:
    folder = bench.copy_of("cranfield")
    bench.json("eval", folder)
    bench.json("eval", folder, "--mode", "bm25")
    figures = _planted(folder)
    commands = {
        "import": IMPORT,
        "text": bench.command("-C", folder, "compare", "latest~1", "latest"),
        "json": bench.command("-C", folder, "compare", "latest~1", "latest", "--json"),
    }
    for command in commands.values():
        seconds(command)  # modules compiled
    times = interleaved({name: partial(seconds, command) for name, command in commands.items()}, ROUNDS)
    for name in ("text", "json"):
        value, note = ratio(times[name], times["import"])
        figures.append(at_most(f"compare of two runs as {name}: x import sentence_transformers", value, 0.08, note=note))
    return figures


def _planted(folder: Path) -> list[Figure]:
    """Ten questions lose their evidence among many that move and stay on their side of k."""
    project = Project.open(folder)
    base = project.runs.load(project.runs.find("latest~1").id)
    head, planted = plant(base, PLANTED, seed=20240229)
    broken = {flip.qid for flip in compare(base, head).of("broken")}
    moved = compare(base, head).flips
    project.close()
    return [
        at_least("planted regressions that are named", len(broken & planted), PLANTED),
        at_most("questions named that were not planted", len(broken - planted), 0),
        info("questions that moved besides", len(moved) - len(broken)),
    ]


def plant(base: Run, number: int, *, seed: int) -> tuple[Run, set[str]]:
    """A copy of `base` in which `number` found questions lose all their evidence, and every other one moves a little or not at
    all without crossing k; the ids of the former."""
    generator = random.Random(seed)
    k = int(base.manifest["k"])
    found = sorted(question.qid for question in base.questions if question.status == "found")
    lost = set(generator.sample(found, number))
    questions = tuple(
        _lost(question, k, generator) if question.qid in lost else _nudged(question, k, generator)
        for question in base.questions
    )
    return Run("planted", base.manifest, questions), lost


def _lost(question: QuestionResult, k: int, generator: random.Random) -> QuestionResult:
    items = tuple(_at(item, k + generator.randint(1, 40)) if _inside(item, k) else item for item in question.items)
    return _with(question, items, status="missed", suggested="ranked-too-low", lost_at="context")


def _nudged(question: QuestionResult, k: int, generator: random.Random) -> QuestionResult:
    """Each item at a rank near its own, on the same side of k; a third of the questions as they are."""
    if generator.random() < 1 / 3:
        return question
    items = []
    for item in question.items:
        rank = item.rank
        if rank is not None:
            near = max(1, rank + generator.randint(-3, 3))
            rank = near if (near <= k) == (rank <= k) else rank
        items.append(_at(item, rank))
    return _with(question, tuple(items))


def _inside(item: ItemResult, k: int) -> bool:
    return item.rank is not None and item.rank <= k


def _at(item: ItemResult, rank: int | None) -> ItemResult:
    return dataclasses.replace(item, rank=rank)


def _with(question: QuestionResult, items: tuple[ItemResult, ...], **changed: str) -> QuestionResult:
    rr = None if question.rr is None else reciprocal_rank([item.rank for item in items])
    return dataclasses.replace(question, items=items, rr=rr, **changed)
