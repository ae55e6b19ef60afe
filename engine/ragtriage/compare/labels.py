"""The change of each metric, split into what new labels and what the retriever made of it, where two runs differ in labels.

Questions whose words changed are in neither share: another question was asked.
"""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from ragtriage.compare.comparison import Comparison
from ragtriage.compare.label_change import LabelChange, Unsplit, split_change
from ragtriage.metrics.base import parse_metric
from ragtriage.project import Project

__all__ = ["LabelSplit", "label_splits"]

LabelSplit: TypeAlias = "LabelChange | Unsplit"


def label_splits(comparison: Comparison, project: Project) -> dict[str, LabelSplit]:
    """By metric, over the common and the relabelled questions; empty where no label differs.

    `project` is what the head was measured on.
    """
    if not comparison.apart.relabelled:
        return {}
    kept = {*comparison.common, *comparison.apart.relabelled}
    names = {pair.base.qid: pair.qid for pair in comparison.pairs}  # a question that was renamed goes by its new id
    old = tuple(
        dataclasses.replace(question, qid=names.get(question.qid, question.qid))
        for question in comparison.base.questions
        if names.get(question.qid, question.qid) in kept
    )
    new = tuple(question for question in comparison.head.questions if question.qid in kept)
    base, head = (dataclasses.replace(run, questions=some) for run, some in ((comparison.base, old), (comparison.head, new)))
    return {name: split_change(base, head, project, parse_metric(name)) for name in comparison.metrics}
