"""Shapes are made once, so that identity compares them."""

from combinators.objects import Real, Tensor
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.staging.borders import Borders, Several


def test_equal_shapes_are_one():
    borders = Borders(Primal(NumPy()))
    assert borders.still(Real) is borders.still(Real)
    assert borders.still(Real) is not borders.still(Real, moves=True)
    assert borders.still(Real) is not borders.still(Tensor((1,)))
    several = (borders.still(Real), borders.still(Tensor((1,))))
    assert borders.shape(Several, several) is borders.shape(Several, several)
    assert borders.shape(Several, several) is not borders.shape(Several, several[::-1])
