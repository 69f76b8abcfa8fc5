"""``rec`` in the bodies of classes: methods, class methods, and functions that are neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import diffcurry as dc


class Tower:
    def __init__(self, base: float, above: Tower | None = None) -> None:
        self.base, self.above = base, above

    @dc.rec
    def power(self, x: float, n: int) -> float:
        return dc.cond(n == 0, lambda: self.base, lambda: x * self.power(x, n - 1))

    @dc.rec(most=50)
    def along(self, x: float, n: int) -> float:
        above = self.above
        end = (lambda: 1.0) if above is None else (lambda: above.along(x, 2))
        return dc.cond(n == 0, end, lambda: x * self.base * self.along(x, n - 1))

    @dc.rec
    def even(self, n: int) -> bool:
        return dc.cond(n == 0, lambda: True, lambda: self.odd(n - 1))

    @dc.rec
    def odd(self, n: int) -> bool:
        return dc.cond(n == 0, lambda: False, lambda: self.even(n - 1))

    @classmethod
    @dc.rec
    def squared(cls, x: float, n: int) -> float:
        return dc.cond(n == 0, lambda: 1.0, lambda: x * x * cls.squared(x, n - 1))

    @dc.rec
    def cubed(x: Any, n: Any) -> float:  # noqa: N805 (it is a function, and no method)
        return dc.cond(n == 0, lambda: 1.0, lambda: x**3 * Tower.cubed(x, n - 1))


def test_a_method_that_is_rec_calls_itself_by_its_object():
    tower = Tower(2.0)
    assert tower.power(2.0, 3) == 16.0
    assert dc.grad(tower.power)(2.0, 3) == 24.0
    assert dc.grad(dc.grad(lambda x: tower.power(x, 3)))(2.0) == 24.0
    assert tower.even(7) == np.False_


def test_what_a_method_reads_of_its_object_may_change():
    tower = Tower(2.0)
    assert tower.power(2.0, 1) == 4.0
    tower.base = 3.0
    assert tower.power(2.0, 1) == 6.0


def test_a_method_calls_that_of_another_object():
    tower = Tower(2.0, Tower(3.0))
    assert tower.along(1.5, 2) == 1.5**4 * 36.0
    assert np.isclose(dc.grad(tower.along)(1.5, 2), 4 * 1.5**3 * 36.0)


def test_methods_of_classes_and_functions_in_them_are_rec_too():
    assert Tower.squared(2.0, 3) == 64.0
    assert dc.grad(Tower.cubed)(1.0, 2) == 6.0


def test_a_method_of_a_dataclass_has_a_gradient_by_its_fields():
    @dataclass
    class Rate:
        k: float

        @dc.rec
        def grown(self, x: float, n: int) -> float:
            return dc.cond(n == 0, lambda: x, lambda: self.k * self.grown(x, n - 1))

    assert dc.grad(lambda rate: rate.grown(5.0, 2))(Rate(3.0)) == Rate(30.0)
