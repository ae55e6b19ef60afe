"""Labels whose text is gone from the documents: where a gate is not ok, that may be why, and is worth a warning."""

from __future__ import annotations

import dataclasses

from ragtriage.compare.comparison import Comparison
from ragtriage.gate.results import Gate
from ragtriage.gate.words import labels_gone

__all__ = ["gone_warning", "with_gone"]


def with_gone(gate: Gate, comparison: Comparison) -> Gate:
    """The gate with `gone_warning` among its warnings, if it is not ok."""
    warning = gone_warning(comparison) if gate.outcome != "ok" else ""
    return dataclasses.replace(gate, warnings=(*gate.warnings, warning)) if warning else gate


def gone_warning(comparison: Comparison) -> str:
    """How many of the dev questions that have less of their evidence now, or none, have a label that is nowhere any more; ""
    where none has.
    """
    lost = [one for one in comparison.flips if one.change in ("broken", "worse") and one.half == "retrieval"]
    lost = [one for one in lost if one.head.split == "dev"]
    gone = sum(any(item.how.startswith("missing-") for item in one.head.items) for one in lost)
    return labels_gone(gone, len(lost)) if gone else ""
