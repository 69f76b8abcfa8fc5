"""Interpreting is a functor, the only one, and every other way to an arrow agrees with it."""

import numpy as np
import pytest
from hypothesis import strategies as st

from combinators.literal import Literal
from combinators.morphisms import Choice, Constant, Primitive, Projection, interpret
from combinators.objects import Fun, Real
from combinators.operation import CONSTANT, Operation, declare
from diffcurry.models.host import Hosted
from diffcurry.models.modes import PrimalModel
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from laws.free import Free
from laws.model import Signature
from laws.strategies.making import paths
from laws.structures.functor import WAYS
from tests.laws.asking import by_name, claimed, fails, holds, names
from tests.laws.values import Values

EXACT = Fractions()
MODES = [Primal(EXACT), Primal(NumPy()), Pullback(EXACT), Dependent(EXACT), Pushforward(EXACT)]
PAIRS = claimed(WAYS, MODES)
LAW = by_name(WAYS)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model)


def test_every_law_is_claimed():
    assert {law.name for law, _ in PAIRS} == set(LAW)


class Wrong(Free):
    """The free category, but for some of its combinators at numbers."""

    def identity(self, dom):
        return seven(dom) if dom is Real else super().identity(dom)

    def prod(self, dom, arrows):
        return super().prod(dom, [seven(dom) if f.cod is Real else f for f in arrows])

    def proj(self, dom, index, cod):
        return seven(dom) if cod is Real else Projection(dom, index)

    def curry(self, captured, function, body, label):
        wrong = seven(body.dom) if body.cod is Real else body
        return super().curry(captured, function, wrong, label)

    def eval(self, function):
        right = super().eval(function)
        return seven(right.dom) if function.cod is Real else right

    def cond(self, dom, then, other):
        return Choice(other, then)


def seven(dom):
    return Constant(dom, Literal(7.0))


def only(name):
    """The free category, wrong in one combinator."""
    return type("Wrong", (Free,), {name: vars(Wrong)[name]})()


class Ways(PrimalModel):
    """The primal mode, with a way that is wrong."""

    def __init__(self, mode, ways):
        super().__init__(mode)
        self.made = ways

    @property
    def ways(self):
        return {name: way(self.category) for name, way in self.made.items()}


def wrongly(way, category):
    def made(host):
        return lambda program: interpret(interpret(program, category), host)

    return Ways(Primal(NumPy()), {way: made})


def off(value):
    """Every number one more."""
    if isinstance(value, tuple):
        return tuple(map(off, value))
    return value + 1 if isinstance(value, np.ndarray | np.floating) else value


def off_by_one(way):
    def made(host):
        def way(program):
            arrow = interpret(program, host)
            return Hosted(program.dom, program.cod, lambda point: off(arrow.at(point)))

        return way

    return Ways(Primal(NumPy()), {way: made})


WRONG = {
    "F1a": wrongly("interpreted", only("identity")),
    "F1b": off_by_one("interpreted"),
    "F2a": wrongly("interpreted", only("prod")),
    "F2b": wrongly("interpreted", only("proj")),
    "F2c": wrongly("interpreted", only("curry")),
    "F2d": wrongly("interpreted", only("eval")),
    "F2e": wrongly("interpreted", only("cond")),
    "F3": off_by_one("tagless"),
    "F4": off_by_one("sympy"),
    "F5a": off_by_one("simplified"),
    "F5b": off_by_one("simplified"),
    "F6": off_by_one("python"),
    "F7α": off_by_one("renamed"),
    "F7β": off_by_one("applied"),
    "F7η": off_by_one("expanded"),
    "F8": off_by_one("staged"),
}


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name):
    assert fails(LAW[name], WRONG[name]).size <= 12


def test_functions_are_written_as_they_are_applied():
    from combinators.morphisms import Id
    from laws.language import curry, first, parallel
    from laws.writing import REWRITINGS

    arrow = parallel(curry(first(Real, Real)), Id(Real))
    assert arrow.cod.parts[0] is Fun(Real, Real)
    for rewrite in REWRITINGS.values():
        assert (rewrite(arrow).dom, rewrite(arrow).cod) == (arrow.dom, arrow.cod)


def _twin():
    """A primitive of the name ``twin``, which is known to its programs alone."""
    return declare("twin", lambda *_, **__: Real, CONSTANT, public=False)


ONE, TWO = _twin(), _twin()


def _twins(dom, cod):
    """Arrows that end in one of them."""
    found = paths(dom, Real) if cod is Real else ()
    ends = [path >> Primitive(Operation(twin), (Real,)) for path in found for twin in (ONE, TWO)]
    return st.sampled_from(ends) if ends else None


class Twins(Values):
    """Two primitives have one name: one adds 1, the other 2."""

    signature = Signature(shapes=((),), arrays=False, integers=False, own=_twins)

    def primitive(self, operation, dom, cod):
        if operation.primitive in (ONE, TWO):
            return lambda x: x + (1 if operation.primitive is ONE else 2)
        return super().primitive(operation, dom, cod)


@pytest.mark.parametrize("name", ["F3", "F5a", "F7β"])
def test_two_primitives_with_one_name_are_two_to_every_rewriting(name):
    """Lines are equal by what they compute, and not by what that is called."""
    holds(LAW[name], Twins(), examples=60)
