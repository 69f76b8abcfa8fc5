"""Objects are interned: equal types are one."""

import gc

import numpy as np
import pytest

from combinators.errors import TypeMismatch
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Object,
    Product,
    Real,
    Record,
    Tensor,
    Unit,
    Vector,
    components,
)
from combinators.type_folds import is_smooth

SHOWN = [
    (Real, "Real"),
    (Int, "Int"),
    (Bool, "Bool"),
    (Unit, "Unit"),
    (Tensor((3, 4)), "Tensor[3, 4]"),
    (Tensor((3,), "int64"), "Tensor[3; int64]"),
    (Tensor((), np.float32), "float32"),
    (Product(Real), "(Real,)"),
    (Product(Real, Int), "Real × Int"),
    (Product(Product(Real, Int), Bool), "(Real × Int) × Bool"),
    (Product(Product(Real), Bool), "(Real,) × Bool"),
    (Product(Fun(Real, Real), Bool), "(Real ⇒ Real) × Bool"),
    (Product(Fun(Real, Real)), "((Real ⇒ Real),)"),
    (Record(w=Real, b=Product(Real, Int)), "{w: Real, b: Real × Int}"),
    (Vector(Fun(Real, Real), 3), "Vector[3; Real ⇒ Real]"),
    (Fun(Real, Fun(Real, Real)), "Real ⇒ Real ⇒ Real"),
    (Fun(Fun(Real, Real), Real), "(Real ⇒ Real) ⇒ Real"),
    (Fun(Product(Real, Real), Unit), "Real × Real ⇒ Unit"),
]


@pytest.mark.parametrize(("obj", "shown"), SHOWN, ids=[shown for _, shown in SHOWN])
def test_a_type_is_shown_as_on_paper(obj: Object, shown: str) -> None:
    assert repr(obj) == shown


def test_equal_types_are_one() -> None:
    assert Tensor((3,), np.float64) is Tensor([np.int64(3)], "float64") is Tensor((3,), float)
    assert Product(Real, Int) is Product(Real).snoc(Int)
    assert Record(a=Real) is Record(a=Real)
    assert Record(a=Real, b=Int) is not Record(b=Int, a=Real)
    assert Fun(Real, Real) is Fun(Real, Real)
    assert Tensor((3,), "float32") is not Tensor((3,))
    assert Product(Real) is not Real


def test_what_nobody_holds_is_forgotten() -> None:
    for i in range(2000):
        Tensor((i + 1_000_000,))  # those made last are kept
    before = len(gc.get_objects())
    for i in range(2000):
        Fun(Tensor((i + 10_000,)), Real)
    gc.collect()
    assert len(gc.get_objects()) < before + 500


def test_a_context_shares_its_beginning() -> None:
    context = Product(*(Tensor((i,)) for i in range(100)))
    assert context.snoc(Real).init is context
    assert context.width == 100
    assert context.parts[7] is Tensor((7,))
    assert list(context) == list(context.parts)


def test_components_and_smoothness() -> None:
    assert components(Record(a=Real)) is Product(Real)
    assert components(Product(Real)) is Product(Real)
    assert components(Real) is None
    smooth = [Real, Tensor((2,), "float32"), Product(Int, Real), Record(a=Real), Fun(Int, Int)]
    discrete = [Int, Bool, Unit, Product(Int, Bool), Record(a=Int), Vector(Int, 3)]
    assert all(map(is_smooth, [*smooth, Vector(Real, 2)]))
    assert not any(map(is_smooth, discrete))


def test_what_is_no_type() -> None:
    with pytest.raises(TypeMismatch, match="not complex128; convert the array first"):
        Tensor((), complex)
    with pytest.raises(ValueError, match=r"no negative extent, but \(-1,\) holds one"):
        Tensor((-1,))
    with pytest.raises(
        TypeMismatch, match="Product or a Sum takes objects, as Real, and 3 is not one"
    ):
        Product(Real, 3)
    with pytest.raises(
        TypeMismatch, match="Fun takes objects, as Real, and <class 'float'> is not one"
    ):
        Fun(float, Real)
    with pytest.raises(AttributeError, match="Real is immutable"):
        Real.shape = (3,)
