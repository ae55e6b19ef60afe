from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.config import Config
from ragtriage.errors import UsageError
from ragtriage.experiments.grid import AXES, Grid, candidates, chunked_alike, grid_of, name_of, settings_between
from ragtriage.experiments.refine import refined


def test_every_combination_is_tried_once_and_the_impossible_is_said() -> None:
    grid = grid_of({"size": [64, 128], "overlap": [0, 100], "mode": ["bm25", "hybrid"]}, Config())
    found, unusable = candidates(Config(), grid)
    assert [one.name for one in found] == [
        "recursive(size=128) bm25",
        "recursive(size=128,overlap=100) bm25",
        "recursive(size=64) bm25",
        "recursive(size=128) hybrid",
        "recursive(size=128,overlap=100) hybrid",
        "recursive(size=64) hybrid",
    ]
    assert [dict(one.settings) for one in unusable] == [
        {"chunking.size": 64, "chunking.overlap": 100, "retrieval.mode": mode} for mode in ("bm25", "hybrid")
    ]
    assert "not smaller than size" in unusable[0].reason


def test_what_retrieves_alike_is_tried_once() -> None:
    grid = Grid({"retrieval.mode": ["bm25", "dense"], "retrieval.fusion": ["rrf", "zscore"], "retrieval.rrf_k": [10, 60]})
    found, _ = candidates(Config(), grid)
    assert len(found) == 2  # neither fusion nor its constant has a say
    whole, _ = candidates(
        Config(), Grid({"chunking.strategy": ["whole"], "chunking.size": [64, 128], "chunking.overlap": [0, 8]})
    )
    assert [one.name for one in whole] == ["whole"]


def test_the_configuration_in_use_is_no_candidate() -> None:
    found, _ = candidates(Config(), Grid({"retrieval.mode": ["hybrid"], "chunking.size": [200]}))
    assert found == []


def test_children_get_a_quarter_of_the_size_unless_they_are_named() -> None:
    found, _ = candidates(Config(), Grid({"chunking.strategy": ["small_to_big"], "chunking.size": [256]}))
    assert found[0].config.chunking.child_size == 64
    named, _ = candidates(
        Config(), Grid({"chunking.strategy": ["small_to_big"], "chunking.size": [256], "chunking.child_size": [32]})
    )
    assert named[0].config.chunking.child_size == 32


def test_all_problems_of_a_grid_come_together() -> None:
    with pytest.raises(UsageError) as error:
        grid_of({"size": [0], "colour": ["red"], "mode": ["bm26"]}, Config())
    said = str(error.value).splitlines()
    assert len(said) == 3
    assert "smallest allowed" in said[0]
    assert "cannot be varied" in said[1]
    assert "did you mean bm25" in said[2]


def test_a_slip_of_the_hand_is_no_sweep() -> None:
    with pytest.raises(UsageError, match="combinations are too many"):
        grid_of({"size": list(range(10, 2010)), "depth": [100, 200, 300]}, Config())


def test_settings_between_are_the_keys_that_differ() -> None:
    config = Config()
    other = dataclasses.replace(config, chunking=dataclasses.replace(config.chunking, size=99))
    assert settings_between(config, other) == {"chunking.size": 99}
    assert name_of(other, config) == "recursive(size=99)"
    assert chunked_alike(config) != chunked_alike(other)


@given(
    st.dictionaries(
        st.sampled_from(["size", "overlap", "rrf-k", "depth", "pool"]),
        st.lists(st.integers(1, 300), min_size=1, max_size=3, unique=True),
        max_size=3,
    )
)
def test_candidates_are_different_and_differ_from_what_is_used(axes: dict[str, list[int]]) -> None:
    found, unusable = candidates(Config(), grid_of(axes, Config()))
    identities = [one.identity for one in found]
    assert len(set(identities)) == len(identities)
    assert len({one.name for one in found}) == len(found)
    assert len(found) + len(unusable) <= Grid({AXES[axis]: values for axis, values in axes.items()}).size
    assert all(one.settings for one in found)


def test_refining_takes_the_middle_to_each_neighbour() -> None:
    grid = Grid({"chunking.size": [100, 200, 400], "retrieval.mode": ["bm25", "hybrid"]})
    found, _ = candidates(Config(), grid)
    (winner,) = [one for one in found if one.name == "recursive(size=400) bm25"]
    assert [one.settings["chunking.size"] for one in refined(Config(), winner, grid, found)] == [300]
    (middle,) = [one for one in found if one.config.chunking.size == 200]
    assert {one.settings["chunking.size"] for one in refined(Config(), middle, grid, found)} == {150, 300}
