"""Random things: what they hold, what they shrink to, and how users add their own."""

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Constant, Curry, Extend, interpret
from combinators.objects import (
    Fun,
    Int,
    Mu,
    Object,
    Product,
    Real,
    Record,
    Sum,
    Tensor,
    Unit,
    Vector,
)
from combinators.terms import Lam
from combinators.tracing.classes import list_of
from combinators.translate import translate
from combinators.value_folds import Injected
from interpreters.carriers.fractions import Fractions
from interpreters.modes.primal import Primal
from laws.model import Signature
from laws.observation import Probes, has_sums, is_not_zero, leaves
from laws.scene import nodes, size
from laws.strategies import (
    arrows,
    covectors,
    literals,
    objects,
    points,
    register,
    term_of,
    terms,
)
from laws.strategies.choices import AFRESH
from laws.tally import features
from tests.laws.values import Values

EVERYTHING = Signature(vectors=True)
OFTEN = settings(
    max_examples=300,
    phases=[Phase.generate],
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize=False,
    backend=AFRESH,
)


def sampled(strategy):
    """What a strategy gives: the same every time, each drawn apart from the others."""
    found = []

    @seed(1)
    @OFTEN
    @given(strategy)
    def look(thing):
        found.append(thing)

    look()
    return found


def test_arrows_are_small_and_hold_everything():
    held = sampled(arrows(EVERYTHING, Product(Real, Tensor((3,))), Tensor((2, 2))))
    sizes = sorted(map(size, held))
    assert sizes[len(held) // 2] < 20
    counts = Counter(feature for arrow in held for feature in features([arrow]))
    assert all(counts[name] > 0.1 * len(held) for name in ("closure", "conditional", "fold"))
    named = {type(node).__name__ for arrow in held for node in nodes(arrow)}
    assert {"Extend", "Eval", "Choice", "Curry", "Projection", "Constant"} <= named
    operations = {
        node.operation.name for a in held for node in nodes(a) if hasattr(node, "operation")
    }
    assert {"matmul", "transpose", "concatenate", "slice", "take", "broadcast_to"} <= operations


def test_objects_hold_everything():
    kinds = {type(obj) for obj in sampled(objects(EVERYTHING))}
    assert kinds == {Tensor, Product, Record, Fun, Vector}
    vectors = sampled(objects(EVERYTHING, "vector"))
    assert not any(obj is Int or isinstance(obj, Fun) for obj in vectors)
    assert Tensor((0,)) in vectors


def test_now_and_then_products_are_wide_and_environments_large():
    drawn = sampled(objects(EVERYTHING, "vector", 1))
    widths = Counter(obj.width for obj in drawn if isinstance(obj, Product))
    assert max(widths) == 6
    assert 0.05 < sum(widths[n] for n in (4, 5, 6)) / sum(widths.values()) < 0.4
    held = sampled(arrows(EVERYTHING, Real, Real))
    lets = [sum(isinstance(node, Extend) for node in nodes(arrow)) for arrow in held]
    assert max(lets) >= 5


@pytest.mark.parametrize(
    ("cod", "smallest"),
    [(Real, "π0"), (Tensor((2,)), "const [0.0, 0.0]"), (Fun(Real, Real), "curry(π1)")],
)
def test_arrows_shrink_to_projections_and_constants(cod, smallest):
    dom = Product(Real)
    spread = "π0 >> broadcast_to[shape=(2,)]"
    found = repr(find(arrows(EVERYTHING, dom, cod), lambda f: True))
    assert found in {smallest, "curry(π0)", spread}


def test_objects_shrink_to_numbers():
    assert find(objects(EVERYTHING), lambda obj: True) is Real
    found = find(objects(EVERYTHING), lambda obj: isinstance(obj, Product), random=Random(0))
    assert found is Product(Real, Real)


def test_points_are_closed_and_of_their_type():
    for element in sampled(points(EVERYTHING, Product(Fun(Real, Real), Tensor((3,))))):
        assert element.dom is Unit
        assert element.cod is Product(Fun(Real, Real), Tensor((3,)))


def test_special_floats_stand_only_where_they_are_asked_for():
    tame = [literal.array for literal in sampled(literals(Tensor((3,))))]
    wild = [literal.array for literal in sampled(literals(Tensor((3,)), special=True))]
    assert np.isfinite(tame).all()
    assert np.isnan(wild).any()
    assert np.isinf(wild).any()


def test_single_precision_holds_no_number_that_it_cannot():
    for literal in sampled(literals(Tensor((6,), "float32"), special=True)):
        assert not np.any(np.abs(literal.array[np.isfinite(literal.array)]) > 1e38)


def test_most_covectors_are_not_zero():
    found = sampled(covectors(EVERYTHING, Product(Real, Fun(Real, Real))))
    assert sum(map(is_not_zero, found)) > 0.6 * len(found)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_terms_mean_the_arrows_that_they_are_made_of(data):
    cod = data.draw(objects(Signature(), depth=1))
    params = (Real, Tensor((2,)))
    arrow = data.draw(arrows(Signature(), Product(*params), cod))
    term = term_of(arrow, params)
    assert term.type is Fun(Product(*params), cod)
    model, point = (
        Values(),
        (Values.carrier.const(Literal(1.5)), Values.carrier.const(Literal([2.0, -1.0]))),
    )
    probes = Probes(lambda obj: data.draw(points(Signature(), obj)), lambda obj: None)
    known = interpret(translate((), term), model)(())(point)
    assert repr(list(leaves(model, cod, known, probes))) == repr(
        list(leaves(model, cod, interpret(arrow, model)(point), probes))
    )


def test_terms_shrink_to_variables():
    found = find(terms(Signature(), (Real, Real), Real), lambda e: isinstance(e, Lam))
    assert repr(found) == "λ(x, y). x"


def test_users_register_points_numbers_and_objects():
    mine = Record(left=Real, right=Real)
    element = Constant(Unit, Literal(7.0))
    with register(Real, st.just(element)), register("float32", st.just(3)):
        assert find(points(Signature(), Real), lambda _: True) is element
        single = find(literals(Tensor((2,), "float32")), lambda _: True)
        assert single.array.tolist() == [3, 3]
    with register("any", st.just(mine)):
        assert mine in sampled(objects(Signature()))
    assert mine not in sampled(objects(Signature()))


def test_objects_of_the_users_own_have_no_points_until_they_are_registered():
    class Interval(Object):
        __match_args__ = ()

    own = Interval._intern()
    with pytest.raises(TypeMismatch, match="register"):
        find(points(Signature(), own), lambda _: True)
    with register(Interval, st.just("a point")):
        assert find(points(Signature(), own), lambda _: True) == "a point"


@pytest.mark.parametrize("seven", [7, 7.0, np.float32(7), Literal(7.0)])
def test_numbers_are_points(seven):
    with register(Real, st.just(seven)):
        assert sampled(points(EVERYTHING, Real))[0] == Constant(Unit, Literal(7.0))


def test_arrays_are_points():
    with register(Tensor((2,)), st.just([1, 2])):
        assert sampled(points(EVERYTHING, Tensor((2,))))[0] == Constant(Unit, Literal([1.0, 2.0]))


@pytest.mark.parametrize(("obj", "point"), [(Real, "seven"), (Real, [1.0]), (Fun(Real, Real), 7.0)])
def test_what_is_no_point_is_said(obj, point):
    with register(obj, st.just(point)), pytest.raises(TypeMismatch, match="which is no point"):
        sampled(points(EVERYTHING, obj))


def test_only_strategies_are_registered():
    with pytest.raises(TypeMismatch, match=r"a strategy, as st.just\(3\)"):
        register("float64", 3)


def test_only_what_has_points_is_registered():
    with pytest.raises(TypeMismatch, match="not for"):
        register("nothing of the kind", st.none())


def test_closures_stand_in_points_of_function_types():
    held = sampled(points(Signature(), Fun(Real, Real)))
    assert all(any(isinstance(node, Curry) for node in nodes(element)) for element in held)


WITH_RECURSION = Signature(sums=True, recursion=True)


@pytest.mark.parametrize("cod", [Real, Tensor((2, 2)), Sum(Real, Unit), Fun(Real, Real)])
def test_a_third_of_arrows_hold_each_form(cod):
    held = sampled(arrows(WITH_RECURSION, Product(Real, Tensor((3,))), cod))
    found = [features([arrow]) for arrow in held]
    forms = [{"case"}, {"recursion"}, {"fold", "reduce"}, *([{"reduce"}] if cod is Real else [])]
    for form in forms:
        assert sum(not form.isdisjoint(each) for each in found) >= 0.3 * len(held), form


def test_objects_hold_sums_and_lists():
    drawn = sampled(objects(WITH_RECURSION))
    assert {Sum, Mu} <= {type(obj) for obj in drawn}
    assert not any(has_sums(obj) for obj in sampled(objects(WITH_RECURSION, "data")))


def test_recursive_functions_that_are_drawn_end():
    mode = Primal(Fractions())
    element = Constant(Unit, Literal(1.0))
    point = mode.value(interpret(element, mode), ())
    for arrow in sampled(arrows(WITH_RECURSION, Real, Real)):
        assert isinstance(mode.value(interpret(arrow, mode), point), Fraction)


def test_lists_shrink_to_the_empty_one():
    found = find(points(WITH_RECURSION, list_of(Real)), lambda element: True)
    mode = Primal(Fractions())
    assert mode.value(interpret(found, mode), ()) == Injected(0, ())
