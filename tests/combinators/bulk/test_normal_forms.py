"""Theorem 5.1 of 003, and that programs mean the same, on random programs of Fig. 7's language."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.bulk import bulk, has_map
from combinators.bulk.evaluation import Evaluation, rewritten
from combinators.terms import Const, Lam, Prim, Proj, Term, Var
from interpreters.staging.programs import gradient
from tests.combinators.bulk.measure import measure
from tests.combinators.bulk.running import assert_close, leaves, value
from tests.strategies.arrays import arguments, array_programs, random_program

NORMAL = {"concatenate", "put", "matmul", "reshape", "iota", "embed", "cumsum"}
"""What an index may stand in front of, besides variables and constants (``equations``).

Components of tuples, which Fig. 7 has not, are like variables."""
FLOATS = (0, 1, 2, 6)


def is_normal(x: Term) -> bool:
    """Whether an index of ``x`` is in normal form."""
    if isinstance(x, Prim):
        return x.operation.name in NORMAL
    return isinstance(x, Var | Const | Proj)


@given(array_programs(), st.integers(0, 5))
def test_normal_forms_and_the_same_meaning(lam: Lam, seed: int) -> None:
    if not has_map(lam):
        assert bulk(lam) is lam
        return
    walk = Evaluation(lam, None)
    made = rewritten(lam, walk)
    assert not has_map(made)
    assert [x for x in walk.indexed if not is_normal(x)] == []
    args = arguments(seed)
    assert_close(value(made, *args), value(lam, *args))


@pytest.mark.parametrize("block", range(4))
def test_many_programs(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        lam, args = random_program(seed), arguments(seed)
        made = bulk(lam)
        assert not has_map(made)
        assert measure(made) <= measure(lam)
        assert_close(value(made, *args), value(lam, *args))


@pytest.mark.parametrize("block", range(3))
def test_many_programs_with_loops_and_calls(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        lam, args = random_program(seed, wide=True), arguments(seed)
        made = bulk(lam)
        assert not has_map(made)
        assert_close(value(made, *args), value(lam, *args))


@pytest.mark.parametrize("wide", [False, True])
def test_programs_that_are_laid_column_by_column(wide: bool, monkeypatch: Any) -> None:
    """Wherever the axes of builds lie, they mean the same."""
    monkeypatch.setattr("combinators.bulk.block.MANY", 2)
    monkeypatch.setattr("combinators.bulk.block.FEW", 1000)
    for seed in range(30):
        lam, args = random_program(seed, smooth=True, wide=wide), arguments(seed)
        made = bulk(lam)
        assert_close(value(made, *args), value(lam, *args))
        assert_close(_gradient(made, args), _gradient(lam, args), rtol=1e-7)


@pytest.mark.parametrize("wide", [False, True])
def test_the_same_gradient(wide: bool) -> None:
    for seed in range(30):
        lam, args = random_program(seed, smooth=True, wide=wide), arguments(seed)
        assert_close(_gradient(bulk(lam), args), _gradient(lam, args), rtol=1e-7)


def _gradient(lam: Lam, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(leaves(value(gradient(lam, FLOATS), *args)))


def test_it_is_idempotent() -> None:
    lam = random_program(3)
    made = bulk(lam)
    assert made is not lam
    assert bulk(made) is made


def test_arguments_reach_beyond_the_arrays() -> None:
    """The random programs meet indices that lie outside."""
    assert any(np.any((arguments(seed)[3] < 0) | (arguments(seed)[3] > 2)) for seed in range(3))
