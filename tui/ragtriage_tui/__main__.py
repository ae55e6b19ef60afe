"""`python -m ragtriage_tui`: the same as the `ragtriage` command."""

from __future__ import annotations

import sys

from ragtriage_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
