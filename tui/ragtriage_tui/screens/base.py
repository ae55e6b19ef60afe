"""What every screen is: one frame, one footer, one way from keys to actions.

A new screen is one module here and one line in `app.SCREENS`; one with a list and a detail builds on `list_screen`:

1. Pure state and a drawing without Textual: `draw(…) -> rows.Drawing`, with header and body but no footer, from a state
   dataclass and view models (`views.py`). Tests are written against these.
2. `class Find(FrameScreen)` with `WHERE = "Find"` (the name in the table of actions), `draw(width, height)` calling the
   above, and a method `do_<action_id>` (`-` as `_`) for each action of the table that names the screen. `do_` methods of
   this class and of the app serve all screens. Actions on rows call `self.paint()` when they are done.
3. `footer_state()` names the row of `actions.FOOTERS` (`"Find"`, or `"Find.typing"` for the state `typing`).
4. Text fields are `editor.Editor` objects: `self.field = editor` gives one the keys, `None` takes them away. `field_changed`
   is called after each change; Enter and Escape arrive as the actions `open` and `close`. Draw it by `editor.draw`.
5. Engine work: `self.jobs.start(group, work, done)` (a newer job of the group drops the older), or `self.jobs.queue` for
   writes. The door is `self.app.door`; what it raises reaches the footer by itself.

Widgets: none but the canvases, which `Drawing.cuts` divides; a change repaints only rows that differ, inside their cut.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.screen import Screen

from ragtriage_tui.actions import Action
from ragtriage_tui.drawing.footers import footer_line, prompt_line, question_line, question_rows
from ragtriage_tui.editor import Editor
from ragtriage_tui.geometry import too_small
from ragtriage_tui.keymap import key_name, works_in_field
from ragtriage_tui.messages import Picked, Wheel
from ragtriage_tui.rows import Drawing, Line, Seg, cut_line, fill
from ragtriage_tui.telling import Message
from ragtriage_tui.text import scrub, width
from ragtriage_tui.widgets.canvas import Canvas
from ragtriage_tui.workers import Jobs

if TYPE_CHECKING:
    from ragtriage_tui.window import RagtriageApp

__all__ = ["FrameScreen"]

_MAX_CUTS = 3


class FrameScreen(Screen[None], inherit_bindings=False):
    """Base of all screens; see the module's text for how one is added."""

    WHERE = ""
    TITLE = ""
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self.field: Editor | None = None
        self.said: Message | None = None
        self.said_state = ""
        self._question: tuple[str, Callable[[], Any], tuple[str, ...]] | None = None
        self._prompt: tuple[str, Editor, Callable[[str], None], bool] | None = None
        self._cuts: tuple[int, ...] = ()
        self.extent = (0, 0)

    # what a screen gives

    def draw(self, width: int, height: int) -> Drawing:
        """Header and body, `height` rows in all (the footer's row is not among them)."""
        raise NotImplementedError

    def footer_state(self) -> str:
        """Which row of FOOTERS applies, after the screen's name: `""`, `"typing"`, `"quote"`."""
        return ""

    def pane_name(self) -> str:
        """The active pane as the help calls it."""
        return self.WHERE

    def field_changed(self) -> None:
        """The field with the keys has another text now."""

    def picked(self, x: int, y: int, *, twice: bool) -> None:
        """A cell was clicked."""

    def job_failed(self, group: str, text: str) -> None:
        """A job of this screen, or of the app while this screen is in front, failed."""
        self.say(text, "warn")

    def offers(self) -> list[tuple[str, str, str]]:
        """What the palette offers here besides actions: id, what stands in the column of keys, sentence."""
        return []

    def take_offer(self, offer_id: str) -> None:
        """One of `offers` was chosen in the palette."""

    def keep(self) -> None:
        """Save what is half written: the terminal may be gone."""

    # what a screen may use

    @property
    def owner(self) -> RagtriageApp:
        return cast("RagtriageApp", self.app)

    @property
    def jobs(self) -> Jobs:
        return self.owner.jobs

    def say(self, text: str, kind: str = "done", state: str = "") -> None:
        """Put a message in the footer until the next move. `state` picks the keys shown after it (`changed`)."""
        self.said = Message(scrub(text).replace("\n", " "), cast(Any, kind))  # an error may have several lines
        self.said_state = state
        self.paint()

    def hush(self) -> None:
        """Take the footer's message away."""
        self.said = None

    def ask(self, question: str, act: Callable[[], Any], lines: Sequence[str] = ()) -> None:
        """Ask in the footer; only `Y` does it, any other key does not. `lines` stand above it, whole; where there is no room
        for all of them, nothing is asked."""
        self._question = (scrub(question), act, tuple(map(scrub, lines)))
        self.paint()

    def prompt(self, label: str, text: str, taken: Callable[[str], None], *, whole: bool = False) -> None:
        """One line of text in the footer's row; `taken(text)` on Enter, nothing on Escape. `whole`: the field has all of it."""
        editor = Editor(text)
        self._prompt = (label, editor, taken, whole)
        self.field = editor
        self.paint()

    @property
    def prompted(self) -> Editor | None:
        """The field of the prompt that is open."""
        return self._prompt[1] if self._prompt else None

    def paint(self) -> None:
        """Draw everything again; only rows that differ are sent."""
        if not self.is_mounted or not self.is_current:
            return
        width, height = self.extent
        if why := too_small(width, height):
            self._show(Drawing((fill((Seg(why),), width), *[()] * (height - 1))), width)
            return
        drawing = self.draw(width, height - 1)
        lines = [*drawing.lines[: height - 1], *[()] * (height - 1 - len(drawing.lines))]
        if self._question and self._question[2]:
            said = question_rows(self._question[2], width)
            if len(said) > height - 2:
                self._question = None
                self.said = Message("no room to ask here: make the window larger, or `ragtriage trust`", "warn")
            else:
                lines[-len(said) :] = said
        self._show(Drawing((*lines, self._footer(width)), drawing.cuts), width)

    def redraw(self) -> None:
        """Send every cell again."""
        for canvas in self.query(Canvas):
            canvas.repaint()

    # the frame

    def compose(self) -> ComposeResult:
        for index in range(_MAX_CUTS + 1):
            owner = self.owner
            yield Canvas(look=owner.look, plain=owner.plain, encoding=owner.encoding, name=f"canvas-{index}")

    def on_mount(self) -> None:
        self.extent = (self.app.size.width, self.app.size.height)
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        self.extent = (event.size.width, event.size.height)
        self.paint()

    def on_screen_resume(self) -> None:
        self.extent = (self.app.size.width, self.app.size.height)
        self.paint()

    def _show(self, drawing: Drawing, width: int) -> None:
        canvases = list(self.query(Canvas))
        if len(canvases) <= _MAX_CUTS:  # not composed yet, or on its way out
            return
        cuts = tuple(cut for cut in drawing.cuts if 0 < cut < width)[:_MAX_CUTS]
        edges = (0, *cuts, width)
        if (*cuts, width) != self._cuts:
            self._cuts = (*cuts, width)
            for index, canvas in enumerate(canvases):
                used = index < len(edges) - 1
                canvas.display = used
                if used:
                    canvas.styles.width = edges[index + 1] - edges[index]
        caret = None
        for index in range(len(edges) - 1):
            left, right = edges[index], edges[index + 1]
            part = [cut_line(line, left, right) for line in drawing.lines] if cuts else list(drawing.lines)
            canvases[index].show(part)
        if self.field is not None:
            caret = next((place for place in map(_caret, enumerate(drawing.lines)) if place), None)
        self.app.cursor_position = caret or Offset(width - 1, len(drawing.lines) - 1)

    def _footer(self, width: int) -> Line:
        keymap = self.owner.keymap
        if self._question:
            return question_line(keymap, self._question[0], width)
        if self._prompt:
            return prompt_line(keymap, self._prompt[0], self._prompt[1], width, whole=self._prompt[3])
        return footer_line(keymap, self.WHERE, self.footer_state(), self.said, self.said_state, width)

    # keys

    async def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        await self.press(key_name(event.key, event.character))

    async def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self.field is not None:
            self.field.insert(event.text)
            self._typed()

    async def press(self, key: str) -> None:
        """One key, by its name in the table."""
        action = self.owner.keymap.resolve(key, self.WHERE)
        if self.extent != (0, 0) and too_small(*self.extent):  # before it is drawn a screen takes keys all the same
            if action and action.id in ("back", "leave", "suspend"):
                await self.act(action, key)
            return
        if self._question:
            act = self._question[1]
            self._question = None
            if action and action.id == "yes":
                await _call(act)
            self.paint()
            return
        if self.field is not None:
            typed = self.field.key(key)
            if typed.mine:
                self._typed(changed=typed.changed)
                return
            if not works_in_field(key):
                return
        if action is None or action.id == "yes":
            return
        self.owner.leaving = self.owner.leaving and action.id == "leave"
        if self._prompt and action.id in ("open", "close"):
            self._leave_prompt(take=action.id == "open")
            return
        await self.act(action, key)

    def _typed(self, *, changed: bool = True) -> None:
        self.hush()
        if changed and not self._prompt:
            self.field_changed()
        self.paint()

    def _leave_prompt(self, *, take: bool) -> None:
        prompt, self._prompt, self.field = self._prompt, None, None
        if prompt and take:
            prompt[2](prompt[1].text)
        self.paint()

    async def act(self, action: Action, key: str = "") -> None:
        """Do what an action says: the screen's own method, else the app's."""
        self.hush()
        name = f"do_{action.id.replace('-', '_')}"
        method = getattr(self, name, None) or getattr(self.owner, name, None)
        if method is None:
            return
        await _call(method)
        self.paint()

    def on_picked(self, event: Picked) -> None:
        event.stop()
        if not self._question and not self._prompt:
            self.picked(event.x, event.y, twice=event.twice)

    async def on_wheel(self, event: Wheel) -> None:
        event.stop()
        if action := self.owner.keymap.get("move-down" if event.step > 0 else "move-up"):
            for _ in range(3):
                await self.act(action)

    def later(self, call: Callable[..., Any], *args: Any) -> None:
        """Call on the loop, from any thread."""
        self.app.call_later(partial(call, *args))


async def _call(method: Callable[[], Any]) -> None:
    result = method()
    if inspect.isawaitable(result):
        await result


def _caret(numbered: tuple[int, Line]) -> Offset | None:
    row, line = numbered
    column = 0
    for text, role in line:
        if role == "caret":
            return Offset(column, row)
        column += width(text)
    return None
