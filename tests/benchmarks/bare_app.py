"""A Textual application of four panes and nothing else: what the app's first frame is compared with."""

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

LINES = "\n".join(f"{number:>2}  a line of text as long as a line of a list" for number in range(1, 11))


class Bare(App[None]):
    CSS = "Static { border: solid gray; height: 1fr; } Vertical { width: 1fr; }"

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical():
                yield Static("pane one\n" + LINES)
                yield Static("pane two\n" + LINES)
            with Vertical():
                yield Static("pane three\n" + LINES)
                yield Static("pane four\n" + LINES)


if __name__ == "__main__":
    Bare().run(mouse=False)
