"""How long a sweep still takes, from what it took so far."""

from __future__ import annotations

from tests.engine.experiments.tables import trial

from ragtriage.experiments.sweep import Swept
from ragtriage_tui.sweep_pace import SweepPace
from ragtriage_tui.sweep_text import trial_line


def swept(place: int, *, found: bool = False) -> Swept:
    return Swept(*trial("dense", [1, 9]), place, 10, found)


def test_trials_that_were_there_already_say_nothing_of_the_others() -> None:
    now = iter([0.0, 1.0, 31.0, 33.0, 43.0, 43.0])
    pace = SweepPace(lambda: next(now))
    left = []
    for found, todo in ((True, 9), (False, 8), (True, 7), (False, 6), (False, 0)):
        pace.came(found=found)
        left.append(pace.left_s(todo))
    assert left == [None, 30.0 * 8, 30.0 * 7, (30.0 + 10.0) / 2 * 6, 0.0]


def test_the_line_of_a_trial() -> None:
    assert trial_line(swept(3), 240.0) == "3 of 10  recall@5 0.500  dense  about 4 min left"
    assert trial_line(swept(10), 0.0) == "10 of 10  recall@5 0.500  dense"
    assert trial_line(swept(1, found=True)) == "1 of 10  recall@5 0.500  dense  measured before"
