"""Values with tangent spaces of their own in lists, sums and recursive data."""

from dataclasses import dataclass

import numpy as np
import pytest

import diffcurry as dc
from combinators.spaces import SPACES
from diffcurry import Real
from tests.diffcurry.spaces import Quaternion, rotations

HERE, THERE = Quaternion(0.5, 0.5, -0.5, 0.5), Quaternion(0.6, 0.0, 0.8, 0.0)


@pytest.fixture(autouse=True)
def _declared():
    before = dict(SPACES)
    rotations()
    yield
    SPACES.clear()
    SPACES.update(before)


@dataclass
class Joint:
    turn: Quaternion
    rest: "Joint | None"


def height(q):
    return np.sin(q.w) * q.x + q.y * q.z * q.w + np.cos(q.z)


def added(qs):
    return dc.fold(lambda total, q: total + height(q), 0.0, qs)


def same(found, true):
    np.testing.assert_allclose(found, true, rtol=1e-12)


def test_a_list_of_them_has_the_gradient_of_each():
    one, two = dc.grad(dc.fun(added, list[Quaternion]))([HERE, THERE])
    same(one, dc.grad(height)(HERE))
    same(two, dc.grad(height)(THERE))


def test_the_gradient_by_recursive_data_that_holds_them_is_a_tree_of_rates():
    @dc.rec
    def product(joint: Joint) -> float:
        return height(joint.turn) * dc.case(joint.rest, lambda: 1.0, lambda r: product(r))

    found = dc.grad(product)(Joint(HERE, Joint(THERE, None)))
    same(found.turn, dc.grad(height)(HERE) * dc.fun(height)(THERE))
    same(found.rest.turn, dc.grad(height)(THERE) * dc.fun(height)(HERE))


def test_one_that_is_an_alternative_by_itself_is_known_by_its_class():
    @dc.rec
    def lone(x: Quaternion | float | None) -> float:
        return dc.case(x, height, lambda r: r * r, lambda: 0.0)

    same(dc.grad(lone)(HERE), dc.grad(height)(HERE))
    assert (dc.grad(lone)(3.0), lone(None)) == (6.0, 0.0)


def test_what_a_program_gives_in_lists_and_sums_is_of_the_class():
    pair = dc.fun(lambda q: dc.cons(q, dc.cons(q * q, dc.nil)))(HERE)
    assert pair == [HERE, Quaternion(-0.5, 0.5, -0.5, 0.5)]
    either = dc.Sum(dc.fun(lambda q: q).program(HERE).cod, Real)
    assert dc.fun(lambda q: dc.inject(either, 0, q))(HERE).value == HERE
