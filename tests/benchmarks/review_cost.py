"""What a review costs over cranfield's documents: after a change of the chunk size, and once more with nothing changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.harness import Bench, Figure, Times, at_most, environment, info, interleaved, seconds

from ragtriage.project import Project

ROUNDS = 5
_HEAD = "[chunking]\nsize = 100\n"
_ANSWERED = (0, 1, 3)  # exit codes of a review that was made: ok, regressed, cannot tell


class _Done(NamedTuple):
    took: float
    document: Any


def run(bench: Bench) -> list[Figure]:
    folder = _project(bench.set("cranfield"), bench.fresh("review"))
    home = bench.fresh("review-home")  # in the home that all benchmarks share, some of the head's texts may be embedded already
    _json(bench, folder, "eval", home)  # the base is warm
    (folder / "ragtriage.toml").write_text(_HEAD, encoding="utf-8")
    new = _new_texts(folder)
    first = _json(bench, folder, "review", home)
    shutil.rmtree(folder / ".ragtriage")  # a run that is known already would not be measured
    cold = _json(bench, folder, "eval", bench.fresh("cold-home"))
    encoded_first = first.document["encoded"]
    figures = [
        at_most(
            "texts embedded other than the head's new ones",
            abs(encoded_first - new),
            0,
            note=f"{encoded_first} embedded, {new} are new",
        ),
        at_most(
            "review after a change of chunk size: x the head's cold eval",
            first.took / cold.took,
            1.15,
            note=f"{first.took:.1f} s of {cold.took:.1f} s, which embeds {cold.document['encoded']} texts",
        ),
    ]
    warm = bench.command("eval", folder, "--json")
    env = environment(RAGTRIAGE_HOME=str(home))
    seconds(warm, env=env)
    encoded: list[int] = []

    def again() -> float:
        done = _json(bench, folder, "review", home)
        encoded.append(done.document["encoded"])
        return done.took

    times = interleaved({"review": again, "eval": partial(seconds, warm, env=env)}, ROUNDS)
    beyond = Times(tuple(one - other for one, other in zip(times["review"].all, times["eval"].all, strict=True)))
    note = f"{times['review'].median:.2f} s, eval {times['eval'].median:.2f} s, {ROUNDS} runs"
    return [
        *figures,
        at_most("texts embedded in a second review", max(encoded), 0),
        at_most("a second review beyond a warm eval", beyond.median, 1.5, "s", note=note),
        info("the same, at its fastest", beyond.least, "s"),
    ]


def _project(source: Path, folder: Path) -> Path:
    """The set's documents as pages that can be cut, its judgements as labels, all of it in one commit."""
    (folder / "docs").mkdir()
    (folder / "evals").mkdir()
    for line in (source / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        (folder / "docs" / f"{row['_id']}.md").write_text(f"# {row.get('title', '')}\n\n{row['text']}\n", encoding="utf-8")
    beir = Project.open(source)
    questions = [
        {"qid": one.qid, "question": one.question, "relevant_doc_ids": [item.place.chunk for item in one.evidence]}
        for one in beir.golden.questions
        if one.evidence
    ]
    golden = "".join(json.dumps(question) + "\n" for question in questions)
    (folder / "evals" / "golden.jsonl").write_text(golden, encoding="utf-8")
    (folder / "ragtriage.toml").write_text("", encoding="utf-8")
    for words in (["init", "-q", "--initial-branch=main"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        _git(folder, *words)
    return folder


def _new_texts(folder: Path) -> int:
    """How many texts the head embeds that the base did not."""
    head = set(Project.open(folder).chunks.indexed_texts())
    base = set(Project.open(folder, overrides=["chunking.size=200"]).chunks.indexed_texts())
    return len(head - base)


def _git(folder: Path, *words: str) -> None:
    people = {f"GIT_{who}_{what}": "bench@example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = environment(**people, GIT_CONFIG_GLOBAL=os.devnull)
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def _json(bench: Bench, folder: Path, command: str, home: Path) -> _Done:
    env = environment(RAGTRIAGE_HOME=str(home))
    started = time.perf_counter()
    done = subprocess.run(bench.command("-C", folder, command, "--json"), env=env, capture_output=True)
    took = time.perf_counter() - started
    if done.returncode not in _ANSWERED:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return _Done(took, json.loads(done.stdout))
