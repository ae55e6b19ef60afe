"""A sweep in the app: the newest one or the one that runs, rows beside each other, and taking a row over."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.bridge.adopting import Adopting
from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.bridge.overviews import setup_name
from ragtriage_tui.bridge.paced import Paced, paced
from ragtriage_tui.bridge.sweep_rows import columns, detail, read, rows, said
from ragtriage_tui.bridge.turns import short_turns
from ragtriage_tui.estimates import EMBEDDING, duration
from ragtriage_tui.sweep_pace import SweepPace
from ragtriage_tui.sweep_views import Against, Offer, SweepDetail, SweepView
from ragtriage_tui.text import one_line, scrub
from ragtriage_tui.views import Change, Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.config import Config
    from ragtriage.experiments.grid import Candidate, Grid, Unusable
    from ragtriage.experiments.sweep import Swept
    from ragtriage.experiments.table import Row, Table
    from ragtriage.experiments.versus import Versus
    from ragtriage.measure.results import Run
    from ragtriage.project import Project
    from ragtriage_tui.bridge.door import Door

__all__ = ["Sweeps"]

_COUNTED = 500  # combinations of which those that differ are counted
_GONE = "this sweep is not there any more; ctrl+r measures again"


class Sweeps:
    """`SweepDoor` for the project of a door. The table is kept as long as the app is open."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._adopting = Adopting(door)
        self._table: Table | None = None
        self._live: _Live | None = None
        self._compared: dict[tuple[str, str], Versus] = {}
        self._grid: tuple[tuple[Config, str], str] | None = None
        self._holdout: tuple[str, str, bool] | None = None  # the id of the row, what is said of it, whether it holds

    @guarded
    def view(self, progress: Progress) -> SweepView:
        """See SweepDoor."""
        from ragtriage.experiments.kept import newest

        with self._door.held():
            self._door.reread()
        with self._door.held() as project:
            pass
        if self._table is None and self._live is None:
            progress("reading", 0, 0)
            with short_turns:
                table = newest(project)  # without the lock: it reads many files, and nothing of the project but where they are
            with self._door.held() as project:
                self._table = self._table or table
                self._look_at_holdout(project)
        with self._door.held() as project:
            return self._view(project)

    @guarded
    def sweep(self, progress: Progress, told: Callable[[SweepView], None]) -> SweepView:
        """See SweepDoor."""
        from ragtriage.experiments.confirm import confirm
        from ragtriage.experiments.grid import grid_of
        from ragtriage.experiments.kept import keep
        from ragtriage.experiments.sweep import plan, sweep

        door = self._door
        door.must_keep()
        with door.held():
            door.reread()
        engine = engine_progress(paced(progress))
        engine("reading", 0, 0)
        with short_turns, door.lent(engine) as own:
            axes = _axes(own)
            if not axes:
                raise DoorError("no values to combine: name them under [sweep] in ragtriage.toml")
            grid = grid_of(axes, own.config)
            wanted = plan(own, grid)
            live = self._live = _Live([one.name for one in wanted.candidates], self._against)
            pace = Paced()

            def came(swept: Swept) -> None:
                live.take(swept)
                if pace.due():
                    started = time.monotonic()
                    self._table = live.table(wanted.unusable)
                    with door.held() as project:
                        told(self._view(project))
                    pace.did(time.monotonic() - started)

            def stage(name: str, done: int, of: int) -> None:
                engine(live.stage(name), done if EMBEDDING in name or "embed" in name else 0, of if "embed" in name else 0)

            try:
                table = sweep(own, grid, told=came, progress=stage)
                keep(own, table, grid)
                engine("looking at the holdout", 0, 0)
                found = confirm(own, table, progress=engine)
            except BaseException:
                self._table = live.table(wanted.unusable) or self._table
                raise
            finally:
                if self._live is live:
                    self._live = None
        self._table = table
        self._holdout = None
        if found is not None and table.winner is not None:
            self._holdout = (table.winner.run.id, *_holdout_words(found))
        with door.held() as project:
            return self._view(project)

    @guarded
    def against(self, base_id: str) -> Mapping[str, Against]:
        """See SweepDoor."""
        table = self._need()
        return {row_id: read(found) for row_id, found in self._beside(table, _row(table, base_id)).items()}

    @guarded
    def row(self, row_id: str, base_id: str) -> SweepDetail | None:
        """See SweepDoor."""
        table = self._need()
        row, base = _row(table, row_id), _row(table, base_id)
        beside = self._beside(table, base)
        at_k = self._against(base.run, row.run)
        found = beside.get(row_id) or at_k
        holdout = self._holdout[1:] if self._holdout and self._holdout[0] == row_id else None
        with self._door.held() as project:
            return detail(
                row, base, found, project, compared=len(beside), holdout=holdout, budget=table.budget, at_k=at_k.change
            )

    @guarded
    def offer(self, row_id: str) -> Offer:
        """See SweepDoor."""
        from ragtriage.experiments.words import adopting_sentence

        table = self._need()
        row = _row(table, row_id)
        lines = tuple(f"{scrub(one_line(note))}." for note in row.notes if row.barred)
        with self._door.held() as project:
            base = table.in_use(project.config) or table.current
        if row is not base:
            lines = (*lines, scrub(one_line(adopting_sentence(row, base))))
        return self._adopting.offer(scrub(one_line(row.name)), row.candidate.config, lines=lines)

    def adopt(self) -> Change:
        """See SweepDoor."""
        return self._adopting.adopt()

    # inside

    def _again(self, project: Project) -> str:
        """What a sweep from here would measure; worked out again where configuration or grid are others."""
        axes = _axes(project)
        key = (project.config, repr(axes))
        if self._grid is None or self._grid[0] != key:
            self._grid = (key, _counted(project, axes))
        return self._grid[1]

    def _need(self) -> Table:
        if self._table is None:
            raise DoorError(_GONE)
        return self._table

    def _against(self, base: Run, other: Run) -> Versus:
        """Two runs compared, once."""
        from ragtriage.experiments.versus import versus

        key = (base.id, other.id)
        found = self._compared.get(key)
        if found is None:
            found = self._compared[key] = versus(base, other)
        return found

    def _beside(self, table: Table, base: Row) -> dict[str, Versus]:
        """All other rows beside one, by their ids and by what rows are chosen by: larger chunks find more at k."""
        from ragtriage.experiments.versus import adjusted, in_tokens

        if base is table.current:
            return {row.run.id: row.deciding for row in table.rows if row.deciding is not None}
        others = [row for row in table.rows if row is not base]
        found = [self._against(base.run, row.run) for row in others]
        if (budget := table.budget) is not None:
            found = [in_tokens(one, base.run, row.run, budget) for one, row in zip(found, others, strict=True)]
        return {row.run.id: one for row, one in zip(others, adjusted(found), strict=True)}

    def _look_at_holdout(self, project: Project) -> None:
        """What was seen on the holdout when the newest sweep was made; nothing is measured."""
        from ragtriage.experiments.confirm import seen

        table = self._table
        if table is not None and table.winner is not None and (found := seen(project, table)) is not None:
            self._holdout = (table.winner.run.id, *_holdout_words(found))

    def _view(self, project: Project) -> SweepView:
        table, live = self._table, self._live
        base = SweepView(
            scrub(one_line(project.name)), scrub(one_line(setup_name(project.config))), k=project.config.retrieval.k,
            again=self._again(project), read_only=scrub(self._door.read_only),
            running=scrub(one_line(live.running)) if live else "",
        )  # fmt: skip
        if table is None:
            return base
        in_use = _identity(project)
        shown = rows(table, in_use)
        place = next((at for at, row in enumerate(shown) if row.in_use), 0)
        first = table.current.run.manifest
        value = first["metrics"].get(f"recall@{table.current.k}")
        return dataclasses.replace(
            base,
            k=table.current.k,
            n=int(value["n"]) if value else 0,
            rows=shown,
            columns=columns(table),
            base=shown[place].id,
            against={row_id: read(one) for row_id, one in self._beside(table, table.rows[place]).items()},
            by=scrub(table.by),
            notice=_notice(project, table, any(row.in_use for row in shown)) if live is None else "",
            said=said(table),
            budgets=table.budgets,
        )


class _Live:
    """The sweep that runs: which trials were made, and how long the others take."""

    def __init__(self, names: list[str], against: Callable[[Run, Run], Versus]) -> None:
        self._names = names
        self._against = against
        self._trials: list[tuple[Candidate, Run]] = []
        self.pace = SweepPace()

    def take(self, swept: Swept) -> None:
        self.pace.came(found=swept.found)
        self._trials.append((swept.candidate, swept.run))

    def table(self, unusable: tuple[Unusable, ...]) -> Table | None:
        from ragtriage.experiments.table import table_of

        return table_of(self._trials, unusable, against=self._against) if self._trials else None

    @property
    def running(self) -> str:
        """The name of the configuration that is measured now."""
        return self._names[len(self._trials)] if len(self._trials) < len(self._names) else ""

    def stage(self, name: str) -> str:
        """`19 of 27 done, about 2 min left`; while texts are embedded, that."""
        done = f"{len(self._trials)} of {len(self._names)} done"
        if "embed" in name:
            return f"{done}, {EMBEDDING}"
        left = self.pace.left_s(len(self._names) - len(self._trials)) if self.pace.made > 1 else None
        return f"{done}, about {duration(left)} left" if left and left >= 1 else done


def _axes(project: Project) -> dict[str, list[Any]]:
    """What `[sweep]` combines, else what the newest sweep did."""
    from ragtriage.experiments.grid import configured
    from ragtriage.experiments.kept import newest_grid

    return configured(project.config) or newest_grid(project)


def _counted(project: Project, axes: dict[str, list[Any]]) -> str:
    """What a sweep from here would measure, in words."""
    from ragtriage.errors import UsageError
    from ragtriage.experiments.grid import candidates, configured, grid_of

    if not axes:
        return ""
    try:
        grid: Grid = grid_of(axes, project.config)
    except UsageError:
        return ""
    count = len(candidates(project.config, grid)[0]) + 1 if grid.size <= _COUNTED else grid.size
    return f"{count} configurations" + (" of [sweep]" if configured(project.config) else " of the newest sweep")


def _identity(project: Project) -> str:
    from ragtriage.experiments.grid import Candidate

    return Candidate(project.config, {}, "").identity


def _notice(project: Project, table: Table, in_use: bool) -> str:
    """What sets a table apart from today's files."""
    ours, theirs = project.fingerprints(), table.current.run.manifest.get("fingerprints", {})
    names = {"corpus": "documents", "golden": "questions", "engine": "the program"}
    changed = [word for key, word in names.items() if theirs.get(key) not in (None, ours[key])]
    if changed:
        return f"{' and '.join(changed)} changed since this sweep; ctrl+r measures again"
    return "" if in_use else "the configuration in use is none of these; ctrl+r measures again"


def _row(table: Table, row_id: str) -> Row:
    found = next((row for row in table.rows if row.run.id == row_id), None)
    if found is None:
        raise DoorError(_GONE)
    return found


def _holdout_words(found: Any) -> tuple[str, bool]:
    from ragtriage.experiments.words import confirmed_sentence

    return scrub(one_line(confirmed_sentence(found))), found.holds and not found.chance
