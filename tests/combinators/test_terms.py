"""Terms are typed when they are built; what does not fit names both types and the user's line."""

import inspect

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.errors import DiffcurryError, Place, ShapeMismatch, TypeMismatch
from combinators.objects import Bool, Fun, Int, Product, Real, Record, Tensor, Unit
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const, pack, packed

x, y, n, p = Var("x", Real), Var("y", Real), Var("n", Int), Var("p", Bool)
f = Var("f", Fun(Real, Int))
ADD = Operation(named("add"))


def test_the_type_of_each_form() -> None:
    assert x.type is Real
    assert const([1, 2]).type is Tensor((2,), "int64")
    assert Lam((x,), n).type is Fun(Real, Int)
    assert Lam((x, n), p).type is Fun(Product(Real, Int), Bool)
    assert Lam((), x).type is Fun(Unit, Real)
    assert App(f, x).type is Int
    assert Let(((y, x),), n).type is Int
    assert Tuple((x, n)).type is Product(Real, Int)
    assert Tuple((x,)).type is Product(Real)
    assert Tuple((x, n), ("a", "b")).type is Record(a=Real, b=Int)
    assert Proj(1, Tuple((x, n))).type is Int
    assert Proj(1, Tuple((x, n), ("a", "b"))).type is Int
    assert Prim(ADD, (x, Var("v", Tensor((3,))))).type is Tensor((3,))
    assert Cond(p, x, y).type is Real
    assert packed((Real,)) is Real
    assert pack((x,)) is x
    assert pack((x, n)) == Tuple((x, n))


ILL_TYPED = [
    (lambda: App(x, y), TypeMismatch, "Real is applied, and is not a function"),
    (lambda: App(f, n), TypeMismatch, "a function of Real is applied to Int"),
    (lambda: App(f, Tuple((x,))), TypeMismatch, "a function of Real is applied to (Real,)"),
    (lambda: Let(((x, n),), x), TypeMismatch, "x : Real is bound to Int"),
    (lambda: Proj(0, x), TypeMismatch, "proj takes a component of a product, and Real is none"),
    (lambda: Proj(2, Tuple((x, n))), TypeMismatch, "proj: Real × Int has no component 2"),
    (lambda: Proj(-1, Tuple((x, n))), TypeMismatch, "proj: Real × Int has no component -1"),
    (lambda: Tuple((x, n), ("a",)), TypeMismatch, "2 components have 1 names"),
    (
        lambda: Prim(ADD, (x, n)),
        TypeMismatch,
        "add: these have the element types float64, int64, not one",
    ),
    (
        lambda: Prim(ADD, (x, f)),
        TypeMismatch,
        "add: a tensor was expected here, and this is Real ⇒ Int",
    ),
    (
        lambda: Prim(ADD, (Var("v", Tensor((2,))), Var("w", Tensor((3,))))),
        ShapeMismatch,
        "add: the shapes (2,) and (3,) do not broadcast together",
    ),
    (lambda: Cond(x, x, y), TypeMismatch, "cond chooses by a Bool, not by Real"),
    (
        lambda: Cond(p, x, n),
        TypeMismatch,
        "the branches of a cond have one type, but these have Real and Int",
    ),
]


@pytest.mark.parametrize(
    ("build", "error", "says"), ILL_TYPED, ids=[says for *_, says in ILL_TYPED]
)
def test_an_ill_typed_term(build, error: type[DiffcurryError], says: str) -> None:
    with pytest.raises(error) as caught:
        build()
    code = inspect.unwrap(build).__code__
    assert caught.value.place.file == code.co_filename
    lines = {line for *_, line in code.co_lines() if line is not None}
    assert caught.value.place.line in lines
    assert str(caught.value) == f"{caught.value.place}: {says}"
    assert isinstance(caught.value, ValueError if error is ShapeMismatch else TypeError)


def test_the_place_is_the_users_line() -> None:
    place = Place(__file__, inspect.currentframe().f_lineno + 2)
    with pytest.raises(TypeMismatch) as caught:
        App(x, y)
    assert caught.value.place == place
    assert str(caught.value).startswith(f"{__file__}:{place.line}: ")


def test_equality_is_of_names_and_bits() -> None:
    assert Lam((x,), x) == Lam((Var("x", Real),), Var("x", Real))
    assert Lam((x,), x) != Lam((y,), y)
    assert x != Var("x", Int)
    assert const(0.0) != const(-0.0)
    assert const(1.0) != const(1)
    assert const(float("nan")) == const(float("nan"))
    assert const(np.float32(1)) != const(1.0)
    assert Tuple((x, n)) != Tuple((x, n), ("a", "b"))
    assert x != "x"
    assert len({x, Var("x", Real), y}) == 2


def test_names_of_functions_and_lines_are_remarks() -> None:
    place = Place("somewhere.py", 3)
    assert Lam((x,), x, "identity") == Lam((x,), x)
    assert App(f, x, place) == App(f, x)
    assert hash(Prim(ADD, (x, y), place)) == hash(Prim(ADD, (x, y)))


def test_a_shared_node_equals_a_repeated_one() -> None:
    twice = Prim(ADD, (x, y))
    assert Tuple((twice, twice)) == Tuple((Prim(ADD, (x, y)), Prim(ADD, (x, y))))


def test_terms_do_not_change() -> None:
    with pytest.raises(AttributeError):
        x.name = "y"
