from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtriage.errors import GoldenError, StorageError
from ragtriage.golden.file import append_question, read_golden, remove_question, replace_question


def write(folder: Path, *lines: str | dict[str, Any]) -> Path:
    path = folder / "golden.jsonl"
    path.write_bytes("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode())
    return path


def q(qid: str, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "question": f"what about {qid}?", **more}


def test_questions_come_in_the_files_order_with_their_lines(tmp_path: Path) -> None:
    golden = read_golden(write(tmp_path, q("b"), "", q("a")))
    assert [(question.qid, question.line) for question in golden.questions] == [("b", 1), ("a", 3)]
    assert golden.problems == ()
    assert golden.get("a") == golden.questions[1]
    assert golden.get("c") is None


def test_bad_lines_are_reported_together_and_the_good_ones_used(tmp_path: Path) -> None:
    golden = read_golden(
        write(tmp_path, q("a"), "{", "[]", q("b", split="x"), "<<<<<<< HEAD", q("c"), "=======", ">>>>>>> other")
    )
    assert [question.qid for question in golden.questions] == ["a", "c"]
    assert [problem.line for problem in golden.problems] == [2, 3, 4, 5, 7, 8]
    assert all("merge conflict" in problem.message for problem in golden.problems[3:])


def test_a_qid_that_two_lines_claim_is_in_neither(tmp_path: Path) -> None:
    golden = read_golden(write(tmp_path, q("a"), q("b"), q("a", kind="exact"), q("a", split="x")))
    assert [question.qid for question in golden.questions] == ["b"]
    shared = [(problem.line, problem.message) for problem in golden.problems if problem.key == "qid"]
    assert [line for line, _ in shared] == [1, 3, 4]
    assert "also on line 3, 4" in shared[0][1]


def test_whoever_asks_for_a_question_that_is_not_used_is_told_why(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"), q("b"), q("a", kind="exact"), q("c", split="x"))
    golden = read_golden(path)
    assert golden.why_unused("b") == golden.why_unused("d") == ""
    assert golden.why_unused("a") == (
        f"a stands on lines 1 and 3 of {path}; none is used until all but one are removed or renamed"
    )
    assert golden.why_unused("c").startswith(f"c stands on line 4 of {path}, which cannot be used: split: ")


def test_the_fingerprint_changes_with_any_byte_and_with_needs(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"))
    first = read_golden(path).fingerprint
    assert read_golden(path).fingerprint == first
    assert read_golden(path, needs="any").fingerprint != first
    path.write_bytes(path.read_bytes() + b"\n")
    assert read_golden(path).fingerprint != first


def test_a_missing_file_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(GoldenError, match="ragtriage add"):
        read_golden(tmp_path / "golden.jsonl")
    with pytest.raises(GoldenError, match="cannot be read"):
        read_golden(tmp_path)


def test_bom_crlf_and_a_missing_last_line_end_are_read(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(q("a")).encode() + b"\r\n" + json.dumps(q("b")).encode())
    golden = read_golden(path)
    assert ([question.qid for question in golden.questions], golden.problems) == (["a", "b"], ())


def test_utf_16_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes("\ufeff{}\n{}\n".encode("utf-16-le"))
    golden = read_golden(path)
    assert [str(problem) for problem in golden.problems] == [f"{path}: UTF-16; save it as UTF-8"]


def test_appending_starts_a_file_and_keeps_every_byte_before(tmp_path: Path) -> None:
    path = tmp_path / "evals" / "golden.jsonl"
    question = append_question(path, {"question": "wo ist es, „dort“?", "mine": 1, "kind": "exact"})
    assert (question.line, question.qid[:2]) == (1, "q-")
    line = path.read_text(encoding="utf-8")
    assert line == f'{{"qid": "{question.qid}", "question": "wo ist es, „dort“?", "kind": "exact", "mine": 1}}\n'
    path.write_bytes(path.read_bytes()[:-1])  # an editor that ends no last line
    assert append_question(path, q("b")).line == 2
    assert path.read_text(encoding="utf-8").startswith(line)
    assert [one.qid for one in read_golden(path).questions] == [question.qid, "b"]


def test_a_taken_id_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"), {"question": "without id"})
    before = path.read_bytes()
    with pytest.raises(GoldenError, match="a is already there, on line 1"):
        append_question(path, q("a"))
    with pytest.raises(GoldenError, match="on line 2"):
        append_question(path, {"question": "without id"})
    assert path.read_bytes() == before


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"))
    before = path.read_bytes()
    with pytest.raises(GoldenError, match="split"):
        append_question(path, q("b", split="x"))
    with pytest.raises(GoldenError, match="cannot be written as JSON"):
        append_question(path, q("b", mine=float("nan")))
    with pytest.raises(GoldenError, match="cannot be written as JSON"):
        append_question(path, q("b", mine={1, 2}))
    with pytest.raises(GoldenError, match="there is no question"):
        replace_question(path, "a", {"qid": "a"})
    assert path.read_bytes() == before


def test_replacing_changes_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    odd = (
        b'\xef\xbb\xbf{ "qid":"a" , "question": "one" }\r\n',
        b"not json\n",
        b'{"qid": "b", "question": "two"}\r\n',
        b'{"x": 1e400}',
    )
    path.write_bytes(b"".join(odd))
    replace_question(path, "b", {"question": "three", "qid": "b", "big": 2**80})
    new = b'{"qid": "b", "question": "three", "big": 1208925819614629174706176}\r\n'
    assert path.read_bytes() == b"".join((odd[0], odd[1], new, odd[3]))
    replace_question(path, "a", q("a2"))
    assert path.read_bytes().startswith(b'\xef\xbb\xbf{"qid": "a2", ')
    assert path.read_bytes().split(b"\r\n")[0].endswith(b"}")


def test_long_numbers_of_unknown_keys_are_read_as_they_stand(tmp_path: Path) -> None:
    question = read_golden(write(tmp_path, q("a", big=2**80))).questions[0]
    assert question.raw["big"] == 2**80


def test_removing_takes_that_line_out(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"), q("b"), q("c"))
    lines = path.read_bytes().splitlines(keepends=True)
    remove_question(path, "b")
    assert path.read_bytes() == lines[0] + lines[2]
    with pytest.raises(GoldenError, match="there is no question b"):
        remove_question(path, "b")


def test_an_id_on_two_lines_must_be_settled_first(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"), q("a"), q("b"))
    for change in (lambda: remove_question(path, "a"), lambda: replace_question(path, "a", q("a"))):
        with pytest.raises(GoldenError, match="lines 1, 2"):
            change()
    with pytest.raises(GoldenError, match="a is already there, on line 1, 2"):
        replace_question(path, "b", q("a"))


def test_a_read_only_file_says_so_and_stays(tmp_path: Path) -> None:
    path = write(tmp_path, q("a"))
    before = path.read_bytes()
    path.chmod(0o444)
    for change in (
        lambda: append_question(path, q("b")),
        lambda: replace_question(path, "a", q("a", kind="exact")),
        lambda: remove_question(path, "a"),
    ):
        with pytest.raises(StorageError, match="read-only"):
            change()
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["golden.jsonl"]


_hostile = st.text(st.characters(blacklist_categories=())) | st.sampled_from(
    ["[bold]x[/bold]", "[/path]", "\x1b[31m", "\u202e", "\x00", "\ud800", "a\nb", "\u2028", '"}\n{"', "q#1", "\ufeff"]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(_hostile.filter(lambda text: bool(text.strip())), _hostile.filter(lambda text: bool(text.strip())), _hostile),
        max_size=5,
    )
)
def test_hostile_ids_and_texts_come_back_as_they_were(tmp_path: Path, entries: list[tuple[str, str, str]]) -> None:
    def clean(text: str) -> str:
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)

    path = tmp_path / "golden.jsonl"
    path.unlink(missing_ok=True)
    kept = {}
    for qid, text, value in entries:
        obj = {"qid": qid, "question": text, "evidence": [{"doc": qid, "quote": text}], "unknown": {value: [value]}}
        try:
            append_question(path, obj)
        except GoldenError:
            assert clean(qid) in kept
            continue
        kept[clean(qid)] = (clean(text), clean(value))
    if not kept:
        return
    golden = read_golden(path)
    assert golden.problems == ()
    assert {one.qid: (one.question, one.raw["unknown"]) for one in golden.questions} == {
        qid: (text, {value: [value]}) for qid, (text, value) in kept.items()
    }
    assert all(one.evidence[0].place.quote == one.question for one in golden.questions)


def test_a_changed_line_keeps_the_order_of_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    line = '{"note": "first", "question": "how long", "qid": "q1", "kind": "exact"}\n'
    path.write_text(line, encoding="utf-8")
    replace_question(path, "q1", {"qid": "q1", "question": "how far", "kind": "exact", "note": "first", "split": "dev"})
    assert list(json.loads(path.read_text(encoding="utf-8"))) == ["note", "question", "qid", "kind", "split"]
    replace_question(path, "q1", json.loads(line))
    assert path.read_text(encoding="utf-8") == line


def test_a_line_that_somebody_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    opened = {"qid": "q1", "question": "how long"}
    append_question(path, opened)
    replace_question(path, "q1", {**opened, "kind": "exact"}, expected=opened)
    before = path.read_bytes()
    with pytest.raises(GoldenError, match="changed meanwhile"):
        replace_question(path, "q1", {**opened, "kind": "ambiguous"}, expected=opened)
    with pytest.raises(GoldenError, match="changed meanwhile"):
        remove_question(path, "q1", expected=opened)
    assert path.read_bytes() == before
    remove_question(path, "q1", expected={**opened, "kind": "exact"})
    assert path.read_bytes() == b""
