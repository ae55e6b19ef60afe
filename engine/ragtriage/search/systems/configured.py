"""The retriever of the user's own that a project's configuration names. Nothing is started, asked or opened yet."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.errors import ConfigError
from ragtriage.ids import fingerprint
from ragtriage.programs.identity import program_identity
from ragtriage.programs.naming import program_name

if TYPE_CHECKING:
    from ragtriage.config import RetrievalConfig
    from ragtriage.project import Project
    from ragtriage.search.systems.foreign import Asker
    from ragtriage.search.systems.http import Sent

__all__ = ["configured_asker"]

_SECRET = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def configured_asker(project: Project) -> Asker:
    """What asks the system of `retrieval.system`, once the user has agreed to that. Raises ConfigError."""
    retrieval = project.config.retrieval
    make = {"python": _python, "command": _command, "http": _http, "recorded": _recorded, "qdrant": _qdrant}[retrieval.system]
    return make(project, retrieval, _permit(project))


def _permit(project: Project) -> Callable[[], None]:
    """Raises where nobody agreed to what the configuration runs or sends; looked up once."""
    root, config, typed, trusted = project.agreed_root, project.config, project.typed, project.trusted
    agreed = False

    def permit() -> None:  # without the project, which holds what asks
        nonlocal agreed
        if not agreed:
            from ragtriage.trust import require

            require(root, config, typed=typed, tables=("retrieval",), agreed=trusted)
            agreed = True

    return permit


def _program(
    project: Project, command: tuple[str, ...], named: tuple[str, ...], functions: tuple[str, ...],
    permit: Callable[[], None], spec: str, name: str = "",
) -> Asker:  # fmt: skip
    from ragtriage.search.systems.command import ProgramAsker

    root, run = project.agreed_root, project.config.run
    variables = sorted(run.pass_env)
    identity = fingerprint([list(named), *functions, program_identity(root, named), variables])
    return ProgramAsker(command, str(root), run, spec=spec, identity=identity, permit=permit, name=name)


def _python(project: Project, retrieval: RetrievalConfig, permit: Callable[[], None]) -> Asker:
    from ragtriage.dangers import python_names
    from ragtriage.search.systems.python import python_command

    command = python_command(retrieval.python, retrieval.callable, retrieval.answer_callable)
    functions = (retrieval.callable, retrieval.answer_callable)
    spec = f"python({retrieval.callable})"
    return _program(project, command, python_names(retrieval), functions, permit, spec, retrieval.callable)


def _command(project: Project, retrieval: RetrievalConfig, permit: Callable[[], None]) -> Asker:
    spec = f"command({program_name(retrieval.command)})"
    return _program(project, retrieval.command, retrieval.command, (), permit, spec)


def _http(project: Project, retrieval: RetrievalConfig, permit: Callable[[], None]) -> Asker:
    from urllib.parse import urlsplit

    from ragtriage.search.systems.hits import Paths
    from ragtriage.search.systems.http import ANSWER_REQUEST, SEARCH_REQUEST, HttpAsker

    keys = ("url", "answer_url", "method", "headers", "request", "answer_request", "hits_at", "id_at", "text_at", "doc_at",
            "score_at", "answer_at")  # fmt: skip
    values = [getattr(retrieval, key) for key in keys]
    identity = fingerprint([list(value) if isinstance(value, tuple) else value for value in values])
    search = partial(_sent, retrieval, retrieval.url, retrieval.method, retrieval.request or SEARCH_REQUEST)
    answers = partial(_sent, retrieval, retrieval.answer_url, "POST", retrieval.answer_request or ANSWER_REQUEST)
    at = Paths(retrieval.hits_at, retrieval.id_at, retrieval.text_at, retrieval.doc_at, retrieval.score_at)
    return HttpAsker(
        search, answers if retrieval.answer_url else None, project.config.run, paths=at, answer_at=retrieval.answer_at,
        spec=f"http({urlsplit(retrieval.url).netloc})", identity=identity, permit=permit,
    )  # fmt: skip


def _sent(retrieval: RetrievalConfig, url: str, method: str, body: str) -> Sent:
    """What is sent, with the secrets that its headers name. Raises ConfigError where one is not set."""
    from ragtriage.remote.keys import hiding
    from ragtriage.search.systems.http import Sent
    from ragtriage.secret_texts import address_secrets

    secrets: list[str] = address_secrets(url)

    def secret(match: re.Match[str]) -> str:
        value = os.environ.get(match[1], "").strip()
        if not value:
            raise ConfigError(f"retrieval.headers: the environment variable {match[1]} is not set; set it, or leave it out")
        if not re.fullmatch("[ -~]+", value):
            raise ConfigError(f"retrieval.headers: {match[1]} holds what no header can: line ends or letters beyond ASCII")
        secrets.append(value)
        return value

    headers: Mapping[str, str] = {
        name.strip(): _SECRET.sub(secret, value.strip())
        for name, _, value in (header.partition(":") for header in retrieval.headers)
    }

    return Sent(url, method, headers, body, hiding(secrets))


def _qdrant(project: Project, retrieval: RetrievalConfig, permit: Callable[[], None]) -> Asker:
    from ragtriage.search.systems.qdrant import qdrant_asker

    return qdrant_asker(project, permit)


def _recorded(project: Project, retrieval: RetrievalConfig, permit: Callable[[], None]) -> Asker:
    from ragtriage.search.systems.recorded import RecordedAsker

    own = Path(project.root, retrieval.recorded)  # a revision may have another state of it
    path = own if own.exists() else Path(project.agreed_root, retrieval.recorded)

    def names() -> Mapping[str, str]:
        return {question.sent: question.qid for question in reversed(project.golden.questions)}

    return RecordedAsker(path, (project.root, project.agreed_root), retrieval.recorded, names=names, permit=permit)
