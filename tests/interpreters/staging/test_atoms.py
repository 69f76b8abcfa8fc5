"""Atoms write what is asked of them, once a scope."""

import pytest

from combinators.objects import Bool, Int, Product, Real, Record, Tangent, Vector
from combinators.terms import Lam, Var
from combinators.tracing.scope import Scope, entered
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, closed


def written(obj, use):
    """``λx. use x``."""
    scope = Scope(None, "a test")
    with entered(scope):
        x = scope.parameter("x", obj)
        body = closed(scope, use(Atom(x)))
    return Lam((x,), body.body)


def test_a_component_is_written_once():
    lam = written(Product(Real, Real), lambda x: atoms.plus(x[1], x[1]))
    assert str(lam).count("π1") == 1


def test_a_component_is_written_again_in_another_scope():
    outer = Scope(None, "a test")
    with entered(outer):
        x = Atom(outer.parameter("x", Product(Real, Real)))
        first = x[0]
        inner = Scope(outer, "inside")
        with entered(inner):
            assert x[0] is not first
            assert x[0] is x[0]


@pytest.mark.parametrize(
    ("obj", "smooth"),
    [
        (Product(Real, Int, Bool, Real), [0, 3]),
        (Record(n=Int, w=Real), [1]),
        (Vector(Real, 2), [0, 1]),
        (Product(), []),
    ],
)
def test_a_cotangent_is_opened_where_it_can_hold_anything(obj, smooth):
    scope = Scope(None, "a test")
    with entered(scope):
        assert sorted(Atom(scope.parameter("x", obj)).opened()) == smooth


def test_what_is_packed_is_erased_and_comes_back():
    obj = Product(Real, Real)
    lam = written(obj, lambda x: atoms.unpacked(atoms.packed(x), obj))
    assert lam.body.type is obj
    assert written(obj, atoms.packed).body.type is Tangent


def test_a_shared_function_is_one_object_at_every_call():
    x = Var("x", Real)
    lam = Lam((x,), x)
    whole = written(Real, lambda y: atoms.plus(atoms.apply(lam, y), atoms.apply(lam, y)))
    assert str(whole).count("λ") <= 2 + str(whole).count("λx. x")
