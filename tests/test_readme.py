"""README and reference hold: commands run, outputs are what is printed, and every name in them exists.

Shell blocks run one after the other in a folder that has what they speak of. A `text` block behind one must be what
it prints; `…` stands for anything, on a line of its own for any number of lines.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragtriage.config import Config
from ragtriage.config_file import load_config
from ragtriage.golden.dialects import read_question
from ragtriage.golden.references import parse_reference
from ragtriage.measure.ladder import RUNGS
from ragtriage.triage.categories import CATEGORIES
from ragtriage_tui.actions import ACTIONS
from ragtriage_tui.app import SCREENS
from ragtriage_tui.cli import command_parser
from ragtriage_tui.commands import COMMANDS
from ragtriage_tui.commands.golden import ACTIONS as ACTIONS_OF_GOLDEN
from ragtriage_tui.keymap import Keymap
from ragtriage_tui.triage_questions import _TESTS

pytestmark = pytest.mark.xdist_group("readme")  # the blocks build on one another

ROOT = Path(__file__).resolve().parent.parent
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/reference.md")}
TEXT = "\n".join(PAGES.values())

NOT_RUN = {
    "pipx install .", "pip install -c constraints.txt .",  # tests/test_wheel.py installs
    "ragtriage trust", "ragtriage eval --answers both",  # tests/tui/test_cli_trust.py and test_cli_answers.py, with a server
}  # fmt: skip
FILLED_IN = {
    'ragtriage add "QUESTION" --quote DOCUMENT "WORDS THAT ANSWER IT" --mention "WHAT A RIGHT ANSWER SAYS"':
    'ragtriage add "how long do i have" --quote policy-refunds "30 days" --mention "30 days"',
}  # fmt: skip


class Block(NamedTuple):
    """A fenced block, and `page:line` where it begins."""

    language: str
    text: str
    where: str


def blocks(language: str = "") -> list[Block]:
    every = [
        Block(match[1], match[2], f"{name}:{page.count(chr(10), 0, match.start()) + 2}")
        for name, page in PAGES.items()
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    ]
    return [block for block in every if language in ("", block.language)]


def prose(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    """What stands under a heading of the second level."""
    return TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the table whose head row begins with `head`."""
    lines = iter(text.splitlines())
    next(line for line in lines if line.startswith(head))
    next(lines)
    out = []
    for line in lines:
        if not line.startswith("|"):
            break
        out.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return out


def ticked(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# -- what runs


class Ran(NamedTuple):
    """What one shell block printed, and how it ended."""

    block: Block
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project without configuration and a BEIR folder, beside which the sample is copied."""
    folder = tmp_path_factory.mktemp("readme")
    files = {
        "your-project/docs/policy-refunds.md": "# Refunds\n\nSend it back within 30 days of delivery. The way back is free.\n",
        "beir-folder/corpus.jsonl": '{"_id": "d1", "title": "Wings", "text": "Lift of a wing in a slipstream."}\n',
        "beir-folder/queries.jsonl": '{"_id": "1", "text": "what lift has a wing"}\n',
        "beir-folder/qrels.tsv": "query-id\tcorpus-id\tscore\n1\td1\t1\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environment(workspace: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAGTRIAGE_", "GIT_"))}
    return {**kept, "PATH": path, "RAGTRIAGE_HOME": str(workspace / "home"), "HF_HUB_OFFLINE": "1"}


@pytest.fixture(scope="module")
def ran(workspace: Path, environment: dict[str, str]) -> list[Ran]:
    """Every shell block, run; a block begins in the folder in which the one before ended."""
    here, done = str(workspace), []
    for block in blocks("sh"):
        lines = [FILLED_IN.get(line, line) for line in block.text.splitlines() if line not in NOT_RUN]
        if not lines:
            continue
        script = "\n".join([f"cd {shlex.quote(here)}", "set -e", *lines, 'pwd > "$RAGTRIAGE_HOME.pwd"'])
        result = subprocess.run(
            ["bash", "-c", script],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
        done.append(Ran(block, result.returncode, result.stdout, result.stderr))
        if result.returncode:
            break
        here = Path(environment["RAGTRIAGE_HOME"] + ".pwd").read_text(encoding="utf-8").strip()
    return done


TOLD = ("embedding the question; the model starts", " is newer and partial: it is passed over")
"""What a command that does as it should says on standard error: how long it waits, and which run is not the newest."""


def test_every_command_runs(ran: list[Ran]) -> None:
    for one in ran:
        assert one.code == 0, f"{one.block.where} ended with {one.code}\n{one.err}\n{one.out[-2000:]}"
        said = [line for line in one.err.splitlines() if not any(told in line for told in TOLD)]
        assert said == [], f"{one.block.where}\n{one.err}"
    assert len(ran) == sum(any(line not in NOT_RUN for line in block.text.splitlines()) for block in blocks("sh"))


def test_outputs_are_what_is_printed(ran: list[Ran]) -> None:
    printed = {one.block.where: one.out for one in ran}
    before: Block | None = None
    checked = 0
    for block in blocks():
        if block.language == "text":
            assert before is not None
            assert before.language == "sh"
            out = printed[before.where]
            assert _pattern(block.text).fullmatch(out), f"{block.where} is no longer what is printed:\n{out}"
            checked += 1
        before = block
    assert checked == len(blocks("text")) > 0


def _pattern(text: str) -> re.Pattern[str]:
    parts = [r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r"\n" for line in text.splitlines()]
    return re.compile("".join(parts))


def test_lines_that_are_not_run_are_still_there() -> None:
    lines = {line for block in blocks("sh") for line in block.text.splitlines()}
    assert lines >= NOT_RUN | FILLED_IN.keys()
    assert {"demo", "install"} <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


# -- names


def test_the_configuration_is_whole_with_its_defaults(tmp_path: Path) -> None:
    (block,) = (block for block in blocks("toml") if block.text.startswith("[corpus]"))
    assert tomllib.loads(block.text) == Config().as_dict()
    file = tmp_path / "ragtriage.toml"
    file.write_text(block.text, encoding="utf-8")
    assert load_config(file).as_dict() == Config().as_dict()
    keys = [line.split(" =")[0] for line in block.text.splitlines() if " = " in line]
    assert sorted(keys) == sorted(key for table in Config().as_dict().values() for key in table)


def _arguments(name: str) -> argparse.ArgumentParser:
    parser = command_parser(f"ragtriage {name}", "")
    importlib.import_module(f"ragtriage_tui.commands.{name.replace('-', '_')}").arguments(parser)
    return parser


def _options(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings if option not in ("-h", "--help")}


def test_commands_and_their_options_are_the_parsers() -> None:
    everywhere = _options(command_parser("ragtriage", ""))
    (line,) = re.findall(r"^Everywhere: (.*)$", TEXT, re.MULTILINE)
    assert {text.split()[0] for text in ticked(line)} == everywhere
    table: dict[str, set[str]] = {}
    for command, what in rows(section("Commands"), "| command | what"):
        table.setdefault(ticked(command)[0].split()[0], set()).update(text for text in ticked(what) if text.startswith("--"))
    table.pop("ragtriage")
    assert table.keys() == COMMANDS.keys()
    for name, options in table.items():
        parts = [f"golden_{action}" for action in ACTIONS_OF_GOLDEN] if name == "golden" else [name]
        assert options == set().union(*(_options(_arguments(part)) for part in parts)) - everywhere, name


def test_words_in_code_that_look_like_options_exist() -> None:
    known = {
        option
        for name in (*COMMANDS, *(f"golden_{name}" for name in ACTIONS_OF_GOLDEN))
        for option in _options(_arguments(name))
    }
    for code in ticked(prose(TEXT)):
        if not code.startswith("python -m tests.benchmarks "):
            assert set(re.findall(r"(?<!\S)--?[a-zA-Z][\w-]*", code)) <= known, code


def test_rungs_causes_and_keys_are_those_of_the_product() -> None:
    triage = section("Triage")
    assert [name for row in rows(triage, "| rung") for name in ticked(row[0])] == list(RUNGS)
    causes = [(row[0], *ticked(row[1])) for row in rows(triage, "| key | label")]
    assert causes == [(one.key, one.slug) for one in CATEGORIES]
    offered = {key for action in Keymap(SCREENS).actions for key in action.keys}
    assert len(ACTIONS) >= len(Keymap(SCREENS).actions)
    named = {key for row in rows(section("Keys of the app"), "| keys") for key in ticked(row[0])}
    assert named <= offered
    assert {"?", ":"} <= offered


def test_filter_words_are_those_of_the_list() -> None:
    (line,) = re.findall(r"^Filter words, .*?: (.*)$", TEXT, re.MULTILINE)
    words = [word.partition(":")[::2] for word in ticked(line)]
    assert list(dict.fromkeys(key for key, _ in words)) == list(_TESTS)
    known = {"open", "failing", "passing", "labelled", "old", "unasked", "holes"}
    assert {value for key, value in words if key == "is"} == known


def test_golden_lines_and_evidence_are_read_without_a_problem() -> None:
    lines = [line for block in blocks("json") for line in block.text.splitlines()]
    for number, line in enumerate(lines, start=1):
        reading = read_question(json.loads(line), where="page", line=number)
        assert reading.problems == (), line
        assert reading.question is not None
        assert reading.question.evidence or not reading.question.answerable, line
    kinds = []
    for _, example, _ in rows(section("Golden set"), "| evidence"):
        kinds.append(parse_reference(json.loads(ticked(example)[0])).kind)
    assert kinds == ["quote", "document", "section", "section", "page", "chunk"]


def test_links_and_the_picture_lead_somewhere() -> None:
    targets = {name: re.findall(r"\]\(([^)]+)\)", prose(page)) for name, page in PAGES.items()}
    assert {"docs/triage.svg", "docs/reference.md"} <= set(targets["README.md"])
    for name, found in targets.items():
        for target in found:
            assert ((ROOT / name).parent / target).is_file(), (name, target)
    picture = (ROOT / "docs" / "triage.svg").read_text(encoding="utf-8")
    assert "Triage" in picture
    assert "url(http" not in picture  # nothing is fetched by whoever looks at it


# -- JSON


def _at(value: Any, path: str) -> Iterator[Mapping[str, Any]]:
    """The objects at `path`: names, `*` for every value of an object, `[]` for every item of a list."""
    if not path:
        yield value
        return
    step, _, rest = path.partition(".")
    name, many = step.removesuffix("[]"), step.endswith("[]")
    found = list(value.values()) if name == "*" else [value[name]]
    for one in found:
        for item in one if many else [one]:
            if item is not None:  # an answer that was not made
                yield from _at(item, rest)


def test_json_keys_exist(ran: list[Ran], workspace: Path, environment: dict[str, str]) -> None:
    assert ran[-1].code == 0
    words = {"search": ["search", "webhook signature header name"], "find": ["find", "refund"]}
    words["rerank"] = ["rerank", "--model", "lexical"]
    words["sweep"] = ["sweep", "--mode", "bm25,dense,hybrid"]
    documents: dict[str, Any] = {}
    for command, inside, keys in rows(section("JSON"), "| command | inside"):
        name = ticked(command)[0]
        if name not in documents:
            result = subprocess.run(
                [sys.executable, "-m", "ragtriage_tui", *words.get(name, name.split()), "--json"],
                cwd=workspace / "sample", env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            )  # fmt: skip
            assert (result.returncode, result.stderr) == (0, ""), name
            documents[name] = json.loads(result.stdout)
        objects = list(_at(documents[name], ticked(inside)[0] if inside else ""))
        assert objects, (name, inside)
        for one in objects:
            assert one.keys() >= set(ticked(keys)), (name, inside)
