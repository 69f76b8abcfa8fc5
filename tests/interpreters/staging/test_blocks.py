"""Blocks: what they capture, and what stands for a value that nobody looks at."""

import pytest

from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Int, Product, Real, Record, Tensor, Unit, Vector
from combinators.terms import Lam, Var, const
from combinators.tracing.scope import Scope, current, entered
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom

FUNCTIONS = Fun(Real, Product(Real, Fun(Real, Real)))


def placeholder(obj):
    scope = Scope(None, "a test")
    with entered(scope):
        found = atoms.placeholder(obj)
        return atoms.closed(scope, found).body


@pytest.mark.parametrize(
    "obj",
    [
        Real,
        Int,
        Unit,
        Tensor((2, 0)),
        FUNCTIONS,
        Product(Real, FUNCTIONS, Int),
        Record(w=Real, f=FUNCTIONS),
        Vector(FUNCTIONS, 3),
        Product(Real, Vector(FUNCTIONS, 2)),
        Vector(FUNCTIONS, 0),
    ],
    ids=repr,
)
def test_a_placeholder_has_its_type(obj):
    assert placeholder(obj).type is obj


def test_a_placeholder_of_many_functions_is_short():
    def size(n):
        return sum(1 for _ in distinct_nodes(placeholder(Vector(FUNCTIONS, n))))

    assert size(10_000) == size(10)


def test_a_block_knows_what_it_captures_and_from_where():
    outer = Scope(None, "a test")
    with entered(outer):
        x, _ = (outer.parameter(name, Real) for name in "xy")
        inner = Scope(current(), "inside")
        with entered(inner):
            z = inner.parameter("z", Real)
            total = atoms.plus(atoms.plus(Atom(x), Atom(z)), Atom(const(1.0)))
        block = atoms.closed(inner, total)
    assert block.captured == (x,)
    assert block.owned_by(outer) == [x]
    assert block.owned_by(inner) == []
    assert block.beyond(inner) == [x]
    assert block.beyond(inner, outer) == block.beyond(outer) == []


def test_a_twin_has_other_names():
    scope = Scope(None, "a test")
    with entered(scope):
        x = scope.parameter("x", Real)
        twin = atoms.twin(scope, None)
        with entered(twin):
            assert twin.parameter("x", Real).name != x.name


@pytest.mark.parametrize("count", [0, 1, 3])
def test_residuals_are_one_value_and_get_their_names_again(count):
    variables = [Var(f"v{i}", Real) for i in range(count)]
    scope = Scope(None, "a test")
    with entered(scope):
        for var in variables:
            scope.parameter(var.name, Real)
        whole = atoms.record(variables)
        absent = atoms.absent(variables)
    if count == 0:
        assert whole is absent is None
        return
    assert whole.type is absent.type
    kept = Var("kept", whole.type)
    assert [var for var, _ in atoms.opening(variables, kept)] == variables
    lam = Lam((kept,), atoms.binding(atoms.opening(variables, kept), variables[-1]))
    assert lam.type.cod is Real
