"""The encoder process with the real model, started once for the whole file, and children that misbehave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ragtriage.config import EmbeddingConfig
from ragtriage.errors import Cancelled, EncoderFailed
from ragtriage.search import encoder_process
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.types import no_progress

pytestmark = pytest.mark.xdist_group("encoder-process")  # one worker loads the model once

SENTENCE = "refunds are paid within thirty days of delivery to the card that was used unless a voucher was chosen"
WORDS = SENTENCE.split()
TEXTS = [" ".join((WORDS * 20)[:count]) for count in (1, 2, 13, 14, 15, 16, 17, 30, 31, 90, 200, 260, 390)] + ["", "?!", "東京"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EncoderProcess]:
    one = EncoderProcess(EmbeddingConfig(), cache=tmp_path_factory.mktemp("cache"))
    yield one
    one.close()


@pytest.fixture(scope="module")
def vectors(encoder: EncoderProcess) -> np.ndarray:
    return encoder.encode(TEXTS, no_progress)


def test_unit_vectors_of_meaning(encoder: EncoderProcess, vectors: np.ndarray) -> None:
    assert vectors.dtype == np.float16
    assert vectors.shape == (len(TEXTS), 384)
    assert np.linalg.norm(vectors.astype(np.float64), axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-3)
    near = encoder.encode(["how do I get my money back", "refund policy", "the weather in Paris"], no_progress).astype(
        np.float64
    )
    assert near[0] @ near[1] > near[0] @ near[2] + 0.2
    assert encoder.window == 256


def test_a_vector_is_a_function_of_its_text_alone(encoder: EncoderProcess, vectors: np.ndarray) -> None:
    alone = np.concatenate([encoder.encode([text], no_progress) for text in TEXTS])
    assert alone.tobytes() == vectors.tobytes()
    backwards = encoder.encode([*TEXTS[::-1], *TEXTS], no_progress)
    assert backwards[: len(TEXTS)][::-1].tobytes() == vectors.tobytes()
    assert backwards[len(TEXTS) :].tobytes() == vectors.tobytes()


def test_batch_sizes_one_and_thirty_two_give_the_same_bytes(encoder: EncoderProcess, tmp_path: Path) -> None:
    texts = [" ".join((WORDS * 4)[shift : shift + 10 + shift % 6]) for shift in range(40)]
    expected = encoder.encode(texts, no_progress)
    header = {"do": "work", "kind": "encode", "folder": str(encoder.folder), "batch_size": 1}
    real = encoder._request
    encoder._request = lambda asked, body=b"": real(asked | header, body)  # type: ignore[method-assign]  # one size less
    try:
        assert encoder.encode(texts, no_progress).tobytes() == expected.tobytes()
    finally:
        encoder._request = real  # type: ignore[method-assign]


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "a" * 200_000, " " * 200_000, "[/path]", "\x1b[31m", "e\u0301" * 5000])
def test_hostile_text(encoder: EncoderProcess, text: str) -> None:
    assert encoder.encode([text], no_progress).shape == (1, 384)


def test_cancelling_leaves_the_process_usable(encoder: EncoderProcess, vectors: np.ndarray) -> None:
    child = encoder._child

    def stop(stage: str, done: int, total: int) -> None:
        if done:
            raise Cancelled

    with pytest.raises(Cancelled):
        encoder.encode(TEXTS * 3, stop)
    assert encoder.encode(TEXTS, no_progress).tobytes() == vectors.tobytes()
    assert encoder._child is child


def test_progress_counts_up(encoder: EncoderProcess) -> None:
    told: list[tuple[str, int, int]] = []
    encoder.encode(TEXTS, lambda *args: told.append(args))
    assert told[0] == ("embed", 0, len(TEXTS))
    assert told[-1] == ("embed", len(TEXTS), len(TEXTS))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads a process's environment through /proc")
def test_threads_that_wait_do_not_hold_the_cores(encoder: EncoderProcess, vectors: np.ndarray) -> None:
    assert encoder._child is not None
    given = Path(f"/proc/{encoder._child.pid}/environ").read_bytes().split(b"\0")
    assert os.environ.get("GOMP_SPINCOUNT", "2000").encode() in [
        one[15:] for one in given if one.startswith(b"GOMP_SPINCOUNT=")
    ]


def test_no_texts_need_no_process(tmp_path: Path) -> None:
    one = EncoderProcess(EmbeddingConfig(), cache=tmp_path)
    assert one.encode([], no_progress).shape == (0, 0)
    assert not one.running


def test_the_child_imports_no_screen_library_and_nothing_is_printed(encoder: EncoderProcess, vectors: np.ndarray) -> None:
    assert encoder._child is not None
    maps = Path(f"/proc/{encoder._child.pid}/maps")
    if maps.exists():
        assert "torch" in maps.read_text()
    code = (
        "import sys, ragtriage.search.encoder_child as c; print([m for m in ('textual', 'rich', 'torch') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_a_killed_process_is_told_and_started_again(encoder: EncoderProcess, vectors: np.ndarray) -> None:
    assert encoder._child is not None

    def kill(stage: str, done: int, total: int) -> None:
        if done and encoder._child is not None:
            os.kill(encoder._child.pid, signal.SIGKILL)

    with pytest.raises(EncoderFailed, match=r"ended unexpectedly \(signal 9; out of memory\?\)"):
        encoder.encode(TEXTS * 3, kill)
    assert not encoder.running
    assert encoder.encode(TEXTS[:3], no_progress).tobytes() == vectors[:3].tobytes()


def test_bfloat16_is_near_and_has_a_fingerprint_of_its_own(
    encoder: EncoderProcess, vectors: np.ndarray, tmp_path: Path
) -> None:
    coarse = EncoderProcess(EmbeddingConfig(dtype="bfloat16"), cache=tmp_path)
    assert coarse.fingerprint != encoder.fingerprint
    # The same process serves both: a request names its dtype.
    coarse._child, coarse._inbox, coarse._number = encoder._child, encoder._inbox, 10_000
    found = coarse.encode(TEXTS[:8], no_progress)
    cosines = (found.astype(np.float64) * vectors[:8].astype(np.float64)).sum(axis=1)
    assert cosines.min() > 0.99


def gone(pid: int) -> bool:
    """Whether a process has ended (or is a zombie that nobody has waited for)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("end", ["kill", "exit", "interrupt"])
def test_the_child_dies_with_its_parent(end: str, tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        import sys, time
        from pathlib import Path
        from ragtriage.config import EmbeddingConfig
        from ragtriage.search.encoder_process import EncoderProcess
        one = EncoderProcess(EmbeddingConfig(), cache=Path({str(tmp_path)!r}))
        one.start()
        print(one._child.pid, flush=True)
        if {end!r} != "exit":
            time.sleep(60)
    """)
    parent = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert not gone(child)
    if end != "exit":
        os.kill(parent.pid, signal.SIGKILL if end == "kill" else signal.SIGINT)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while not gone(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert gone(child)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit('cannot do it')", "ended unexpectedly: cannot do it"),
        ("print('noise on stdout that is no message' * 9)", "ended unexpectedly"),
        ("import os; os.abort()", r"signal 6"),
    ],
)
def test_a_child_that_cannot_serve_is_one_clear_error(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.Popen

    def popen(command: list[str], **keys: object) -> subprocess.Popen[bytes]:
        return real([sys.executable, "-c", code], **keys)  # type: ignore[call-overload, no-any-return]  # as it was called

    monkeypatch.setattr(encoder_process.subprocess, "Popen", popen)
    one = EncoderProcess(EmbeddingConfig(), cache=tmp_path)
    with pytest.raises(EncoderFailed, match=message) as raised:
        one.encode(["x"], no_progress)
    assert "\n" not in str(raised.value)
    one.close()


def test_a_model_that_cannot_be_loaded_is_one_clear_error(encoder: EncoderProcess, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"not weights")
    one = EncoderProcess(EmbeddingConfig(model=str(folder)), cache=tmp_path)
    one._child, one._inbox, one._number = encoder._child, encoder._inbox, 20_000
    with pytest.raises(EncoderFailed, match="the encoder failed: ") as raised:
        one.encode(["x"], no_progress)
    assert "\n" not in str(raised.value)
