"""Whether the configured language models could be asked: packages, keys, addresses, programs, template. Nothing is sent.

Only a server on this machine is looked for, and only where the user has agreed to it; of any other nothing is known before it
is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragtriage.names import model_name, one_line
from ragtriage.setup.findings import Finding, not_agreed, program_found

if TYPE_CHECKING:
    from ragtriage.config import ModelConfig
    from ragtriage.project import Project
    from ragtriage.remote.wording import Address

__all__ = ["check_answers", "check_judge", "check_reranker"]

_CONNECT_S = 1.0


def check_answers(project: Project) -> list[Finding]:
    """What answers. Raises ConfigError."""
    config = project.config.answers
    if config.generator == "extractive":
        return [Finding("ok", "answers", "extractive stand-in; no model is asked")]
    if config.generator == "system":
        return [Finding("ok", "answers", "the system itself")]
    found = [*_model(project, "answers", config.generator, config)]
    return [*found, Finding("ok", "template", one_line(project.template.name))]


def check_judge(project: Project) -> list[Finding]:
    """What judges, and whether it was calibrated. Raises ConfigError, GoldenError."""
    config = project.config.judge
    if config.provider == "none" or project.judge is None:
        return []
    from ragtriage.answers.calibration_file import FILE_NAME, load_calibration

    found = [*_model(project, "judge", config.provider, config)]
    calibration = load_calibration(project.evals / FILE_NAME)
    if calibration is None or calibration.judge != project.judge.identity:
        of = "" if calibration is None else "; what stands in evals/calibration.json is of another model, template or rubric"
        return [*found, Finding("note", "judge", f"uncalibrated{of}: ragtriage judge calibrate compares it with people")]
    return [*found, Finding("ok", "judge", f"calibrated at {one_line(calibration.at)}")]


def check_reranker(project: Project) -> list[Finding]:
    """A reranker that is no model."""
    if project.rerank == "lexical":
        return [Finding("ok", "reranker", "lexical; no model is asked")]
    found = program_found(project.root, "retrieval", project.config.retrieval.rerank_command)
    return [found, *not_agreed(project, "retrieval")]


def _model(project: Project, table: str, provider: str, config: ModelConfig) -> Iterator[Finding]:
    yield Finding("ok", table, model_name(_shown(config), provider))
    pending = not_agreed(project, table)
    if provider == "command":
        yield program_found(project.root, table, config.command)
    else:
        yield from _reached(table, provider, config, agreed=not pending)
    yield from pending
    if not (config.input_price or config.output_price):
        yield Finding("note", table, f"no prices: input_price and output_price under [{table}] are for a million tokens")


def _shown(config: ModelConfig) -> dict[str, object]:
    return {"model": config.model, "base_url": config.base_url, "command": config.command}


def _reached(table: str, provider: str, config: ModelConfig, *, agreed: bool) -> Iterator[Finding]:
    from importlib.util import find_spec

    from ragtriage.remote.endpoint import OWN
    from ragtriage.remote.wording import address_of

    own = OWN[provider]
    missing = [name for name in (provider, "httpx2") if find_spec(name) is None]
    if missing:
        install = f"pip install 'ragtriage[{provider}]'"
        yield Finding("wrong", table, f"{' and '.join(missing)} not installed; install with: {install}")
    address = address_of(config.base_url or own.server)
    variable = config.api_key_env or own.key_variable
    if os.environ.get(variable, "").strip():
        yield Finding("ok", table, f"the key is in ${variable}")
    elif address.loopback:
        yield Finding("ok", table, f"${variable} is not set; a server on this machine as a rule needs no key")
    else:
        yield Finding("wrong", table, f"${variable} is not set; it must hold the key for {address.host}")
    looked_for = agreed and address.loopback
    yield _listening(table, address) if looked_for else Finding("ok", table, f"{address.host} was not contacted")


def _listening(table: str, address: Address) -> Finding:
    """Whether something listens on this machine: a connection is made, and nothing said."""
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(address.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "localhost", port), timeout=_CONNECT_S).close()
    except OSError as error:
        return Finding("wrong", table, f"nothing answers at {address.host}: {error.strerror or error}; start the server")
    return Finding("ok", table, f"something answers at {address.host}")
