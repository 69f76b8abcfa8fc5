"""Shapes are made once, so that identity compares them."""

from combinators.objects import Real, Tensor
from interpreters.staging.borders import Shapes, is_plain


def test_equal_shapes_are_one():
    shapes = Shapes()
    assert shapes.plain(Real) is shapes.plain(Real)
    assert shapes.plain(Real) is not shapes.plain(Real, moves=True)
    assert shapes.plain(Real) is not shapes.plain(Tensor((1,)))
    several = (shapes.plain(Real), shapes.plain(Tensor((1,))))
    assert shapes.several(several) is shapes.several(several)
    assert shapes.several(several) is not shapes.several(several[::-1])


def test_what_moves_is_not_plain():
    shapes = Shapes()
    assert is_plain((shapes.plain(Real),))
    assert not is_plain((shapes.plain(Real), shapes.plain(Real, moves=True)))
    assert not is_plain((shapes.several(()),))
