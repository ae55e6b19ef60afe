"""evals/baseline.json on disk: sorted keys, one question a line, so that a diff shows which questions changed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from ragtriage.errors import GoldenError, Problem
from ragtriage.files import atomic_write, locked, read_file
from ragtriage.gate.baseline import Baseline, Update
from ragtriage.gate.baseline_kept import Kept, KeptAnswer, KeptItem
from ragtriage.golden.spelled import repeated_keys
from ragtriage.json_lines import dump_spaced, load_json, not_json
from ragtriage.types import AXES, KINDS, Needs, Status

__all__ = ["dump_baseline", "load_baseline", "plain_baseline", "save_baseline"]

_FORMAT = 1
_AGAIN = "restore it from git, or run `ragtriage baseline update` after moving it away"


def save_baseline(path: Path, baseline: Baseline) -> None:
    """Replace the file, atomically. Raises StorageError."""
    with locked(path):
        atomic_write(path, dump_baseline(baseline))


def load_baseline(path: Path) -> Baseline | None:
    """What `save_baseline` wrote, None where there is no file. Raises GoldenError where it is anything else."""
    line = 0
    try:
        data = read_file(path)
        value = _object(load_json(data), "the file")
        if said := _repeated(data.decode("utf-8", "replace")):
            line, key = said
            raise _Wrong(f"{key!r} stands twice in one object, as after a merge")
        return _baseline(value)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except _Wrong as error:
        why = str(error)
    except ValueError as error:
        why = not_json(error)
    raise GoldenError.of([Problem(str(path), line, f"{why}; {_AGAIN}")])


def _repeated(text: str) -> tuple[int, str] | None:
    """The line and name of a key that stands twice in one object, of which JSON would take the last; line 0: not known."""
    keys = repeated_keys(text)
    if not keys:
        return None
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if inside := repeated_keys(line.strip().rstrip(",")):
            return number, inside[0]
    starts = (number for number in range(len(lines), 0, -1) if lines[number - 1].lstrip().startswith(f'"{keys[0]}"'))
    return next(starts, 0), keys[0]


def dump_baseline(baseline: Baseline) -> bytes:
    """The file's content."""
    value = plain_baseline(baseline)
    entries = [f'  "{key}": '.encode() + _block(value[key]) for key in sorted(value)]
    return b"{\n" + b",\n".join(entries) + b"\n}\n"


def plain_baseline(baseline: Baseline) -> dict[str, Any]:
    """The baseline as JSON values."""
    return {
        "at": baseline.at,
        "config": dict(baseline.config),
        "fingerprints": dict(baseline.fingerprints),
        "format": _FORMAT,
        "history": [_plain_change(change) for change in baseline.history],
        "judge": baseline.judge or None,
        "k": baseline.k,
        "metrics": {name: dict(metric) for name, metric in baseline.metrics.items()},
        "modified": baseline.modified,
        "questions": [_plain(kept) for kept in baseline.questions],
        "revision": baseline.revision or None,
        "run": baseline.run,
    }


def _block(value: Any) -> bytes:
    """A list, or an object of objects, with one entry a line; anything else on one line."""
    if isinstance(value, list) and value:
        return b"[\n" + b",\n".join(b"    " + _line(one) for one in value) + b"\n  ]"
    if isinstance(value, dict) and any(isinstance(one, dict) for one in value.values()):
        lines = [b"    " + _line(key) + b": " + _line(value[key]) for key in sorted(value)]
        return b"{\n" + b",\n".join(lines) + b"\n  }"
    return _line(value)


def _line(value: Any) -> bytes:
    return dump_spaced(_sorted(value)).rstrip(b"\n")


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, (list, tuple)) else value


def _plain_change(change: Update) -> dict[str, Any]:
    return {
        "at": change.at,
        "revision": change.revision or None,
        "reason": change.reason or None,
        "dropped": change.dropped,
        "joined": change.joined,
        "left": change.left,
        "metrics": {name: list(both) for name, both in change.metrics.items()},
    }


def _plain(kept: Kept) -> dict[str, Any]:
    """A question; what is as it mostly is (quotes, gains of 1, no failure) is left out."""
    value: dict[str, Any] = {
        "qid": kept.qid,
        "identity": kept.identity,
        "status": kept.status,
        "ranks": [item.rank for item in kept.items],
        "rr": kept.rr,
    }
    more: dict[str, Any] = {
        "kind": kept.kind,
        "needs": kept.needs if kept.needs != "all" else "",
        "suggested": kept.suggested,
        "lost_at": kept.lost_at,
        "unanswered": kept.unanswered,
        "how": [item.how for item in kept.items] if any(item.how != "exact" for item in kept.items) else "",
        "gains": [item.gain for item in kept.items] if any(item.gain != 1 for item in kept.items) else "",
        "doc_ranks": [item.doc_rank for item in kept.items] if any(item.doc_rank for item in kept.items) else "",
        "stages": [dict(item.stages) for item in kept.items] if any(item.stages for item in kept.items) else "",
    }
    value |= {key: one for key, one in more.items() if one != ""}
    if kept.live is not None:
        judged = {} if kept.live.judged is None else {"judged": dict(kept.live.judged)}
        value["answer"] = {"correct": _correct(kept.live), "graded": kept.live.graded, "refused": kept.live.refused, **judged}
    return value


def _correct(answer: KeptAnswer) -> bool | None:
    if answer.graded is not None or answer.judged is None:
        return answer.graded
    return answer.judged.get("correct")


class _Wrong(Exception):
    """The file is JSON, but not of the right shape."""


def _baseline(value: Mapping[str, Any]) -> Baseline:
    if value.get("format") != _FORMAT:
        raise _Wrong(f"format: {_FORMAT} is needed; another version of ragtriage wrote it")
    k = _count(value.get("k"), "k")
    if k is None or k > 1_000_000:
        raise _Wrong("k: a whole number from 1 is needed")
    questions = tuple(_question(_object(one, "questions")) for one in _list(value.get("questions"), "questions"))
    seen: set[str] = set()
    for kept in questions:
        if kept.qid in seen:
            raise _Wrong(f"questions: {kept.qid} stands there twice, as after a merge")
        seen.add(kept.qid)
    fingerprints = _object(value.get("fingerprints"), "fingerprints")
    metrics = {name: _metric(name, one) for name, one in _object(value.get("metrics"), "metrics").items()}
    return Baseline(
        at=_text(value.get("at"), "at"),
        revision=_text(value.get("revision") or "", "revision"),
        modified=value.get("modified") is True,
        run=_text(value.get("run"), "run"),
        k=k,
        config={key: one for key, one in _object(value.get("config"), "config").items() if "." in key},
        fingerprints={name: _text(one, f"fingerprints.{name}") for name, one in fingerprints.items()},
        judge=_text(value.get("judge") or "", "judge"),
        metrics=metrics,
        history=tuple(_change(_object(one, "history")) for one in _list(value.get("history"), "history")),
        questions=questions,
    )


def _metric(name: str, value: Any) -> dict[str, Any]:
    value = _object(value, f"metrics.{name}")
    mean = _share(value.get("value"), f"metrics.{name}.value")
    counts = {key: value.get(key) for key in ("n", "failed")}
    for key, number in counts.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise _Wrong(f"metrics.{name}.{key}: a count is needed")
    return {"value": mean, **counts}


def _change(value: Mapping[str, Any]) -> Update:
    metrics = {}
    for name, both in _object(value.get("metrics"), "history.metrics").items():
        pair = _list(both, f"history.metrics.{name}")
        if len(pair) != 2:
            raise _Wrong(f"history.metrics.{name}: what it was and what it became are needed")
        metrics[name] = _share(pair[0], f"history.metrics.{name}"), _share(pair[1], f"history.metrics.{name}")
    counts = [value.get(key) for key in ("joined", "left")]
    if not all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in counts):
        raise _Wrong("history: joined and left are counts")
    return Update(
        _text(value.get("at"), "history.at"),
        _text(value.get("revision") or "", "history.revision"),
        _text(value.get("reason") or "", "history.reason"),
        value.get("dropped") is True,
        int(value["joined"]),
        int(value["left"]),
        metrics,
    )


def _question(value: Mapping[str, Any]) -> Kept:
    qid = _text(value.get("qid"), "questions.qid")
    where = f"questions: {qid}"
    status: Any = value.get("status")
    needs, kind = value.get("needs", "all"), value.get("kind", "")
    if status not in get_args(Status) or needs not in get_args(Needs) or kind not in ("", *KINDS):
        raise _Wrong(f"{where}: status, needs or kind is none that is known")
    ranks = [_count(rank, f"{where}: ranks") for rank in _list(value.get("ranks"), f"{where}: ranks")]
    rr = _share(value.get("rr"), f"{where}: rr")
    if (rr is not None) != (status in ("found", "partly", "missed")) or (rr is not None and not ranks):
        raise _Wrong(f"{where}: status, ranks and rr do not go together")
    size = len(ranks)
    doc_ranks = [_count(rank, f"{where}: doc_ranks") for rank in _as_many(value, "doc_ranks", None, size, where)]
    stages = [
        {str(name): _count(rank, f"{where}: stages") for name, rank in _object(one, f"{where}: stages").items()}
        for one in _as_many(value, "stages", {}, size, where)
    ]
    hows = [_text(one, f"{where}: how") for one in _as_many(value, "how", "exact", size, where)]
    gains = [_number(one, f"{where}: gains") for one in _as_many(value, "gains", 1.0, size, where)]
    return Kept(
        qid=qid,
        identity=_text(value.get("identity"), f"{where}: identity"),
        status=status,
        needs=needs,
        kind=kind,
        items=tuple(map(KeptItem, ranks, hows, gains, doc_ranks, stages)),
        rr=rr,
        suggested=_text(value.get("suggested", ""), f"{where}: suggested"),
        lost_at=_text(value.get("lost_at", ""), f"{where}: lost_at"),
        live=_answer(_object(value["answer"], f"{where}: answer"), where) if value.get("answer") is not None else None,
        unanswered=_text(value.get("unanswered", ""), f"{where}: unanswered"),
    )


def _answer(value: Mapping[str, Any], where: str) -> KeptAnswer:
    judged = value.get("judged")
    axes = None
    if judged is not None:
        axes = {axis: _verdict(_object(judged, f"{where}: judged").get(axis), where) for axis in AXES}
    return KeptAnswer(_verdict(value.get("graded"), where), value.get("refused") is True, axes)


def _verdict(value: Any, where: str) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise _Wrong(f"{where}: what is said of an answer is true, false or null")
    return value


def _as_many(value: Mapping[str, Any], name: str, default: Any, size: int, where: str) -> list[Any]:
    if name not in value:
        return [default] * size
    found = _list(value[name], f"{where}: {name}")
    if len(found) != size:
        raise _Wrong(f"{where}: {name} are not as many as ranks")
    return found


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"{where}: a JSON object is needed")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _Wrong(f"{where}: a list is needed")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"{where}: a string is needed")
    return value


def _count(value: Any, where: str) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise _Wrong(f"{where}: whole numbers from 1, or null, are needed")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise _Wrong(f"{where}: numbers from 0 are needed")
    return float(value)


def _share(value: Any, where: str) -> float | None:
    if value is None:
        return None
    number = _number(value, where)
    if number > 1:
        raise _Wrong(f"{where}: a number from 0 to 1, or null, is needed")
    return number
