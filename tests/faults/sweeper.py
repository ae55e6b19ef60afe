"""`ragtriage` with a note of every text that goes to the encoder, written before it goes: run by the tests beside it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.types import Progress
from ragtriage_tui.cli import main


def note(path: Path) -> None:
    """Have every text noted in `path`, a line each."""
    encode = EncoderProcess.encode

    def noted(process: EncoderProcess, texts: Sequence[str], progress: Progress) -> np.ndarray:
        with path.open("a", encoding="utf-8") as handle:
            handle.write("".join(json.dumps(text) + "\n" for text in texts))
        return encode(process, texts, progress)

    EncoderProcess.encode = noted  # type: ignore[method-assign]


if __name__ == "__main__":
    note(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
