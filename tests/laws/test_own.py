"""Models that are no programs: arrows of their own, points that are no arrows."""

import numpy as np
import pytest
from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from combinators.literal import Literal
from combinators.morphisms import Constant, Id, interpret, prod
from combinators.objects import Bool, Product, Real, Record, Unit
from laws import Signature, check
from laws.claims import model_of
from laws.free import own
from laws.model import signature_of
from laws.observation import Elements
from laws.strategies import arrows
from tests.laws.asking import EXAMPLES


class Shifts:
    """Numbers move: an arrow is a number, and there is nothing but arrows."""

    signature = Signature(
        own=lambda dom, cod: st.integers(-3, 3).map(lambda n: own("by", dom, cod, n=n))
    )

    def identity(self, dom):
        return 0

    def compose(self, arrows):
        return sum(arrows)

    def primitive(self, operation, dom, cod):
        return operation.keywords["n"]

    def run(self, arrow, point):
        return arrow

    def observe(self, cod, outcome, probes):
        yield "value", outcome


class Lost(Shifts):
    def compose(self, arrows):
        return arrows[0] - sum(arrows[1:])


def test_a_category_alone_is_asked_with_its_own_arrows():
    report = check(Shifts(), max_examples=EXAMPLES)
    assert report, report
    assert {"C1", "C2", "C3"} <= {verdict.law.name for verdict in report}


def test_its_own_arrows_can_break_a_law():
    report = check(Lost(), only=["C3"], max_examples=60)
    counterexample = report["C3"].counterexample
    assert counterexample is not None
    assert counterexample.size <= 4


class Bare:
    """Nothing but identities and what is made of them."""

    identity = lambda self, dom: lambda x: x
    run = lambda self, arrow, point: arrow(point)

    def compose(self, arrows):
        first, *rest = arrows
        return first if not rest else lambda x: self.compose(rest)(first(x))


def test_only_arrows_that_it_has_are_drawn():
    report = check(Bare(), ["category"], max_examples=EXAMPLES)
    assert report, report


def test_a_signature_is_what_the_combinators_allow():
    found = signature_of(model_of(Bare()))
    assert not any(
        (found.constants, found.products, found.functions, found.conditionals, found.lets)
    )
    assert not found.operations


def test_points_are_the_models_own():
    pair = prod(Unit, Constant(Unit, Literal(1.0)), Constant(Unit, Literal(True)))
    assert interpret(pair, Elements(None))(()) == (1.0, True)
    assert interpret(pair, Elements(lambda obj, literal: obj))(()) == (Real, Bool)


@pytest.mark.parametrize(
    "dom", [Unit, Real, Product(Real), Product(Product(Real)), Product(Real, Bool), Record(x=Real)]
)
def test_own_arrows_start_anywhere(dom):
    arrow = own("from anywhere", dom, Bool, data=(1, 2))
    assert (arrow.dom, arrow.cod) == (dom, Bool)


def test_without_constants_none_is_drawn():
    signature = Signature(
        constants=False, operations={}, arrays=False, loops=False, functions=False
    )
    drawn = arrows(signature, Product(Real, Bool), Real)

    def constants(arrow):
        return [node for node in (arrow, *arrow.below()) if isinstance(node, Constant)]

    with pytest.raises(NoSuchExample):
        find(drawn, constants, settings=settings(max_examples=300, database=None))


def test_an_identity_leaves_a_point_as_it_is():
    assert interpret(Id(Real), Elements(None))(np.float64(2)) == 2
