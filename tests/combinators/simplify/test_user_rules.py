"""Rules of a user's own: what is wrong with one is said by its name, and none runs for ever."""

import numpy as np
import pytest

from combinators.errors import TypeMismatch
from combinators.objects import Real
from combinators.simplify import FAST, RULES, Hole, Rest, Rule, head, once, simplify
from combinators.simplify.rule import check_rule
from diffcurry import fun

x, y = Hole("x"), Hole("y")
positive = Hole("x", lambda atom, facts: False)
sin, cos, negative, multiply = map(head, ("sin", "cos", "negative", "multiply"))
WAVE = fun(lambda x: np.sin(x) * np.cos(x), Real).program().lam


def rule(left, right, name="mine"):
    return Rule(name, "of the user", "none", left, right)


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        (sin(x), y, "its right side asks for y, .* it may ask for x"),
        (sin(x), cos(y), "its right side asks for y"),
        (sin(x), lambda q: None, "its right side asks for q, .* it may ask for facts, out, x"),
        (sin(x), head("sum")(x, axis=y, keepdims=False), "its right side asks for y"),
        (multiply(x, 1.5), x, "1.5 is no pattern on its left side; there a number is a hole"),
        (sin(x), multiply(x, 1.5), "1.5 is no pattern on its right side; .* const"),
        (sin(x), 1.5, "1.5 is no pattern on its right side"),
        (multiply(x, Rest("y")), x, r"\*y is no pattern on its left side"),
        (x, x, r'its left side is x; write an operation, as head\("sin"\)\(x\)'),
        (head("nope")(x), x, "there is no primitive named 'nope'"),
        (sin(x), head("nope")(x), "there is no primitive named 'nope'"),
        (head("sum")(x, axes=y), x, "is no sum: got an unexpected keyword argument 'axes'"),
        (sin(x), head("sum")(x), "no sum: missing a required argument: 'axis'"),
        (sin(x), map, "does not say its parameters"),
    ],
)
def test_what_is_wrong_is_said_when_the_rule_is_made(left, right, says):
    with pytest.raises(TypeMismatch, match=f"the rule 'mine' is none: .*{says}"):
        rule(left, right)


@pytest.mark.parametrize(
    ("gives", "says"),
    [(1.5, "1.5 is no pattern on its right side"), (negative(y), "its right side asks for y")],
)
def test_what_is_wrong_with_what_a_function_gives_is_said_when_it_does(gives, says):
    with pytest.raises(TypeMismatch, match=f"the rule 'mine' is none: {says}"):
        simplify(WAVE, rules=[rule(sin(x), lambda x: gives)])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sin(x), sin(sin(x))),
        (sin(x), negative(sin(negative(x)))),
        (multiply(x, y), multiply(y, x)),
        (multiply(x, sin(x)), multiply(sin(cos(x)), cos(x))),
        (head("convert")(x, dtype=y), head("convert")(negative(x), dtype=y)),
    ],
)
def test_a_right_side_that_the_left_side_matches_is_refused(left, right):
    with pytest.raises(TypeMismatch, match="the rule 'mine' is none: it would fire again"):
        rule(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sin(negative(x)), negative(sin(x))),
        (sin(positive), sin(negative(x))),
        (multiply(x, x), multiply(x, cos(x))),
        (sin(once(cos(x))), sin(cos(x))),
        (head("convert")(x, dtype="int32"), head("convert")(x, dtype="int64")),
    ],
)
def test_a_right_side_that_it_may_not_match_is_none_of_these(left, right):
    rule(left, right)


def test_the_rules_of_the_house_are_well_formed():
    for one in (*RULES, *FAST):
        check_rule(one.name, one.left, one.right)


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ([rule(sin(x), lambda x: sin(sin(x)))], "'mine'"),
        ([rule(sin(x), cos(cos(x))), rule(cos(x), sin(sin(x)), "other")], "'mine', 'other'"),
    ],
)
def test_rules_that_fire_for_ever_end(rules, named):
    with pytest.raises(TypeMismatch, match=f"without end on what they write: {named}, 5,000 times"):
        simplify(WAVE, rules=rules)


def test_what_is_counted_is_one_line(monkeypatch):
    monkeypatch.setattr("combinators.simplify.rule.MOST_FIRINGS", 3)

    def long(x):
        for _ in range(20):
            x = np.log(np.exp(x) * x)
        return x

    log, exp = head("log"), head("exp")
    mine = rule(log(multiply(exp(x), y)), head("add")(x, log(y)))
    made = simplify(fun(long, Real).program().lam, rules=[mine])
    assert repr(made).count("exp") == 0


def test_one_word_is_not_several():
    with pytest.raises(TypeMismatch, match=r"without='algebra' is one word.*without=\['algebra'\]"):
        simplify(WAVE, without="algebra")
