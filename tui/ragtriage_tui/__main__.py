"""`python -m ragtriage_tui`: the same as the `ragtriage` command."""

from __future__ import annotations

from ragtriage_tui.cli import script

if __name__ == "__main__":
    script()
