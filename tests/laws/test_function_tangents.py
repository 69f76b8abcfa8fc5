"""Section 4.1 of 004: the laws of curry and eval hold of the pullbacks, in both tangent forms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.kit.quotient import Quotient
from combinators.morphisms import Curry, Eval, Projection, interpret
from combinators.objects import Fun, Product, Real
from diffcurry.models.reverse import ReverseModel
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent, Pullback
from laws.structures.function_tangents import OF_FUNCTIONS
from tests.laws.asking import by_name, claimed, fails, holds, names

EXACT = Fractions()
PAIRS = claimed(
    OF_FUNCTIONS, [Pullback(EXACT), Dependent(EXACT), Pullback(NumPy()), Dependent(NumPy())]
)
LAW = by_name(OF_FUNCTIONS)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model)


def test_each_form_claims_its_own():
    of = {
        name: {law.name for law, model in PAIRS if model.name == name}
        for _, model in PAIRS
        for name in [model.name]
    }
    both = {"H2a", "H2b", "H2c", "H3a", "H3b", "H5", "H6", "H7"}
    assert of["Pullback over Fractions"] == both | {"H1a", "H1b"}
    assert of["Dependent over Fractions"] == both | {"H4a", "H4b"}


class FirstCallOnly(ReverseModel):
    """Of several calls, the first."""

    def pull(self, arrow, point, cotangent):
        return super().pull(arrow, point, cotangent[:1] if type(cotangent) is list else cotangent)


class EveryCallCounts(ReverseModel):
    """A call whose result was forgotten is taken for one with a cotangent."""

    def pull(self, arrow, point, cotangent):
        pulled = super().pull(arrow, point, cotangent)
        return _one(arrow.dom) if cotangent == [(point, None)] or _forgotten(cotangent) else pulled


class NeverZero(ReverseModel):
    """No calls give something."""

    def pull(self, arrow, point, cotangent):
        return _one(arrow.dom) if cotangent == [] else super().pull(arrow, point, cotangent)


class Repeated(ReverseModel):
    """What eval records, it records twice."""

    def pull(self, arrow, point, cotangent):
        pulled = super().pull(arrow, point, cotangent)
        if isinstance(pulled, dict) and type(pulled.get(0)) is list:
            pulled[0] = [*pulled[0], *pulled[0]]
        return pulled


def _forgotten(cotangent):
    return type(cotangent) is list and any(g is None for _, g in cotangent)


def _one(obj):
    return Fraction(1) if getattr(obj, "shape", None) == () else None


def dropping(mode):
    """A mode whose closures pull nothing back to what they captured."""

    class Dropping(mode):
        def _pull_closure(self, code, env, machine):
            machine.stack[-1] = None

    return Dropping(EXACT)


WRONG = {
    "H1a": Repeated(Pullback(EXACT)),
    "H1b": FirstCallOnly(Pullback(EXACT)),
    "H2a": FirstCallOnly(Pullback(EXACT)),
    "H2b": NeverZero(Pullback(EXACT)),
    "H2c": FirstCallOnly(Pullback(EXACT)),
    "H3a": FirstCallOnly(Pullback(EXACT)),
    "H3b": EveryCallCounts(Pullback(EXACT)),
    "H4a": ReverseModel(dropping(Dependent)),
    "H4b": ReverseModel(type("Swapped", (Dependent,), {})(EXACT)),
    "H5": Repeated(Pullback(EXACT)),
    "H6": ReverseModel(dropping(Dependent)),
    "H7": ReverseModel(dropping(Pullback)),
}


class Unhanded(ReverseModel):
    """Eval keeps the cotangent of the environment for itself."""

    def pull(self, arrow, point, cotangent):
        pulled = super().pull(arrow, point, cotangent)
        is_eval = type(point) is tuple and len(point) == 2 and hasattr(point[0], "code")
        return {1: pulled.get(1)} if is_eval and pulled else pulled


WRONG["H4b"] = Unhanded(Dependent(EXACT))


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name):
    found = fails(LAW[name], WRONG[name])
    assert found.size <= 20


numbers = st.integers(-2, 2).map(Fraction)
call_lists = st.lists(st.tuples(numbers, numbers), max_size=4)


@given(call_lists, call_lists, st.lists(numbers, min_size=1, max_size=4))
def test_equivalent_calls_pair_alike_with_every_tangent(cs, ds, coefficients):
    """H7: ``cs ~ ds`` iff ``⟨k, cs⟩ = ⟨k, ds⟩`` for all ``k``."""

    def paired(k, calls):
        return sum((k(b) * g for b, g in calls), Fraction(0))

    def polynomial(b):
        return sum((c * b**i for i, c in enumerate(coefficients)), Fraction(0))

    alike = Quotient.of_calls(cs).same(Quotient.of_calls(ds))
    if alike:
        assert paired(polynomial, cs) == paired(polynomial, ds)
    points = {b for b, _ in (*cs, *ds)}
    tells = [
        paired(lambda b, at=at: Fraction(b == at), cs)
        == paired(lambda b, at=at: Fraction(b == at), ds)
        for at in points
    ]
    assert alike == all(tells)


def test_a_forgotten_result_is_a_call_with_zero():
    mode = Pullback(EXACT)
    f = interpret(Curry(Projection(Product(Real, Real), 1)), mode)
    h, _ = mode.rep(f, (Fraction(2),))
    _, pull = mode.rep(interpret(Eval(Fun(Real, Real)), mode), (h, Fraction(1)))
    assert pull(None) == {0: [(Fraction(1), None)]}
