"""Values of sums, lists and trees as users come by them: from nil, shared, holding themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Real


@dataclass
class Tip:
    value: float


@dataclass
class Fork:
    left: Shrub
    right: Shrub


Shrub = Tip | Fork


@dc.rec
def times(shrub: Shrub) -> float:
    product: float = dc.case(
        shrub, lambda tip: tip.value, lambda fork: times(fork.left) * times(fork.right)
    )
    return product


def test_a_loop_from_nil_may_choose_and_look_at_its_list() -> None:
    above = dc.fun(
        lambda xs: dc.fold(
            lambda c, x: dc.cond(x > 1.5, lambda: dc.cons(x, c), lambda: c), dc.nil, xs
        ),
        dc.List(Real),
    )
    assert above([1.0, 2.0, 3.0]) == [3.0, 2.0]

    def summed(c: Any, x: Any) -> Any:
        return dc.case(c, lambda: dc.cons(x, dc.nil), lambda y, _: dc.cons(x + y, c))

    sums = dc.fun(lambda xs: dc.fold(summed, dc.nil, xs))
    assert sums(np.array([1.0, 2.0, 3.0])) == [6.0, 3.0, 1.0]


def test_data_that_hold_themselves_are_refused_and_data_that_share_are_not() -> None:
    itself = Fork(Tip(1.0), Tip(2.0))
    itself.right = Fork(Tip(3.0), itself)
    with pytest.raises(dc.TypeMismatch, match=r"shrub : Shrub was given .*, which holds itself"):
        dc.grad(times)(itself)
    tip = Tip(2.0)
    assert dc.grad(times)(Fork(tip, Fork(tip, tip))).left.value == 4.0
    unread = dc.grad(dc.fun(lambda x, shrub: x * 2.0, Real, Shrub), argnums=1)
    assert unread(1.0, Fork(tip, tip)) == Fork(Tip(0.0), Tip(0.0))
