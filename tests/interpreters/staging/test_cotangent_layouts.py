"""What of a sparse cotangent goes across a border comes back as it was."""

import pytest

from combinators.objects import Int, Product, Real, Record, Tensor
from combinators.tracing.scope import Scope, entered
from interpreters.staging import cotangent_layouts as layouts
from interpreters.staging.atoms import Atom

PAIR = Product(Real, Real)
DEEP = Product(Real, Product(Tensor((3,)), Int, Real), Record(w=Real))


@pytest.fixture
def x():
    scope = Scope(None, "a test")
    with entered(scope):
        yield Atom(scope.parameter("x", Real))


def test_nothing_goes_across_as_nothing(x):
    assert layouts.layout_of(None, DEEP, 16) is None
    assert layouts.layout_of({}, DEEP, 16) is None
    assert layouts.layout_of({1: {}}, DEEP, 16) is None
    assert layouts.leaves(None, None) == []
    assert layouts.cotangent_of(None, iter(())) is None


def test_a_part_goes_across_as_that_part(x):
    made = layouts.layout_of({1: {2: x}}, DEEP, 16)
    assert made == {1: {2: Real}}
    assert layouts.count(made) == 1
    assert layouts.leaves(made, {1: {2: x}}) == [x]
    assert layouts.cotangent_of(made, iter([x])) == {1: {2: x}}


def test_a_whole_product_goes_across_as_one_term(x):
    assert layouts.layout_of({0: x, 1: x}, PAIR, 16) is PAIR
    assert layouts.layout_of({0: x}, Product(Real, Int), 16) is not None


def test_of_too_many_terms_it_is_one_dense_term(x):
    wide = Product(*[Real] * 40)
    some = dict.fromkeys(range(0, 40, 2), x)
    assert layouts.count(layouts.layout_of(some, wide, 100)) == 20
    assert layouts.layout_of(some, wide, 16) is wide


def test_a_union_holds_both_and_zeros_fill_it(x):
    one = layouts.layout_of({0: x}, DEEP, 16)
    other = layouts.layout_of({1: {2: x}}, DEEP, 16)
    both = layouts.union(one, other)
    assert both == layouts.union(other, one)
    assert layouts.union(one, None) == one
    assert layouts.union(DEEP, other) is DEEP
    given = layouts.leaves(both, {0: x})
    assert given[0] is x
    assert [atom.type for atom in given] == [Real, Real]
    assert sorted(layouts.cotangent_of(both, iter(given))) == [0, 1]


def test_a_dense_cotangent_has_the_type(x):
    for cotangent in (None, {0: x}, {1: {2: x}}, {2: {0: x}}):
        assert layouts.dense(cotangent, DEEP).type.parts[0] is Real


def test_a_type_that_shares_its_components_is_not_written_out(x):
    """Written as a tree, the type has 2⁶⁴ leaves."""
    shared = Real
    for _ in range(64):
        shared = Product(shared, shared)
    scope = Scope(None, "a test")
    with entered(scope):
        whole = Atom(scope.parameter("x", shared))
        made = layouts.layout_of({0: whole[0]}, shared, 16)
        assert layouts.count(made) == 1
        assert layouts.dense(None, shared).type is shared
