"""The rationals: exact where values are rational, and an error where they are not."""

import inspect
from fractions import Fraction as Q

import numpy as np
import pytest

from combinators.errors import DomainError, MissingRule
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Bool, Int, Product, Real, Tensor
from combinators.operation import Operation, Pointwise, named
from combinators.tracing.definition import Definition
from combinators.translate import translate
from interpreters.carriers.carrier import values
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.numpy_values import VALUES
from interpreters.carriers.opaque_values import OPAQUE
from interpreters.carriers.pointwise_values import ROWS
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent

F = Fractions()
NAMES = """
exp expm1 exp2 log log1p log2 log10 logaddexp logsumexp sigmoid softplus erf sqrt cbrt hypot
sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh
"""
IRRATIONAL = NAMES.split()
LOGIC = ["logical_and", "logical_or", "logical_xor", "logical_not"]
RATIONAL = sorted({*VALUES, *ROWS} - {*IRRATIONAL, *LOGIC, *OPAQUE})


def arrow(function, *types):
    lam = Definition(function, types).specialise(types, (None,) * len(types)).lam
    return translate(lam.params, lam.body)


def value(function, *arguments):
    """``function`` over the rationals, of numbers and arrays given as strings, ints or lists."""
    types = tuple(Tensor(np.shape(x)) for x in arguments)
    lifted = tuple(F.lift(x, obj) for x, obj in zip(arguments, types, strict=True))
    return F.lower(Primal(F).value(interpret(arrow(function, *types), Primal(F)), lifted))


X, Y = Q(-7, 3), Q(2, 5)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y: x + y - x * y, X + Y - X * Y),
        (lambda x, y: x / y, X / Y),
        (lambda x, y: -x, -X),
        (lambda x, y: x**3 + y**-2, X**3 + Y**-2),
        (lambda x, y: np.square(x) + np.reciprocal(y), X**2 + 1 / Y),
        (lambda x, y: np.abs(x) + np.sign(x), abs(X) - 1),
        (lambda x, y: np.maximum(x, y) + np.minimum(x, 2.0), X + Y),
        (lambda x, y: np.clip(x, -1.0, 1.0) + np.clip(y, 0.0, None), -1 + Y),
        (lambda x, y: np.where(x < y, x, y), X),
        (lambda x, y: x // y + x % y, X // Y + X % Y),
        (lambda x, y: np.floor(x) + np.ceil(x) + np.trunc(x) + np.round(y), Q(-3 - 2 - 2)),
        (lambda x, y: (x >= y).astype(float) + x.astype(int).astype(float), Q(-2)),
        (lambda x, y: x.astype("float32").astype("float64"), X),
    ],
)
def test_numbers(function, expected):
    found = value(function, X, Y)
    assert found == expected
    assert type(found) is Q


A = np.array([[Q(1, 2), Q(-3)], [Q(2, 7), Q(5)]], dtype=object)
V = np.array([Q(1, 3), Q(-1)], dtype=object)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda a, v: np.sum(a) + np.sum(a, axis=0) * v, A.sum() + A.sum(axis=0) * V),
        (lambda a, v: np.prod(a), A.prod()),
        (lambda a, v: np.max(a, axis=1) - np.min(v), A.max(axis=1) - V.min()),
        (lambda a, v: np.mean(a), A.sum() / 4),
        (lambda a, v: np.cumsum(v), np.cumsum(V)),
        (lambda a, v: np.cumprod(v), np.cumprod(V)),
        (lambda a, v: a @ v, A.dot(V)),
        (lambda a, v: np.einsum("ij,kj,k->i", a, a, v), A.dot(A.T.dot(V))),
        (lambda a, v: np.outer(v, v) + a.T, np.outer(V, V) + A.T),
        (lambda a, v: np.reshape(a, 4)[::-2], A.reshape(4)[::-2]),
        (lambda a, v: np.concatenate([v, a[0]]), np.concatenate([V, A[0]])),
        (lambda a, v: np.take(v, np.array([1, 0, 1])), V[[1, 0, 1]]),
        (lambda a, v: np.flip(np.squeeze(np.expand_dims(v, 0))), V[::-1]),
        (lambda a, v: np.where(a > 0.0, v, 1.0), np.where(A > 0, V, Q(1))),
        (lambda a, v: np.sum(v[:0]) + np.prod(v[:0]), Q(1)),
    ],
)
def test_tensors(function, expected):
    found = value(function, A, V)
    assert np.array_equal(found, expected)
    assert all(type(x) is Q for x in np.ravel(np.array(found, dtype=object)))


def test_a_hundred_thirds_are_exact():
    third = value(lambda x: np.sum(np.broadcast_to(x / 3.0, 300)), 1)
    assert third == 100


def test_floats_lift_exactly():
    assert F.lift(0.1, Real) == Q(3602879701896397, 36028797018963968)
    assert F.lift(np.float32(0.1), Real) == Q(float(np.float32(0.1)))
    assert F.const(Literal(0.25)) == Q(1, 4)
    assert list(F.lift([0.5, Q(1, 3)], Tensor((2,)))) == [Q(1, 2), Q(1, 3)]


def test_integers_and_booleans_are_themselves():
    program = interpret(arrow(lambda n, p: (n * n // 4, p & (n > 2)), Int, Bool), Primal(F))
    n, p = F.lift(5, Int), F.lift(True, Bool)
    result = Primal(F).value(program, (n, p))
    assert result == (6, True)
    assert isinstance(result[0], np.int64)
    assert isinstance(result[1], np.bool_)


def test_lowering_copies():
    array = F.lift([1, 2], Tensor((2,)))
    F.lower(array)[0] = Q(9)
    assert array[0] == 1


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: 1.0 / (x - x), r"divide\(1, 0\) is not a rational number"),
        (lambda x: np.reciprocal(x - x), r"reciprocal\(0\)"),
        (lambda x: x**0.5, r"power\(2, 1/2\)"),
        (lambda x: (-x) ** 0.5, r"power\(-2, 1/2\)"),
        (lambda x: x % (x - x), r"remainder\(2, 0\)"),
        (lambda x: x * np.inf, r"multiply\(2, inf\)"),
        (lambda x: x + np.nan, "nan is not a rational number"),
    ],
)
def test_what_leaves_the_rationals(function, says):
    with pytest.raises(DomainError, match=says) as caught:
        value(function, 2)
    assert isinstance(caught.value, ArithmeticError)


def test_a_zero_cotangent_meets_no_pole():
    """scale and unscale are 0 where v is 0, whatever the other is."""
    for name in ("scale", "unscale"):
        compute = F.operation(Operation(named(name)), (Real, Real), Real)
        assert compute(Q(0), Q(0)) == 0
    unscale = F.operation(Operation(named("unscale")), (Real, Real), Real)
    with pytest.raises(DomainError):
        unscale(Q(1), Q(0))


@pytest.mark.parametrize("name", IRRATIONAL)
def test_an_irrational_primitive_says_so(name):
    with pytest.raises(MissingRule, match=f"the rationals have no {name}: .*NumPy"):
        F.operation(Operation(named(name)), (Real,), Real)


def test_every_primitive_is_rational_or_known_not_to_be():
    assert not [name for name in RATIONAL if not _has_value(name)]


def _has_value(name):
    try:
        values(named(name), F)
    except NotImplementedError:
        return False
    return True


POINTWISE = [
    name
    for name in RATIONAL
    if isinstance(named(name).derivative, Pointwise) and name not in ("power", "remainder", "clip")
]


@pytest.mark.parametrize("name", POINTWISE)
def test_pullbacks_agree_with_numpy_s_on_dyadic_numbers(name):
    """Where floats are exact, so that both carriers have to give the same."""
    primitive = named(name)
    for x, y in [(2.0, 4.0), (-0.5, 0.5), (0.25, 0.25), (-8.0, -2.0)]:
        floats = (x, y)[: _arity(primitive)]
        types = (Real,) * len(floats)
        dom = types[0] if len(types) == 1 else Product(*types)
        results = []
        for carrier in (F, NumPy()):
            mode = Dependent(over=carrier)
            lifted = tuple(carrier.lift(a, Real) for a in floats)
            made = mode.primitive(Operation(primitive), dom, Real)
            y_, pull = mode.rep(made, lifted[0] if len(lifted) == 1 else lifted)
            pulled = pull(carrier.lift(1.0, Real))
            results.append((y_, pulled))
        assert results[0] == results[1]


def _arity(primitive):
    return len(inspect.signature(primitive.derivative.rule).parameters) - 2
