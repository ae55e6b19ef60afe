"""Add on a terminal of 80x24: from the Enter that fixes the wording to the first rows, and whether the screen stands still.

Each wording is new, so that its vector is not there. Warm: the encoder has answered before. Cold: it starts when `a` is
pressed, and Enter comes as soon as the words are pasted. Times are from the key being written to the terminal until the rows
have been read from it; how busy the machine was stands beside them.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.harness import Bench, Figure, Times, at_most, info
from tests.tui.pty_session import Session, plain

WARM = 9
COLD = 5
KEYS = 8
LIMIT_MS = 50
WATCHED = Path(__file__).with_name("watched_app.py")
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONUNBUFFERED": ""}
NOW, WHOLE = b"dense follows", b"bm25 and dense"
_LONGEST_S = 120.0


class Fixed(NamedTuple):
    """One wording: when Enter was sent, ms until BM25's rows and until those of both, and the echoes of keys between."""

    at: float
    bm25_ms: float
    hybrid_ms: float
    echoes_ms: tuple[float, ...]

    @property
    def until(self) -> float:
        return self.at + self.hybrid_ms / 1000


class Gaps(NamedTuple):
    """The largest gap of the loop while one wording was looked up, and the processor time that the app itself took in one."""

    wall_ms: float
    own_ms: float


def run(bench: Bench) -> list[Figure]:
    sample = bench.copy_of("sample_corpus")
    bench.json("eval", sample)  # a run is there, as on any day but the first
    lines = (sample / "bug_reports.jsonl").read_text(encoding="utf-8").splitlines()
    words = [json.loads(line)["text"] for line in lines]
    cold = [_cold(bench, sample, words[number]) for number in range(COLD)]
    warm, warm_gaps = _warm(bench, sample, words[COLD])
    cold_fixed, cold_gaps = [one for one, _ in cold], [gaps for _, gaps in cold]
    load = f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return [
        *_rows("encoder warm", warm),
        *_blocked("encoder warm", warm_gaps, load),
        *_rows("encoder cold", cold_fixed),
        *_blocked("encoder cold", cold_gaps, load),
    ]


def _rows(when: str, fixed: Sequence[Fixed]) -> list[Figure]:
    bm25 = Times(tuple(one.bm25_ms for one in fixed))
    hybrid = Times(tuple(one.hybrid_ms for one in fixed))
    echoes = [echo for one in fixed for echo in one.echoes_ms]
    figures = [
        at_most(f"{when}: Enter to BM25's rows", bm25.median, LIMIT_MS, "ms", _spread(bm25)),
        info(f"{when}: Enter to the rows of both", hybrid.median, "ms", _spread(hybrid)),
    ]
    if echoes:
        between = Times(tuple(echoes))
        figures.append(info(f"{when}: a key pressed before those, to its row", between.median, "ms", _spread(between)))
    return figures


def _blocked(when: str, gaps: Sequence[Gaps], load: str) -> list[Figure]:
    wall, own = Times(tuple(one.wall_ms for one in gaps)), Times(tuple(one.own_ms for one in gaps))
    return [
        at_most(f"{when}: largest gap of the loop", wall.median, LIMIT_MS, "ms", f"{_spread(wall)}; {load}"),
        info(f"{when}: of it, the app's own processor time", own.median, "ms", _spread(own)),
    ]


def _spread(times: Times) -> str:
    return f"median of {len(times.all)}; {times.least:.1f} to {max(times.all):.1f}"


def _session(bench: Bench, sample: Path, log: Path) -> Session:
    shutil.rmtree(bench.home / "state", ignore_errors=True)  # the draft of the session before would be gone on with
    session = Session(80, 24, env=ENVIRONMENT, command=[str(WATCHED), str(sample), str(log)])
    session.wait_for("next failure")
    return session


def _cold(bench: Bench, sample: Path, words: str) -> tuple[Fixed, Gaps]:
    """The first wording of a process, fixed while the encoder starts."""
    log = bench.root / "gaps.json"
    with _session(bench, sample, log) as session:
        _until(session, "a", b"to the results")
        _until(session, f"\x1b[200~{words}\x1b[201~", words.split()[-1][-8:].encode())
        fixed = _fix(session, keys=KEYS)
        _leave(session)
    return fixed, _gaps(log, [fixed])[0]


def _warm(bench: Bench, sample: Path, words: str) -> tuple[list[Fixed], list[Gaps]]:
    """One wording after the other, each a little longer than the one before."""
    log = bench.root / "gaps.json"
    with _session(bench, sample, log) as session:
        _until(session, "a", b"to the results")
        _until(session, f"\x1b[200~{words}\x1b[201~", words.split()[-1][-8:].encode())
        _fix(session)
        found = []
        for number in range(WARM):
            session.read(0.3)
            _until(session, "/", b"to the results")
            session.send(f" {number}", 0.2)
            found.append(_fix(session))
        _leave(session)
    return found, _gaps(log, found)


def _fix(session: Session, *, keys: int = 0) -> Fixed:
    """Press Enter, and keys that move while the rows of both are not there."""
    at = time.monotonic()
    os.write(session.fd, b"\r")
    out, bm25, echoes = b"", 0.0, []
    pressed = 0.0
    while True:
        if time.monotonic() - at > _LONGEST_S:
            raise RuntimeError(f"the rows never came; got {plain(out)[-800:]!r}")
        came = session.read(0.001, 0.004)
        now = time.monotonic()
        if came:
            out += came
            if pressed:
                echoes.append((now - pressed) * 1000)
                pressed = 0.0
        shown = plain(out)
        bm25 = bm25 or (now - at if NOW in shown or WHOLE in shown else 0.0)
        if WHOLE in shown:
            return Fixed(at, bm25 * 1000, (now - at) * 1000, tuple(echoes))
        if bm25 and not pressed and len(echoes) < keys and now - at > bm25 + 0.1 * (len(echoes) + 1):
            pressed = time.monotonic()
            os.write(session.fd, b"j" if len(echoes) % 2 == 0 else b"k")


def _until(session: Session, keys: str, shown: bytes) -> None:
    os.write(session.fd, keys.encode())
    out, until = b"", time.monotonic() + 20
    while shown not in plain(out):
        if time.monotonic() > until:
            raise RuntimeError(f"{shown!r} never came; got {plain(out)[:800]!r}")
        out += session.read(0.005, 0.05)


def _leave(session: Session) -> None:
    session.read(0.5)
    session.send("q")
    session.send("q")
    session.wait()


def _gaps(log: Path, fixed: Sequence[Fixed]) -> list[Gaps]:
    """The largest of each wording; one that began before the rows came and ended after counts, too."""
    gaps = json.loads(log.read_text(encoding="utf-8"))
    out = []
    for one in fixed:
        mine = [(late, own) for when, late, own in gaps if one.at <= when <= one.until + late / 1000 + 0.05]
        out.append(Gaps(max((late for late, _ in mine), default=0.0), max((min(pair) for pair in mine), default=0.0)))
    return out
