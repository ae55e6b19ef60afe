"""A configuration written into the file of the project: offered first, written when somebody agreed, a step of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.adopt_text import keys_text, overridden_text, settings_text
from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.journal import Overtaken, Undone
from ragtriage_tui.sweep_views import Offer
from ragtriage_tui.text import one_line, scrub
from ragtriage_tui.views import Change
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.config import Config
    from ragtriage.experiments.adopt import Proposal
    from ragtriage_tui.bridge.holder import Holder

__all__ = ["Adopting"]


class Adopting:
    """What was offered last, and writing it. Nobody's edit of the file is overwritten, neither then nor when it is undone."""

    def __init__(self, door: Holder) -> None:
        self._door = door
        self._offered: Proposal | None = None

    @guarded
    def offer(self, name: str, config: Config, *, lines: tuple[str, ...] = ()) -> Offer:
        """Work out what makes `config` the one in use; without a name it has that of its keys. Raises DoorError where that
        is so already, or cannot be."""
        from ragtriage.experiments.adopt import proposed

        self._door.must_write()
        with self._door.held():
            self._door.reread()
        with self._door.held() as project:  # another one, where the file was changed by somebody
            proposal = proposed(project, config)
        self._offered = proposal
        more = (f"{overridden_text(proposal.overridden)}.",) if proposal.overridden else ()
        shown = name or settings_text(proposal.settings)
        return Offer(shown, _name(proposal), keys_text(proposal.settings, proposal.was), (*lines, *more))

    @guarded
    def adopt(self) -> Change:
        """Write what was offered last."""
        from ragtriage.experiments.adopt import write

        if self._offered is None:
            raise DoorError("nothing was offered to be written")
        proposal, self._offered = self._offered, None
        self._door.must_write()
        with self._door.held():
            write(proposal)
            self._door.edits.journal.did(_Adopted(self._door, proposal))
            self._door.wrote_config()
        keys = keys_text(proposal.settings, proposal.was)
        return Change(_name(proposal), f"{_name(proposal)}: {keys}", warn=bool(proposal.overridden))


class _Adopted:
    """A configuration that was written, as a step of the session."""

    def __init__(self, door: Holder, proposal: Proposal) -> None:
        self._door = door
        self._proposal = proposal

    def undo(self) -> Undone:
        from ragtriage.experiments.adopt import put_back

        name = _name(self._proposal)
        self._exchange(put_back)
        return Undone(f"{name} is as before" if self._proposal.before is not None else f"{name} is gone again", name)

    def redo(self) -> Undone:
        from ragtriage.experiments.adopt import write

        self._exchange(write)
        name = _name(self._proposal)
        return Undone(f"{name} is written again", name)

    def _exchange(self, how: object) -> None:
        from ragtriage.errors import StorageError

        try:
            how(self._proposal)  # type: ignore[operator]
        except StorageError as error:
            if "changed meanwhile" not in str(error):
                raise
            raise Overtaken(f"{_name(self._proposal)} was changed meanwhile") from None
        self._door.wrote_config()


def _name(proposal: Proposal) -> str:
    return scrub(one_line(proposal.path.name))
