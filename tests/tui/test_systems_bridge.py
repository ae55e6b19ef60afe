"""Somebody's own retriever in the app: nothing runs before a word, and its passages are looked at like chunks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.tui.test_cli_systems import root

from ragtriage_tui.answer_views import Asked, Consent
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.workers import DoorError

__all__ = ["root"]


def quiet(stage: str, done: int, total: int) -> None: ...


def test_the_app_asks_before_anything_runs(root: Path) -> None:
    door = Door(root)
    assert door.open(quiet).measure
    with pytest.raises(DoorError, match="nothing was run, read or sent"):
        door.measure(quiet)
    consent = door.ask("q1", quiet)
    assert isinstance(consent, Consent)
    assert any(f'runs a program in {root}: ["{sys.executable}", "mine:retrieve"]' in line for line in consent.lines)
    assert isinstance(door.ask("q1", quiet, frozenset({consent.token})), Asked)
    door.measure(quiet)
    assert door.run is not None
    door.close()


def test_a_question_is_looked_at_like_any(root: Path) -> None:
    door = Door(root, trusted=True)
    door.open(quiet)
    assert door.measure(quiet).setup == "python k=5"
    view = door.question("q2")
    assert view is not None
    assert (view.stages, view.no_chunks) == ((), "")
    assert [(chunk.chunk_id, chunk.doc_id, chunk.text, chunk.holds) for chunk in view.chunks] == [
        ("a7", "refunds", "Goods may be sent back within 30 days of delivery.", "none"),
        ("b1", "", "", "none"),
        ("c", "staff", "Support may give a voucher of 15 euros to whoever waited long.", "none"),
        ("shipping#1", "shipping", "# Shipping\n\nParcels leave on the next working day. We ship to Norway.", "whole"),
    ]
    assert [rung.text for rung in view.needs[0].rungs] == ["corpus", "allowed", "bm25 (probe) 1", "your system –"]
    found = door.question("q1")
    assert found is not None
    assert found.chunks[0].holds == "whole"
    judged = door.judgements.judge("q2", "a7", relevant=False)
    assert "a7" in judged.message
    shown = door.question("q2")
    assert shown is not None
    assert shown.chunks[0].judged
    door.close()
