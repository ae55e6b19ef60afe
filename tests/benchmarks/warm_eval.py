"""A whole `ragtriage eval` process on warm caches, against `import sentence_transformers` and a plain script."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from tests.benchmarks.harness import IMPORT, Absent, Bench, Figure, at_most, environment, info, interleaved, ratio, seconds

from ragtriage.project import Project
from ragtriage.search.pipeline import Query

ROUNDS = 5
SCRIPT = Path(__file__).with_name("plain_script.py")


def run(bench: Bench) -> list[Figure]:
    sample = bench.copy_of("sample_corpus")
    cranfield = _cranfield(bench)
    commands: dict[str, list[str]] = {"import": IMPORT, "sample": bench.command("eval", sample, "--json")}
    figures = _work(bench, sample)
    if cranfield is not None:
        vectors = _vectors(bench, cranfield)
        plain = [sys.executable, "-P", str(SCRIPT), str(cranfield), str(vectors)]
        commands |= {
            "cranfield": bench.command("eval", cranfield, "--json"),
            "plain": plain,
            "saved": [*plain, str(bench.root / "plain-index")],
        }
        figures += _work(bench, cranfield)
    for command in commands.values():
        seconds(command)  # caches warm, modules compiled
    times = interleaved({name: partial(seconds, command) for name, command in commands.items()}, ROUNDS)
    value, note = ratio(times["sample"], times["import"])
    figures.append(at_most("sample: x import sentence_transformers", value, 0.10, note=note))
    if cranfield is not None:
        value, note = ratio(times["cranfield"], times["import"])
        figures.append(at_most("cranfield: x import sentence_transformers", value, 0.12, note=note))
        value, note = ratio(times["cranfield"], times["plain"])
        figures.append(at_most("cranfield: x the plain script", value, 1.0, note=note))
        value, note = ratio(times["cranfield"], times["saved"])
        figures.append(info("cranfield: x the plain script with a saved BM25 index", value, note=note))
    return figures


def _work(bench: Bench, folder: Path) -> list[Figure]:
    """Amounts, which say more than times: texts embedded, heavy modules imported. Fills the caches before."""
    bench.json("eval", folder)
    encoded = bench.json("eval", folder)["encoded"]
    code = (
        "import sys; from ragtriage_tui.cli import main; main(sys.argv[1:]); "
        "sys.stderr.write(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "eval", str(folder), "--json"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    json.loads(done.stdout)
    heavy = {"torch", "textual", "rich", "sentence_transformers", "transformers", "tokenizers"} & set(done.stderr.split())
    return [
        at_most(f"{folder.name}: texts embedded in a warm eval", encoded, 0),
        at_most(f"{folder.name}: heavy modules imported in a warm eval", len(heavy), 0, note=" ".join(sorted(heavy))),
    ]


def _cranfield(bench: Bench) -> Path | None:
    try:
        return bench.copy_of("cranfield")
    except Absent:
        return None


def _vectors(bench: Bench, folder: Path) -> Path:
    """The vectors that ragtriage made of the set, as a file for the plain script; float32, as scripts keep them."""
    project = Project.open(folder)
    retriever = project.system.retriever
    retriever.prepare()
    by_id = {doc_id: row for row, doc_id in enumerate(project.chunks.ids)}
    with open(folder / "corpus.jsonl", encoding="utf-8") as handle:
        ids = [json.loads(line)["_id"] for line in handle]
    with open(folder / "queries.jsonl", encoding="utf-8") as handle:
        asked = [json.loads(line)["text"] for line in handle]
    retriever.search([Query(text) for text in asked])
    dense = retriever.indexes.dense()
    documents = dense.vectors([by_id[doc_id] for doc_id in ids])
    vectors = retriever.question_vectors(asked)
    queries = np.stack([vectors[text] for text in asked]).astype(np.float32)
    path = bench.root / "plain-vectors.npz"
    np.savez(path, documents=documents, queries=queries)
    project.close()
    return path
