"""Primitives of the user's own: their names, their representation, their declaration again."""

import re
from functools import partial

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import NameTaken, TypeMismatch, WrongDerivative
from combinators.operation import PRIMITIVES, Linear
from diffcurry import Real, Tensor


def cube(x):
    return x**3


def slope(v, x, y):
    return dc.scale(v, 3.0 * x * x)


def _named(name, function):
    function.__name__ = name
    return function


@pytest.fixture
def cubed():
    yield dc.primitive(slope)(cube)
    PRIMITIVES.pop("cube", None)


@pytest.mark.parametrize("name", ["sin", "reshape", "sum"])
def test_the_languages_own_names_are_refused(name):
    before = PRIMITIVES[name]

    def other(x):
        return 2.0 * x

    other.__name__ = name
    with pytest.raises(NameTaken, match=f"named {name} already") as caught:
        dc.primitive(lambda v, x, y: 2.0 * v)(other)
    assert isinstance(caught.value, ValueError)
    assert PRIMITIVES[name] is before


def test_ones_own_primitive_is_declared_again(cubed):
    assert dc.grad(cubed)(2.0) == 12.0
    again = dc.primitive(lambda v, x, y: 5.0 * v)(_named("cube", lambda x: 5.0 * x))
    assert again(2.0) == 10.0
    assert dc.grad(again)(2.0) == 5.0


def test_a_failed_declaration_leaves_the_one_before(cubed):
    with pytest.raises(WrongDerivative):
        dc.primitive(lambda v, x, y: 4.0 * v)(_named("cube", lambda x: 5.0 * x))
    assert PRIMITIVES["cube"] is cubed.declared
    assert dc.grad(cubed)(2.0) == 12.0


def test_it_is_shown_by_its_name(cubed):
    assert repr(cubed) == "<primitive cube>"


def test_it_takes_no_keywords(cubed):
    with pytest.raises(TypeMismatch, match=r"primitive cube takes no keywords.*given x"):
        cubed(x=2.0)


def test_rules_of_several_arguments_are_checked_one_by_one():
    def product(x, y):
        return x * y

    with pytest.raises(WrongDerivative, match="argument 1"):
        dc.primitive(lambda v, x, y, z: (dc.scale(v, y), dc.scale(v, 2.0 * x)))(product)
    assert "product" not in PRIMITIVES


def test_a_wrong_rule_is_shown_at_a_point_of_its_domain():
    declare = dc.primitive(lambda v, x, y: dc.scale(v, 0.7 / y), domain=(11.0, 30.0))
    with pytest.raises(WrongDerivative, match="where the value changes by") as caught:
        declare(_named("beyond_ten", lambda x: np.sqrt(x - 10.0)))
    found = re.search(r"at x = ([-.\d]+), v = 1", str(caught.value))
    assert found is not None
    assert 11.0 <= float(found[1]) <= 30.0


def test_a_primitive_of_arrays_is_checked_at_its_types():
    declare = dc.primitive(lambda v, x, y: dc.scale(v, 2.0 * x), types=(Tensor((3,)),))
    squares = declare(_named("squares_of_three", lambda x: x * x))
    np.testing.assert_array_equal(squares(np.arange(3.0)), [0.0, 1.0, 4.0])
    del PRIMITIVES["squares_of_three"]


WRONG = {
    "a word for a domain": ({"domain": "ab"}, cube, "domain is two numbers.*'ab'"),
    "three numbers": ({"domain": (1, 2, 3)}, cube, r"domain is two numbers.*\(1, 2, 3\)"),
    "one number": ({"domain": 3.0}, cube, "domain is two numbers.*3.0"),
    "nothing between": ({"domain": (2.0, 2.0)}, cube, "the lower first"),
    "one type": ({"types": Real}, cube, r"types is a tuple .* types=\(Real,\), and not Real"),
    "no type": ({"types": (3,)}, cube, r"types is a tuple .* not \(3,\)"),
    "too many types": ({"types": (Real, Real)}, cube, r"cube is called with \(Real, Real\)"),
    "no types": ({"types": ()}, cube, "one argument or more, and cube has none"),
    "no argument": ({}, _named("constant", lambda: 1.0), "constant has none; a constant needs"),
    "any number": ({}, _named("several", lambda *xs: 1.0), r"several takes .* types=\(Real, Real"),
    "no function": ({}, 3, "declared of a function with a name, and this is 3"),
    "no name": ({}, partial(cube), "a function with a name.*partial"),
    "no rule": ({"derivative": None}, cube, "derivative is a rule.* and not None"),
    "a number for a rule": ({"derivative": 3}, cube, "derivative is a rule.* and not 3"),
    "a form without its parts": ({"derivative": Linear}, cube, r"as in Linear\(transpose\)"),
    "a rule of too little": (
        {"derivative": lambda v, x: v},
        cube,
        "too many positional arguments; a rule takes v, all xs, and y",
    ),
    "no typing": ({"typing": Real}, cube, "typing is a function.* and not Real"),
}


@pytest.mark.parametrize(("given", "function", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_declared(given, function, said):
    with pytest.raises(TypeMismatch, match=said):
        dc.primitive(**{"derivative": slope, **given})(function)
    assert not {"cube", "constant", "several"} & set(PRIMITIVES)
