"""Two branches that each work on the golden set and its logs, merged with git: clean or reported, and nothing is lost."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.soak import rounds

from ragtriage.golden.file import append_question, read_golden, remove_question, replace_question
from ragtriage.golden.fmt import format_golden
from ragtriage.golden.merge import is_marker
from ragtriage.inbox.log import InboxLog
from ragtriage.inbox.reading import read_reports
from ragtriage.json_lines import load_json
from ragtriage.triage.judgements import JudgementLog
from ragtriage.triage.reviews import ReviewLog
from ragtriage.triage.verdicts import VerdictLog

PAIRS = rounds(10, 200)
LOGS = ("verdicts.jsonl", "reviews.jsonl", "judgements.jsonl", "inbox.jsonl")
Line = dict[str, Any]


class Repository:
    """A project's evals in git; `base` is the commit that both branches begin at."""

    def __init__(self, folder: Path, *, union: bool, style: str = "merge") -> None:
        self.folder = folder
        self.golden = folder / "golden.jsonl"
        self.git("init", "-q")
        for key, value in {
            "user.name": "x",
            "user.email": "x@example.org",
            "merge.conflictStyle": style,
            "gc.auto": "0",
        }.items():
            self.git("config", key, value)
        if union:
            rules = "".join(f"{name} merge=union\n" for name in (self.golden.name, *LOGS))
            (folder / ".gitattributes").write_text(rules, encoding="utf-8")
        for name in LOGS:
            (folder / name).touch()

    def git(self, *words: str, fails: bool = False) -> int:
        code = subprocess.run(["git", "-c", "commit.gpgsign=false", *words], cwd=self.folder, capture_output=True).returncode
        assert fails or code == 0, words
        return code

    def begin(self, data: bytes) -> None:
        self.golden.write_bytes(data)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "base")
        self.git("tag", "base")

    def branch(self, name: str, work: Callable[[], None]) -> bytes:
        self.git("checkout", "-q", "-f", "-B", name, "base")
        work()
        self.git("commit", "-q", "-a", "-m", name, "--allow-empty")
        return self.golden.read_bytes()

    def merge(self, name: str) -> bool:
        """Whether git was content."""
        return self.git("merge", "-q", "--no-edit", name, fails=True) == 0

    def leave(self) -> None:
        self.git("merge", "--abort", fails=True)


def objects(data: bytes) -> list[Line]:
    return [load_json(line) for line in data.split(b"\n") if line.strip() and not is_marker(line)]


def versions(data: bytes) -> set[str]:
    return {repr(sorted(line.items())) for line in objects(data)}


def base_set(rng: random.Random) -> bytes:
    lines = [f'{{"qid": "q{number:02}", "question": "question {number}", "evidence": ["d{number}"]}}' for number in range(12)]
    return ("\n".join(lines) + ("\n" if rng.random() < 0.8 else "")).encode()  # an editor may leave the last end out


def work_on(path: Path, rng: random.Random, name: str) -> None:
    """One to four changes: an addition, another wording, another label, a removal."""
    for _ in range(rng.randint(1, 4)):
        lines = objects(path.read_bytes())
        line = dict(rng.choice(lines))
        pick = rng.randrange(8)
        if pick < 3:
            text = "both ask this" if rng.random() < 0.2 else f"new {rng.randrange(10**9)}"
            if all(one["question"] != text for one in lines):
                append_question(path, {"question": text, "by": name})
        elif pick < 5:
            replace_question(path, line["qid"], {**line, "question": f"{line['question']} {rng.choice(('or', 'and'))} {name}"})
        elif pick < 7:
            replace_question(path, line["qid"], {**line, "evidence": [rng.choice(("e", "f", f"of {name}"))]})
        elif len(lines) > 4:
            remove_question(path, line["qid"])


def changed(base: bytes, branch: bytes) -> set[str]:
    """What a branch wrote anew."""
    return versions(branch) - versions(base)


def is_told(path: Path, data: bytes) -> bool:
    """Whether every id that stands on several lines is named with each of them, and every other question is used."""
    golden = read_golden(path)
    lines = data.split(b"\n")
    ids = [load_json(line)["qid"] if line.strip() and not is_marker(line) else "" for line in lines]
    counts = Counter(filter(None, ids))
    expected = {number for number, qid in enumerate(ids, start=1) if counts.get(qid, 0) > 1}
    expected |= {number for number, line in enumerate(lines, start=1) if is_marker(line)}
    used = {question.qid for question in golden.questions}
    return {problem.line for problem in golden.problems} == expected and used == {qid for qid in counts if counts[qid] == 1}


@pytest.mark.parametrize(("union", "style"), [(True, "merge"), (False, "merge"), (False, "diff3")])
def test_pairs_of_branches_merge_clean_or_are_told_and_lose_nothing(tmp_path: Path, union: bool, style: str) -> None:
    rng = random.Random(11)
    ways: Counter[str] = Counter()
    for pair in range(PAIRS):
        folder = tmp_path / str(pair)
        folder.mkdir()
        repository = Repository(folder, union=union, style=style)
        base = base_set(rng)
        repository.begin(base)
        ours = repository.branch("ours", partial(work_on, repository.golden, rng, "ours"))
        theirs = repository.branch("theirs", partial(work_on, repository.golden, rng, "theirs"))
        content = repository.merge("ours")
        merged = repository.golden.read_bytes()
        wanted = changed(base, ours) | changed(base, theirs) | (versions(base) & versions(ours) & versions(theirs))
        assert content or not union
        assert wanted <= versions(merged)
        assert is_told(repository.golden, merged)
        fixed = format_golden(merged, "g", fix=True)
        assert fixed.conflicts == 0
        assert wanted <= versions(fixed.data)
        assert versions(fixed.data) <= versions(base) | versions(ours) | versions(theirs)
        assert format_golden(fixed.data, "g", fix=True).data == fixed.data
        repository.golden.write_bytes(fixed.data)
        assert is_told(repository.golden, fixed.data)
        ids = {line["qid"] for line in objects(ours)} & {line["qid"] for line in objects(theirs)}
        assert ids <= {line["qid"] for line in objects(fixed.data)}
        twice = len(objects(fixed.data)) > len({line["qid"] for line in objects(fixed.data)})
        ways["with markers" if b"<<<<<<<" in merged else "told" if twice else "clean"] += 1
    assert ways["clean"]
    assert ways["told"] if union else ways["with markers"]


def test_with_the_version_before_only_what_both_changed_is_left_to_a_person(tmp_path: Path) -> None:
    """Neighbouring lines that one branch each changed are a conflict to git, and none between people."""
    repository = Repository(tmp_path, union=False, style="diff3")
    repository.begin(base_set(random.Random(0)) + b"\n")

    def edit(*qids: str, by: str) -> Callable[[], None]:
        def work() -> None:
            for qid in qids:
                replace_question(repository.golden, qid, {"qid": qid, "question": f"by {by}", "evidence": ["d"]})

        return work

    repository.branch("ours", edit("q03", "q05", by="ours"))
    repository.branch("theirs", edit("q04", "q05", by="theirs"))
    assert not repository.merge("ours")
    fixed = format_golden(repository.golden.read_bytes(), "g", fix=True)
    counts = Counter(line["qid"] for line in objects(fixed.data))
    assert {qid for qid, count in counts.items() if count > 1} == {"q05"}
    assert len(counts) == 12


def test_the_same_work_on_both_branches_is_done_once(tmp_path: Path) -> None:
    repository = Repository(tmp_path, union=True)
    repository.begin(base_set(random.Random(0)))

    def work() -> None:
        append_question(repository.golden, {"question": "both ask this", "evidence": ["d"]})
        replace_question(repository.golden, "q03", {"qid": "q03", "question": "better", "evidence": ["d"]})

    repository.branch("ours", work)
    repository.branch("theirs", work)
    assert repository.merge("ours")
    golden = read_golden(repository.golden)
    assert (golden.problems, len(golden.questions)) == ((), 13)


def test_logs_merge_without_a_word_and_lose_nothing(tmp_path: Path) -> None:
    rng = random.Random(5)
    for pair in range(rounds(4, 60)):
        folder = tmp_path / str(pair)
        folder.mkdir()
        repository = Repository(folder, union=True)
        repository.begin(base_set(rng))
        wrote: Counter[str] = Counter()

        def work(name: str, folder: Path = folder, wrote: Counter[str] = wrote) -> Callable[[], None]:
            def write() -> None:
                verdicts, reviews = VerdictLog(folder / "verdicts.jsonl"), ReviewLog(folder / "reviews.jsonl")
                judgements, inbox = JudgementLog(folder / "judgements.jsonl"), InboxLog(folder / "inbox.jsonl")
                for _ in range(rng.randint(1, 4)):
                    number = rng.randrange(5)
                    verdicts.record(f"q{number:02}", "misused", by=name)
                    reviews.record(f"q{number:02}", f"sha{number}", {"correct": name == "ours"}, by=name)
                    judgements.record(f"q{number:02}", "d", f"words {number}", name == "ours", by=name)
                    wrote.update(("verdicts", "reviews", "judgements"))
                    line = f'{{"from": "ticket", "ref": "{number}", "question": "what is {number}"}}\n'
                    inbox.add(read_reports(line.encode(), "tickets.jsonl").reports)
                    wrote[f"ticket {number}"] = 1
                    inbox.set(inbox.current()[0].report.id, "dismissed", by=name)
                    wrote["changes"] += 1
                if rng.random() < 0.5 and verdicts.undo(by=name):
                    wrote["verdicts"] += 1

            return write

        repository.branch("ours", work("ours"))
        repository.branch("theirs", work("theirs"))
        assert repository.merge("ours")
        logs = (
            VerdictLog(folder / "verdicts.jsonl"),
            ReviewLog(folder / "reviews.jsonl"),
            JudgementLog(folder / "judgements.jsonl"),
        )
        inbox = InboxLog(folder / "inbox.jsonl")
        assert [log.problems() for log in (*logs, inbox)] == [[], [], [], []]
        assert [len(log.events()) for log in logs] == [wrote[name] for name in ("verdicts", "reviews", "judgements")]
        items = inbox.current()
        assert len(items) == len({item.report.id for item in items}) == sum(key.startswith("ticket") for key in wrote)
        assert sum(len(inbox.history(item.report.id)) for item in items) == wrote["changes"]


def test_markers_in_a_log_are_named_by_line(tmp_path: Path) -> None:
    repository = Repository(tmp_path, union=False)
    repository.begin(base_set(random.Random(0)))
    repository.branch("ours", lambda: VerdictLog(tmp_path / "verdicts.jsonl").record("q00", "misused", by="x") and None)
    repository.branch("theirs", lambda: VerdictLog(tmp_path / "verdicts.jsonl").record("q01", "misused", by="y") and None)
    assert not repository.merge("ours")
    verdicts = VerdictLog(tmp_path / "verdicts.jsonl")
    lines = verdicts.path.read_bytes().split(b"\n")
    marked = [number for number, line in enumerate(lines, start=1) if is_marker(line)]
    assert [problem.line for problem in verdicts.problems()] == marked
    assert len(verdicts.events()) == 2
