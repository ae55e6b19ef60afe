"""`ragtriage doctor` about the passages: what was planted is found and said in 80 columns; a sound corpus has none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.diagnose.planted import WINGS, filler
from tests.tui.conftest import Command


@pytest.fixture
def sick(project: Path) -> Path:
    """The small project with a fault of each kind."""
    docs = project / "docs"
    for number in range(30):
        (docs / f"filler{number}.md").write_text(filler(number), encoding="utf-8")
    (docs / "old.md").write_text(
        "# Old\n\nThis is here since the shop was opened.\n\nYou may send goods back within 14 days of delivery.\n",
        encoding="utf-8",
    )
    (docs / "wings.md").write_text(WINGS, encoding="utf-8")
    (docs / "again.md").write_text(WINGS.replace(" ", "\n", 3), encoding="utf-8")
    (docs / "nearly.md").write_text(WINGS.replace("thin", "slender"), encoding="utf-8")
    (docs / "stub.md").write_text("To do.", encoding="utf-8")
    (docs / "menu.md").write_text(" ".join(f"topic{number} " * 3 for number in range(9)), encoding="utf-8")
    (docs / "empty.md").write_text("", encoding="utf-8")
    golden = project / "evals" / "golden.jsonl"
    more = [{"qid": f"m{number}", "question": f"topic{number}"} for number in range(9)]
    golden.write_text(golden.read_text(encoding="utf-8") + "".join(json.dumps(one) + "\n" for one in more), encoding="utf-8")
    return project


def test_each_fault_is_counted_placed_and_comes_with_what_to_do(ragtriage: Command, sick: Path) -> None:
    done = ragtriage("doctor")
    assert done.code == 0, done.out + done.err
    _, _, passages = done.out.partition("\n\n")
    for says in (
        "      1  statement with another number elsewhere",
        "      1  passage that repeats another",
        "      1  passage that nearly repeats another",
        "      1  fragment (under 5 words beside headings)",
        "      1  document with next to no text",
        "      1  hub (among the first k of many questions it does not answer)",
        "  old:5  14  You may send goods back within 14 days of delivery.",
        "    refunds:5  30  You may send goods back within 30 days of delivery.",
        "    wings:1",
        "  stub:1  2 words: To do.",
        "  menu:1  first 2 of 9 of 13, evidence for 0  topic0 topic0 topic0",
        "retrieved by none of your 13 dev questions: in no pool of 50",
        "chunks beyond a window (mode bm25 has none)",
        "more documents: ragtriage doctor --all",
    ):
        assert says in passages, passages
    assert max(map(len, passages.splitlines())) <= 80
    assert "empty: empty.md" in done.out
    everything = ragtriage("doctor", "--all").out
    assert "more documents" not in everything
    assert "staff/goodwill  1 of 1 passage, hidden from all of them by its access" in everything


def test_json_has_all_of_it(ragtriage: Command, sick: Path) -> None:
    found = ragtriage("doctor", "--json").json["passages"]
    assert found["counts"] | {"orphans": 0} == {
        "contradictions": 1, "contradictions_by_year": 0, "exact_duplicates": 1,
        "near_duplicates": 1, "unread": 0, "fragments": 1, "thin_documents": 1,
        "hubs": 1, "orphans": 0,
    }  # fmt: skip
    (difference,) = found["contradictions"]
    sides = [(side["numbers"], side["place"]["doc_id"], side["place"]["line"]) for side in difference["sides"]]
    assert sides == [(["14"], "old", 5), (["30"], "refunds", 5)]
    assert found["questions"]["hubs"][0]["questions"] == 9
    assert {one["doc_id"]: one["hidden"] for one in found["questions"]["documents"]}["staff/goodwill"] is True
    assert found["window"] is None


def test_pages_that_a_year_tells_apart_are_a_kind_of_their_own(ragtriage: Command, project: Path) -> None:
    for year, days in ((2023, 21), (2024, 14)):
        page = f"# Pricing {year}\n\n{WINGS} You may pay every invoice of ours within {days} days.\n"
        (project / "docs" / f"pricing-{year}.md").write_text(page, encoding="utf-8")
    said = ragtriage("doctor").out
    assert "      1  statement with another number in another year" in said
    assert "statement with another number elsewhere" not in said
    assert "  pricing-2023:3  2023: 21  You may pay every invoice" in said
    assert "    pricing-2024:3  2024: 14  You may pay every invoice" in said
    found = ragtriage("doctor", "--json").json["passages"]
    assert (found["counts"]["contradictions"], found["counts"]["contradictions_by_year"]) == (0, 1)
    assert [side["year"] for side in found["contradictions"][0]["sides"]] == ["2023", "2024"]


def test_a_sound_corpus_has_no_findings_but_what_nobody_asks_about(ragtriage: Command, project: Path) -> None:
    counts = ragtriage("doctor", "--json").json["passages"]["counts"]
    assert {name: number for name, number in counts.items() if number} == {"orphans": counts["orphans"]}


def test_with_vectors_missing_bm25_asks_alone_and_says_so(ragtriage: Command, project: Path) -> None:
    done = ragtriage("doctor", "--set", "retrieval.mode=hybrid")
    assert (done.code, done.err) == (0, "")
    assert "4 questions asked by BM25 alone, for want of vectors: ragtriage eval makes" in done.out
    long = "word " * 400
    (project / "docs" / "long.jsonl").write_text(
        json.dumps({"chunk_id": "x", "doc_id": "x", "text": long}) + "\n", encoding="utf-8"
    )
    longer = ragtriage("doctor", "--set", "retrieval.mode=hybrid").out
    assert "1 chunk longer than the model's window of 256 tokens" in longer
    assert "x:1  146 of 400 tokens never embedded" in longer  # 400 + 2 - 256


def test_without_questions_or_golden_set_the_passages_are_looked_at_all_the_same(ragtriage: Command, project: Path) -> None:
    (project / "docs" / "again.md").write_text((project / "docs" / "errors.md").read_text(encoding="utf-8"), encoding="utf-8")
    (project / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    empty = ragtriage("doctor")
    assert "hubs and orphans need dev questions: ragtriage add" in empty.out
    assert "1  passage that repeats another" in empty.out
    (project / "evals" / "golden.jsonl").write_text("nonsense\n", encoding="utf-8")
    broken = ragtriage("doctor")
    assert broken.code == 2
    assert "1  passage that repeats another" in broken.out


def test_passages_wait_for_a_model_that_is_not_here(ragtriage: Command, project: Path) -> None:
    env = {"HF_HUB_OFFLINE": "1"}
    done = ragtriage("doctor", "--json", "--set", "embedding.model=some/model", env=env)
    assert done.json["passages"] is None
    assert "passages" in {finding["what"] for finding in done.json["findings"]}


def test_the_notes_on_a_large_golden_set_are_cut_short(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    pairs = [{"qid": f"p{at}", "question": f"how is the {filler(at, 5)} made {'now' * (at % 2)}"} for at in range(3)]
    same = [{**one, "qid": f"{one['qid']}-{again}"} for one in pairs for again in range(4)]
    golden.write_text(golden.read_text(encoding="utf-8") + "".join(json.dumps(one) + "\n" for one in same), encoding="utf-8")
    short, full = ragtriage("doctor").out, ragtriage("doctor", "--all").out
    assert "more notes: ragtriage doctor --all" in short
    assert "more note" not in full
    assert short.count("! golden set") == 6 < full.count("! golden set")


def test_hostile_names_and_texts_stay_text(ragtriage: Command, project: Path) -> None:
    text = "\x1b[31mred\u202e \ud83d [bold] back within {} days of delivery of what was bought \x07"
    for number, name in enumerate(("a" * 120, "b\u202ec", "d[red]e")):
        raw = text.format(number + 2).encode("utf-8", "surrogatepass")
        (project / "docs" / f"{name}.md").write_bytes(raw.decode("utf-8", "replace").encode())
    done = ragtriage("doctor")
    assert done.code == 0, done.out
    assert not {"\x1b", "\u202e", "\x07"} & set(done.out)
    assert "1  statement with another number elsewhere" in done.out
    json.loads(ragtriage("doctor", "--json").out)


def says(ragtriage: Command, *words: str) -> dict[tuple[str, str], list[str]]:
    out: dict[tuple[str, str], list[str]] = {}
    for one in ragtriage("doctor", "--json", *words).json["findings"]:
        out.setdefault((one["state"], one["what"]), []).append(one["says"])
    return out


def test_what_needs_the_users_word_is_named(project: Path, ragtriage: Command) -> None:
    with (project / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write('rerank_command = ["./rerank"]\n[embedding]\nprovider = "openai"\nmodel = "e"\n')
        file.write('base_url = "http://127.0.0.1:9/v1"\n[judge]\nprovider = "openai"\nmodel = "m"\n')
    keys = "embedding.base_url, embedding.provider, judge.provider, retrieval.rerank, retrieval.rerank_command"
    found = says(ragtriage)
    assert found["note", "trust"] == [f"your word is needed for {keys}: ragtriage trust"]
    assert any("not agreed to yet" in one for one in found["note", "model"])
    assert ("note", "trust") not in says(ragtriage, "--trust")
    assert ragtriage("trust", "--yes").code == 0
    agreed = says(ragtriage)
    assert ("note", "trust") not in agreed
    assert ("note", "model") not in agreed


def test_secrets_in_the_configuration_are_hinted_at_and_not_shown(project: Path, ragtriage: Command) -> None:
    with (project / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write('system = "http"\nurl = "https://search.example/q?key=s3cret-s3cret&collection=docs"\n')
        file.write('[answers]\ngenerator = "command"\ncommand = ["./gen", "--token", "s3cret-s3cret"]\n')
    done = ragtriage("doctor")
    assert "! secrets      retrieval.url holds what looks like a secret" in done.out
    assert "! secrets      answers.command holds what looks like a secret" in done.out
    assert "s3cret" not in done.out + done.err
