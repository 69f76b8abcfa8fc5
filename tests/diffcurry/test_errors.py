"""Every mistake that users make has an error of its own: what, where, and what to write instead."""

import math

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import (
    ConcreteValueNeeded,
    DomainError,
    EscapedVariable,
    ImmutableValue,
    MissingRule,
    ShapeMismatch,
    TypeMismatch,
    UnboundVariable,
    WrongMode,
)
from combinators.literal import Literal
from combinators.terms import Var
from combinators.translate import translate
from diffcurry import Product, Real, Tensor
from tests.diffcurry.mistakes import Mistake, at, check, each

V2 = np.array([1.0, 2.0])
V3 = np.ones(3)


def _assign(x):
    x[0] = 1.0
    return x


def _write(x):
    return np.add(V2, 1.0, out=x)


def _escape():
    kept = []
    dc.grad(lambda x: kept.append(x) or x)(1.0)
    return dc.grad(lambda y: y * kept[0])(1.0)


def _escape_a_branch(x):
    kept = []
    dc.cond(x > 0, lambda: kept.append(2 * x) or x, lambda: x)
    return kept[0]


def _escape_a_loop(x):
    kept = []
    dc.map(lambda z: kept.append(z) or z, V3)
    return kept[0] * x


@dc.fun
def factorial(n):
    return n * factorial(n - 1.0)


typed = dc.fun(lambda x: x * 2.0, Real)

TRACED = {
    "if": Mistake(
        at(lambda x: x if x > 0 else -x, 1.0),
        ConcreteValueNeeded,
        TypeError,
        ["Python's if", "Bool", "cond(p, lambda: a, lambda: b)", "np.where"],
    ),
    "and": Mistake(
        at(lambda x: (x > 0) and x, 1.0), ConcreteValueNeeded, TypeError, ["and", "Bool", "cond("]
    ),
    "float": Mistake(
        at(lambda x: float(x), 1.0),
        ConcreteValueNeeded,
        TypeError,
        ["float(x)", "x : Real", "use x"],
    ),
    "int": Mistake(
        at(lambda x: int(x), 1.0), ConcreteValueNeeded, TypeError, ["int(x)", "x : Real", "astype"]
    ),
    "math.sin": Mistake(
        at(lambda x: math.sin(x), 1.0),
        ConcreteValueNeeded,
        TypeError,
        ["x : Real", "np.sin for math.sin"],
    ),
    "for": Mistake(
        at(lambda x: sum(z for z in x), np.ones(501)),
        ConcreteValueNeeded,
        TypeError,
        ["for loop", "x : Tensor[501]", "501 times", "fold(f, init, xs)", "map(f, xs)"],
    ),
    "range": Mistake(
        at(lambda x: list(range(x)), 1.0), ConcreteValueNeeded, TypeError, ["range(x)", "x : Real"]
    ),
    "format": Mistake(
        at(lambda x: f"{x:.3f}", 1.0), ConcreteValueNeeded, TypeError, [".3f", "x : Real"]
    ),
    "in": Mistake(
        at(lambda x: 1.0 in x, V2),
        ConcreteValueNeeded,
        TypeError,
        ["`in`", "x : Tensor[2]", "np.max"],
    ),
    "np.array": Mistake(
        at(lambda x: np.array([x, x], dtype=float), 1.0),
        ConcreteValueNeeded,
        TypeError,
        ["x : Real", "write np.stack"],
    ),
    "assign": Mistake(
        at(_assign, V2), ImmutableValue, TypeError, ["x : Tensor[2]", "assigned into", "set_at"]
    ),
    "out=": Mistake(at(_write, V2), ImmutableValue, TypeError, ["drop out="]),
    "escape": Mistake(
        _escape, EscapedVariable, NameError, ["x : Real", "outside", "return it from there"]
    ),
    "escape a branch": Mistake(
        at(_escape_a_branch, 1.0),
        EscapedVariable,
        NameError,
        ["Real", "then", "return it from there"],
    ),
    "escape a loop": Mistake(
        at(_escape_a_loop, 1.0), EscapedVariable, NameError, ["z : Real", "return it from there"]
    ),
    "test that is no Bool": Mistake(
        at(lambda x: dc.cond(x, lambda: x, lambda: 2.0 * x), 1.0),
        TypeMismatch,
        TypeError,
        ["cond chooses by a Bool, and this is Real", "x > 0", "where"],
    ),
    "branch of another type": Mistake(
        at(lambda x: dc.cond(x > 0, lambda: x, lambda: (x, x)), 1.0),
        TypeMismatch,
        TypeError,
        ["branches of a cond have one type", "Real and Real × Real"],
    ),
    "branch of another shape": Mistake(
        at(lambda x: dc.cond(x[0] > 0, lambda: x, lambda: x[0]), V2),
        TypeMismatch,
        TypeError,
        ["branches of a cond have one type", "Tensor[2] and Real"],
    ),
    "branch that is no function": Mistake(
        at(lambda x: dc.cond(x > 0, x, -x), 1.0), TypeMismatch, TypeError, ["lambda: a", "x : Real"]
    ),
    "condition that is no boolean": Mistake(
        at(lambda x: dc.cond(x, lambda: x, lambda: -x), 1.0),
        TypeMismatch,
        TypeError,
        ["Bool", "Real"],
    ),
    "shapes": Mistake(
        at(lambda x: np.sum(x + V3), V2), ShapeMismatch, ValueError, ["(2,)", "(3,)", "broadcast"]
    ),
    "matmul": Mistake(
        at(lambda x: np.sum(np.ones((3, 3)) @ x), V2),
        ShapeMismatch,
        ValueError,
        ["matmul", "(3, 3)", "(2,)"],
    ),
    "unknown NumPy function": Mistake(
        at(lambda x: np.packbits(x), np.eye(2)),
        MissingRule,
        NotImplementedError,
        ["numpy.packbits is not in the language", "primitive"],
    ),
    "unknown ufunc method": Mistake(
        at(lambda x: np.add.reduceat(x, [0]), V2),
        MissingRule,
        NotImplementedError,
        ["np.add.reduceat"],
    ),
    "unknown keyword": Mistake(
        at(lambda x: np.sum(x, out=[True, False]), V2),
        TypeMismatch,
        TypeError,
        ["np.sum", "'out'", "axis"],
    ),
    "not a number": Mistake(
        at(lambda x: x + "a", 1.0), TypeMismatch, TypeError, ["a number or an array", "str", "'a'"]
    ),
    "an integer that is too large": Mistake(
        at(lambda x: 2**64 * x, 1.0),
        TypeMismatch,
        TypeError,
        ["an integer of 65 bits is too large for int64", "write a float"],
    ),
    "an array of integers that are too large": Mistake(
        lambda: Literal([1, -(10**30)]),
        TypeMismatch,
        TypeError,
        ["an integer of 100 bits is too large for int64"],
    ),
    "an argument that is too large": Mistake(
        at(lambda x: x, 2**64), TypeMismatch, TypeError, ["an integer beyond 64 bits as a float"]
    ),
    "a literal negative power of an integer": Mistake(
        at(lambda n: n**-1, 3),
        TypeMismatch,
        TypeError,
        ["an integer has no integer power -1", "x.astype(float) ** -1"],
    ),
    "a negative power of integers": Mistake(
        lambda: dc.fun(lambda n, k: n**k, checked=True)(3, -1),
        DomainError,
        ArithmeticError,
        ["an integer is raised to the power -1", "x.astype(float)"],
    ),
    "a negative power of integers, interpreted": Mistake(
        lambda: dc.fun(lambda f, n, k: f(n) ** k, checked=True)(lambda n: n, 3, -1),
        DomainError,
        ArithmeticError,
        ["an integer is raised to the power -1"],
    ),
    "negative powers of integers in a gradient": Mistake(
        lambda: dc.grad(
            dc.fun(lambda x, k: np.sum(x * np.array([2, 3]) ** k), checked=True), argnums=0
        )(1.0, np.array([1, -2])),
        DomainError,
        ArithmeticError,
        ["an integer is raised to the power -2"],
    ),
    "shift": Mistake(
        at(lambda x: x << 2, 1.0), TypeMismatch, TypeError, ["<< of x : Real", "x * 2**n"]
    ),
    "shift of a number": Mistake(
        at(lambda x: 2 >> x, 1.0), TypeMismatch, TypeError, [">> of x : Real", "x // 2**n"]
    ),
    "divmod": Mistake(
        at(lambda x: divmod(x, 2.0), 1.0), TypeMismatch, TypeError, ["divmod of x : Real", "x % y"]
    ),
    "call of a number": Mistake(
        at(lambda x: x(1.0), 1.0), TypeMismatch, TypeError, ["x : Real is called", "not a function"]
    ),
    "recursion": Mistake(
        at(factorial, 3.0), TypeMismatch, TypeError, ["factorial calls itself", "write it with rec"]
    ),
    "fun of another type": Mistake(
        at(lambda x: np.sum(typed(x)), V2),
        ShapeMismatch,
        ValueError,
        ["Real was expected", "Tensor[2]"],
    ),
    "fun of more arguments": Mistake(
        at(lambda x: typed(x, x), 1.0),
        TypeMismatch,
        TypeError,
        ["takes 1 argument by position, and was given 2"],
    ),
    "function without a type": Mistake(
        at(lambda x: lambda y: x * y, 1.0),
        TypeMismatch,
        TypeError,
        ["its type is not known", "fun(f, Real)"],
    ),
    "a mode that is not written, inside": Mistake(
        at(lambda x: dc.grad(lambda y: y * y, mode="forward")(x), 1.0),
        WrongMode,
        ValueError,
        ['mode="forward"', "leave mode= out"],
    ),
}

LOOPS = {
    "carry": Mistake(
        at(lambda x: dc.fold(lambda c, z: (c, z), x, V3), 1.0),
        TypeMismatch,
        TypeError,
        ["fold carries Real", "gives Real × Real"],
    ),
    "carry of another shape": Mistake(
        at(lambda x: dc.fold(lambda c, z: c * V2, x, V3), 1.0),
        TypeMismatch,
        TypeError,
        ["fold carries Real", "gives Tensor[2] as the carry", "start from"],
    ),
    "over a number": Mistake(
        at(lambda x: dc.fold(lambda c, z: c, x, x), 1.0),
        TypeMismatch,
        TypeError,
        ["fold runs over", "Real has none", "np.arange(n) has n rows"],
    ),
    "function of one": Mistake(
        at(lambda x: dc.fold(lambda c: c, x, V3), 1.0),
        TypeMismatch,
        TypeError,
        ["called with (Real, Real)", "too many"],
    ),
    "no function": Mistake(
        at(lambda x: dc.fold(3, x, V3), 1.0), TypeMismatch, TypeError, ["f(carry, x)", "3"]
    ),
    "scan without output": Mistake(
        at(lambda x: dc.scan(lambda c, z: c, x, V3), 1.0),
        TypeMismatch,
        TypeError,
        ["(carry, y)", "Real"],
    ),
    "unequal lengths": Mistake(
        at(lambda x: np.sum(dc.map(lambda a, b: a * b, V3, x)), V2),
        ShapeMismatch,
        ValueError,
        ["map runs over", "Tensor[3] × Tensor[2]", "one common leading extent"],
    ),
    "a part of the carry": Mistake(
        at(lambda x: dc.scan(lambda c, z: ({"w": (c["w"][0], V2)}, z), {"w": (x, x)}, V3)[1], 1.0),
        TypeMismatch,
        TypeError,
        ["scan carries Real", "gives Tensor[2] as the carry['w'][1]", "start from"],
    ),
    "map of a number": Mistake(
        at(lambda x: dc.map(lambda z: z, x), 1.0),
        TypeMismatch,
        TypeError,
        ["map runs over the leading axis of tensors", "np.arange(n) has n rows"],
    ),
    "map of no function": Mistake(
        at(lambda x: dc.map(3, x), V3), TypeMismatch, TypeError, ["map takes a function f(x)", "3"]
    ),
    "a function value in a fold": Mistake(
        at(lambda x: dc.fold(dc.fun(lambda c, z: z, Tensor((2,)), Real), x, V3), 1.0),
        TypeMismatch,
        TypeError,
        ["fold calls its function with Real × Real", "it takes Tensor[2] × Real"],
    ),
    "a direction that is none": Mistake(
        at(lambda x: dc.fold(lambda c, z: c, x, V3, reverse="yes"), 1.0),
        TypeMismatch,
        TypeError,
        ["reverse= of fold is True or False", "'yes'"],
    ),
}


@each(TRACED | {f"loop: {name}": mistake for name, mistake in LOOPS.items()})
def test_a_mistake_has_its_own_error(mistake):
    """Errors name the operation: the shape error of a loop says fold, scan or map."""
    check(mistake)


def test_the_line_is_the_users():
    def wrong(x):
        y = x * 2.0
        return y if y > 0 else -y  # here

    with pytest.raises(ConcreteValueNeeded) as caught:
        dc.grad(wrong)(1.0)
    assert caught.value.place.line == wrong.__code__.co_firstlineno + 2


def test_an_unbound_variable_names_itself_and_the_context():
    with pytest.raises(UnboundVariable, match=r"y : Real is not bound by the context \(x : Real\)"):
        translate((Var("x", Real),), Var("y", Real))


def test_what_numpy_says_of_a_traced_value_stored_into_an_array_is_said_plainly():
    def store(x):
        ys = np.zeros(2)
        ys[0] = x
        return ys

    with pytest.raises(ImmutableValue, match=r"put into an array of NumPy's.*set_at"):
        dc.grad(store)(1.0)


def test_nothing_is_left_open_after_an_error():
    with pytest.raises(ConcreteValueNeeded):
        dc.grad(lambda x: x if x > 0 else -x)(1.0)
    assert dc.grad(lambda x: x * x)(3.0) == 6.0
    with pytest.raises(TypeMismatch):
        dc.vjp(lambda f: f((1.0, 2.0)), dc.fun(lambda p: p, Product(Real, Real)))[1]((1.0,))
