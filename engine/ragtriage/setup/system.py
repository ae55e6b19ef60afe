"""A retriever of the user's own: who would be asked, and whether that can be."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ragtriage.names import one_line, system_name
from ragtriage.setup.findings import Finding, not_agreed, program_found

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["check_system"]


def check_system(project: Project) -> list[Finding]:
    """Nothing where the retriever is ours, or has a check of its own."""
    retrieval = project.config.retrieval
    if retrieval.system in ("embedded", "qdrant"):
        return []
    found = [Finding("ok", "system", system_name(project.config.as_dict()))]
    if retrieval.system in ("python", "command"):
        command = (retrieval.python,) if retrieval.system == "python" else retrieval.command
        found = [program_found(project.root, "system", command)]
    if retrieval.system == "http":
        names = sorted(set(re.findall(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", " ".join(retrieval.headers))))
        found += [
            Finding("wrong", "system", f"the environment variable {name} is not set")
            for name in names
            if not os.environ.get(name)
        ]
    if retrieval.system == "recorded" and not (project.root / retrieval.recorded).is_file():
        found.append(Finding("wrong", "system", f"{one_line(retrieval.recorded)}: no such file"))
    return [*found, *not_agreed(project, "retrieval", "system")]
