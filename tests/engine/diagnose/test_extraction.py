from __future__ import annotations

from pathlib import Path

from tests.engine.corpus.reading import corpus_of
from tests.engine.diagnose.planted import filler

from ragtriage.diagnose.extraction import thin_documents


def test_documents_without_words_or_with_few_for_their_size_are_thin(tmp_path: Path) -> None:
    script = f"<script>{'x = 1;' * 9000}</script>"
    corpus = corpus_of(
        tmp_path,
        {
            "page.html": f"<html><head>{script}</head><body><p>Please switch JavaScript on to read any part of it.</p></body>",
            "short.md": "To be written.",
            "fine.md": filler(1),
            "long.html": f"<html><head>{script}</head><body><p>{filler(2, 600)}</p></body>",
            "many.jsonl": '{"id": "x", "text": "one two three"}\n' + f'{{"id": "y", "text": "{filler(3)}"}}\n',
        },
    )
    found = {thin.doc_id: (thin.words, thin.size) for thin in thin_documents(corpus)}
    assert set(found) == {"page", "short", "x"}
    assert found["page"][0] == 10
    assert found["page"][1] > 50_000
    assert found["x"] == (3, 0)
