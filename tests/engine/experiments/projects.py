"""A small project whose pages differ in size and words, so that configurations do."""

from __future__ import annotations

import json
from pathlib import Path

from ragtriage.project import Project

__all__ = ["make"]

TOPICS = ("refunds", "shipping", "invoices", "vouchers", "returns", "warranty", "pickup", "customs")


def make(root: Path, *, config: str = '[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n') -> Project:
    """A project of eight pages and ten questions, two of them kept aside; without vectors unless `config` says so."""
    (root / "docs").mkdir(parents=True)
    (root / "evals").mkdir()
    lines = []
    for number, topic in enumerate(TOPICS):
        parts = [f"# {topic.title()}\n"]
        for part in range(6):
            parts.append(f"## Part {part}\n\nGeneral words about {topic} and other things. " * (1 + part % 3))
            parts.append(
                f"The {topic} code of part {part} is {topic[:3].upper()}-{number}{part}. " + "It is checked by hand. " * 8
            )
        (root / "docs" / f"{topic}.md").write_text("\n\n".join(parts), encoding="utf-8")
        quote = f"The {topic} code of part 4 is {topic[:3].upper()}-{number}4."
        asked = f"which {topic} code has part 4" if number % 2 else f"{topic[:3].upper()}-{number}4"
        lines.append({"qid": f"q{number}", "question": asked, "evidence": [{"doc": topic, "quote": quote}]})
    for number, topic in enumerate(TOPICS[:2]):
        quote = f"The {topic} code of part 2 is {topic[:3].upper()}-{number}2."
        evidence = [{"doc": topic, "quote": quote}]
        lines.append({"qid": f"h{number}", "question": f"{topic} code part 2", "evidence": evidence, "split": "holdout"})
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (root / "ragtriage.toml").write_text(config, encoding="utf-8")
    return Project.open(root)
