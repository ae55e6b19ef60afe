"""Cold caches and the real encoder: the same bytes however they are reached, whatever interrupts, and nothing left running."""

from __future__ import annotations

import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults.conftest import PAGES, QUESTIONS, write_project
from tests.faults.processes import COMMAND, children, questions_file, ragtriage, surroundings
from tests.soak import rounds

from ragtriage.config import EmbeddingConfig
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.search import encoder_process
from ragtriage.search.encoder_process import EncoderProcess

pytestmark = pytest.mark.xdist_group("encoder")  # one worker makes the reference once

_RNG = random.Random(4)
_WORDS = (
    "goods",
    "parcel",
    "refund",
    "voucher",
    "delivery",
    "card",
    "session",
    "timeout",
    "error",
    "support",
    "account",
    "plan",
)
# texts of many lengths: what is padded together, and how far, depends on the others
LONG = {
    f"long/{number:02}.md": f"# Chapter {number}\n\n" + " ".join(_RNG.choices(_WORDS, k=_RNG.randint(3, 330))) + "\n"
    for number in range(14)
}
HOSTILE = {"hostile.md": "# [bold]x[/] \u202e\n\nNothing \x1b[31m here e\u0301 \ufeff but [/path] and 30 days.\n"}
ALL_PAGES = PAGES | LONG | HOSTILE
HYBRID = "[retrieval]\nk = 2\n"
_SOME_DONE = re.compile(rb"embed[^\r]* (?:[1-9]|[1-9]\d) %")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """questions.jsonl of one undisturbed cold evaluation, as a process."""
    folder = tmp_path_factory.mktemp("reference")
    root = write_project(folder / "handbook", ALL_PAGES, QUESTIONS, HYBRID)
    done = ragtriage("eval", "--json", cwd=root, home=folder / "home")
    assert done.code == 0, done.err
    assert done.json["encoded"] == done.json["chunks"] + len(QUESTIONS)
    return questions_file(root, done.json["run"])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EncoderProcess]:
    """One encoder process for all evaluations of this module that run in this process: starting it is what takes long."""
    process = EncoderProcess(EmbeddingConfig(), cache=tmp_path_factory.mktemp("encoder"))
    yield process
    process.close()


Cold = Callable[..., bytes]


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: EncoderProcess) -> Cold:
    """cold(root, batch_size) -> questions.jsonl of an evaluation on this test's caches."""
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(encoder, "close", lambda: None)

    def configured(config: EmbeddingConfig, *, cache: Path) -> EncoderProcess:
        monkeypatch.setattr(encoder, "_config", config)
        return encoder

    monkeypatch.setattr(encoder_process, "EncoderProcess", configured)

    def run(root: Path, batch_size: int = 32) -> bytes:
        project = Project.open(root, overrides=[f"embedding.batch_size={batch_size}"])
        try:
            return questions_file(root, evaluate(project).id)
        finally:
            project.close()

    return run


@pytest.mark.parametrize("batch_size", [1, 32])
def test_cold_caches_give_the_same_bytes_at_any_batch_size(
    tmp_path: Path, cold: Cold, reference: bytes, batch_size: int
) -> None:
    root = write_project(tmp_path / "handbook", ALL_PAGES, QUESTIONS, HYBRID)
    assert cold(root, batch_size) == reference


def test_a_corpus_reached_by_editing_documents_one_at_a_time_gives_the_same_bytes(
    tmp_path: Path, cold: Cold, reference: bytes
) -> None:
    names = list(ALL_PAGES)
    _RNG.shuffle(names)
    edited = names[: rounds(6, len(names))]
    before = {name: text for name, text in ALL_PAGES.items() if name not in edited[::3]}  # some are new
    before |= {name: f"# Before\n\nAnother text of {name}, {number}.\n" for number, name in enumerate(edited[1::3])}
    root = write_project(tmp_path / "handbook", before, QUESTIONS, HYBRID)
    (root / "docs" / "gone.md").write_text("# Gone\n\nThis page goes away.\n", encoding="utf-8")
    cold(root)
    for name in edited:
        (root / "docs" / name).write_text(ALL_PAGES[name], encoding="utf-8")
        cold(root)
    (root / "docs" / "gone.md").unlink()
    assert cold(root) == reference


def test_killed_or_interrupted_while_embedding_and_then_measured_again(tmp_path: Path, cold: Cold, reference: bytes) -> None:
    home = tmp_path / "home"
    root = write_project(tmp_path / "handbook", ALL_PAGES, QUESTIONS, HYBRID)
    more = root / "docs" / "more"  # seconds of work, so that there is a middle to be interrupted in
    more.mkdir()
    for number in range(160):
        (more / f"{number:03}.md").write_text(f"# More {number}\n\n" + " ".join(_RNG.choices(_WORDS, k=180)), encoding="utf-8")
    for _ in range(rounds(1, 8)):
        code, said, left = _stopped(root, home, signal.SIGKILL)
        assert code == -signal.SIGKILL
        assert not left, "the encoder outlived its parent"
    for _ in range(rounds(1, 8)):
        code, said, left = _stopped(root, home, signal.SIGINT)
        assert code == 130, said[-2000:]
        assert b"Traceback" not in said
        assert not left, "the encoder outlived its parent"
        assert not list((root / ".ragtriage").glob("runs/*")), "half a run is none"
    assert ragtriage("golden", "check", cwd=root, home=home).code == 0
    shutil.rmtree(more)
    assert cold(root) == reference
    leftovers = [path.name for path in home.rglob("*") if path.name.startswith((".building-", ".broken-"))]
    assert len(leftovers) <= rounds(1, 16), leftovers


def _stopped(root: Path, home: Path, number: int) -> tuple[int, bytes, list[int]]:
    """Start a cold eval on a terminal, send the signal once some texts are embedded: its code, its words, who is left."""
    shutil.rmtree(home / "cache", ignore_errors=True)
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "eval", "--json"],
        cwd=root,
        env=surroundings(home),
        stdout=subprocess.PIPE,
        stderr=slave,
        stdin=slave,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - ignored where a shell put us behind &
    )
    os.close(slave)
    said = b""
    kin: list[int] = []
    try:
        until = time.monotonic() + 120
        while not _SOME_DONE.search(said):
            assert time.monotonic() < until, f"no embedding was seen: {said[-500:]!r}"
            assert process.poll() is None, f"it ended too soon: {said[-500:]!r}"
            said += _read(master)
        kin = children(process.pid)
        assert kin, "the encoder is a child of the command"
        process.send_signal(number)
        while process.poll() is None and time.monotonic() < until:
            said += _read(master)
        said += _read(master)
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
        os.close(master)
    until = time.monotonic() + 15
    while any(_alive(pid) for pid in kin) and time.monotonic() < until:
        time.sleep(0.05)
    return process.returncode, said, [pid for pid in kin if _alive(pid)]


def _read(descriptor: int) -> bytes:
    if not select.select([descriptor], [], [], 0.05)[0]:
        return b""
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the terminal is gone
        return b""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
