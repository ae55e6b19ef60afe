"""evals/calibration.json: what a judge was calibrated at, in the repository beside the reviews that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragtriage.answers.calibration import AxisFigures, Calibration
from ragtriage.errors import GoldenError, Problem
from ragtriage.files import read_file, rewrite
from ragtriage.json_lines import dump_pretty, load_json, not_json
from ragtriage.types import AXES, Axis

__all__ = ["FILE_NAME", "load_calibration", "save_calibration"]

FILE_NAME = "calibration.json"
"""What it is called, in the folder of the golden set."""

_FORMAT = 1
_NUMBERS = {
    "agreement": (0.0, 1.0),
    "kappa": (-1.0, 1.0),
    "low": (-1e6, 1e6),
    "high": (-1e6, 1e6),
    "length_bias": (-1.0, 1.0),
}
_COUNTS = ("n", "undecided")
_QIDS = ("false_positives", "false_negatives")


def save_calibration(path: Path, calibration: Calibration) -> None:
    """Replace the file, atomically. Raises StorageError."""
    axes = {axis: _plain(figures) for axis, figures in calibration.axes.items()}
    data = dump_pretty({"format": _FORMAT, "judge": calibration.judge, "at": calibration.at, "axes": axes})
    rewrite(path, lambda _: data)


def load_calibration(path: Path) -> Calibration | None:
    """What `save_calibration` wrote, None where there is no file. Raises GoldenError where it is anything else."""
    try:
        value = load_json(read_file(path))
        return _calibration(value)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except _Wrong as error:
        why = str(error)
    except ValueError as error:
        why = not_json(error)
    raise GoldenError.of([Problem(str(path), 0, f"{why}; run `ragtriage judge calibrate` to write it again")])


class _Wrong(Exception):
    """The file is JSON, but not of the right shape."""


def _plain(figures: AxisFigures) -> dict[str, Any]:
    names = ("n", "undecided", "agreement", "kappa", "low", "high", "why", "false_positives", "false_negatives", "length_bias")
    values = {name: getattr(figures, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _calibration(value: Any) -> Calibration:
    value = _object(value, "the file")
    if value.get("format") != _FORMAT:
        raise _Wrong(f"format: {_FORMAT} is needed; another version of ragtriage wrote it")
    axes = _object(value.get("axes"), "axes")
    for name in ("judge", "at"):
        if not isinstance(value.get(name), str):
            raise _Wrong(f"{name}: a string is needed")
    figures = {axis: _read_figures(axis, _object(axes[axis], axis)) for axis in AXES if axis in axes}
    return Calibration(value["judge"], value["at"], figures)


def _read_figures(axis: Axis, value: Mapping[str, Any]) -> AxisFigures:
    fields: dict[str, Any] = {}
    for name in _COUNTS:
        count = value.get(name)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise _Wrong(f"{axis}.{name}: a count is needed")
        fields[name] = count
    for name, (low, high) in _NUMBERS.items():
        number = value.get(name)
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, (int, float)) or not low <= number <= high
        ):
            raise _Wrong(f"{axis}.{name}: a number or null is needed")
        fields[name] = number
    for name in _QIDS:
        qids = value.get(name)
        if not isinstance(qids, list) or not all(isinstance(qid, str) for qid in qids):
            raise _Wrong(f"{axis}.{name}: a list of question ids is needed")
        fields[name] = tuple(qids)
    if not isinstance(value.get("why"), str):
        raise _Wrong(f"{axis}.why: a string is needed")
    return AxisFigures(**fields, why=value["why"])


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"{where}: a JSON object is needed")
    return value
