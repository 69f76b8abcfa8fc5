"""Every declared rule is a law: both sides agree on instances, and the right costs no more."""

import random
from typing import Any

import numpy as np
import pytest

from combinators.block import Block
from combinators.errors import DiffcurryError
from combinators.objects import Mu, Sum, Tangent, components
from combinators.simplify import FAST, RULES
from combinators.simplify.rule import Switches
from combinators.simplify.writer import Writer
from combinators.terms import Lam, Let, Var
from combinators.type_folds import unfolded
from combinators.value_folds import Injected, map_leaves
from tests.combinators.simplify.instances import cost, instances
from tests.combinators.simplify.test_random_programs import EXACT, FLOATS, value

COUNT = 12
WILD = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 3.0, 0.1]
SIGN_OF_ZERO_MAY_DIFFER = "cotangents", "fast_math"


def rewritten(rule: Any, instance: Any, term: Any) -> Any:
    """The right side, by this rule alone, and the lines that it takes."""
    writer = Writer(Switches([rule], []), set())
    block = Block(None)
    for param in instance.params:
        writer.note(param, param)
    for name, line in instance.lines.items():
        var = Var(name, line.type)
        writer.note(var, line, 0, writer._seen(line)[2])
        writer.used(var, 1)
    return writer.emit(term, block), block.lines, writer.switches.fired


def plain(obj: Any) -> bool:
    """Whether a type can be drawn, and compared: Tangents only stand inside."""
    if isinstance(obj, Sum | Mu):
        return True
    product = components(obj)
    return obj is not Tangent if product is None else all(map(plain, product.parts))


def draw(obj: Any, rng: random.Random, pool: Any) -> Any:
    if isinstance(obj, Mu):
        obj = unfolded(obj)
    if isinstance(obj, Sum):
        tag = rng.randrange(1 + rng.randrange(2))
        return Injected(tag, draw(obj.parts[tag], rng, pool))
    product = components(obj)
    if product is not None:
        return tuple(draw(part, rng, pool) for part in product.parts)
    kinds = {"b": [True, False], "i": [0, 1, -1]}
    values = kinds.get(np.dtype(obj.dtype).kind, pool)
    return (
        np.array([rng.choice(values) for _ in range(obj.size)])
        .reshape(obj.shape)
        .astype(obj.dtype)[()]
    )


def flat(result: Any) -> list[Any]:
    if isinstance(result, Injected):  # of a tangent that is zero no alternative is known
        inside = flat(result.value)
        return [result.tag, *inside] if any(x != 0 for x in inside) else flat(None)
    if result is None:
        return [-1]
    if isinstance(result, tuple):
        return [number for part in result for number in flat(part)]
    return list(np.asarray(result, dtype=object).reshape(-1))


def lifted(values: Any, lam: Lam, carrier: Any) -> Any:
    def lift(obj: Any, given: Any) -> Any:
        return carrier.lift(given, obj)

    return tuple(map_leaves(lift, p.type, x) for x, p in zip(values, lam.params, strict=True))


def sides(rule: Any) -> Any:
    found = instances(rule, lambda *instance: rewritten(*instance)[2], COUNT)
    assert found, f"no instance of {rule.name} was found"
    for instance, term in found:
        after, lines, _ = rewritten(rule, instance, term)
        yield instance, term, after, lines


@pytest.mark.parametrize("rule", [*RULES, *FAST], ids=lambda rule: rule.name)
def test_the_right_side_has_the_type_and_costs_no_more(rule):
    for instance, term, after, lines in sides(rule):
        assert after.type is term.type
        removed = cost(term, instance)
        if has_once(rule.left):
            removed += sum(cost(line, instance) for line in instance.lines.values())
        assert sum(cost(line, instance) for _, line in lines) <= removed, (term, lines)


def has_once(pattern: Any) -> bool:
    return any(getattr(part, "once", False) for part in pattern.operands)


@pytest.mark.parametrize("rule", [*RULES, *FAST], ids=lambda rule: rule.name)
def test_both_sides_have_one_value(rule):
    rng, compared = random.Random(rule.name), 0
    for instance, term, after, lines in sides(rule):
        types = [param.type for param in instance.params]
        if not all(map(plain, types)) or not plain(term.type):
            continue
        left = instance.lam(term)
        right = Lam(left.params, Let(tuple(lines), after) if lines else after)
        right = Lam(left.params, inlined(instance, right.body))
        pool = [1.0, -2.5, 3.0, 0.5] if rule.group == "fast_math" else WILD
        if rule.name.startswith("matmul"):
            pool = [1.0, -2.5, 0.0]
        args = tuple(draw(param.type, rng, pool) for param in left.params)
        compared += compare(left, right, args, FLOATS, rule.group)
        tame = tuple(draw(param.type, rng, [1.0, -2.5, 0.5, 3.0]) for param in left.params)
        compared += compare(left, right, tame, EXACT, rule.group)
    assert compared or rule.name in ONLY_TYPED, rule.name


ONLY_TYPED = {"pack-zero", "plus-packs"}
"""Rules between Tangents, which have no values of their own: see the test below."""


def inlined(instance: Any, body: Any) -> Any:
    """The right side closed over the variables: its own lines are lets, the left's stand in it."""
    if isinstance(body, Let):
        lines = tuple((var, instance.written(line)) for var, line in body.bindings)
        return Let(lines, instance.written(body.body))
    return instance.written(body)


def compare(left: Lam, right: Lam, args: Any, carrier: Any, group: str) -> int:
    try:
        expected = flat(value(left, lifted(args, left, carrier), carrier))
    except (DiffcurryError, IndexError, TypeError):  # booleans have no arithmetic
        return 0
    found = flat(value(right, lifted(args, right, carrier), carrier))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if carrier is EXACT:
            assert one == other or other != other, (left, right, args)
        elif group == "fast_math":
            assert np.isclose(one, other, rtol=1e-12, equal_nan=True) or not np.isfinite(other)
        else:
            same = one == other or (one != one and other != other)
            sign = group in SIGN_OF_ZERO_MAY_DIFFER or np.signbit(one) == np.signbit(other)
            assert same, (left, right, args)
            assert sign or one != one, (left, right, args)
    return 1


def test_names_are_unique_and_every_rule_has_a_source():
    rules = [*RULES, *FAST]
    assert len({rule.name for rule in rules}) == len(rules)
    assert all(rule.source and rule.group for rule in rules)
