"""Values laid flat and folded again, however deep."""

from combinators.objects import Int, Product, Real, Record, Vector
from combinators.type_folds import parts_of
from combinators.value_folds import Layout

PAIR = Product(Real, Record(n=Int, x=Real))


def test_flat_and_nested_are_inverse():
    value = (1.0, (2, 3.0))
    assert Layout(PAIR).flat(value) == [1.0, 2, 3.0]
    assert Layout(PAIR).nested([1.0, 2, 3.0]) == value


def test_none_stands_for_a_whole():
    assert Layout(PAIR).flat(None) == [None, None, None]
    assert Layout(PAIR).flat((1.0, None)) == [1.0, None, None]


def test_vectors_are_leaves_unless_they_are_opened():
    vector = Vector(Real, 2)
    assert Layout(vector).leaves == (vector,)
    assert Layout(vector, parts_of).leaves == (Real, Real)


def test_depth_is_no_limit():
    obj = Real
    for _ in range(50_000):
        obj = Product(obj)
    layout = Layout(obj)
    assert layout.flat(layout.nested([1.0])) == [1.0]
