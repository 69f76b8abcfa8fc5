"""The values of the pointwise primitives: a row each, for every carrier and every backend.

A primitive is declared in ``combinators.primitives`` and has its values here: these two places are
all that knows its name. A row says what computes it on NumPy's arrays and, where there is such a
thing, its formula, what it is of fractions, and how Python, NumPy and JAX write it. What is a ufunc
is written by its name where a row does not say otherwise.

>>> ROWS["softplus"].formula, ROWS["sin"].on_arrays(1), ROWS["sin"].on_jax(1)
('log(1 + exp(x))', 'np.sin({0})', 'jnp.sin({0})')
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Values = Callable[..., Any]


@dataclass(frozen=True)
class Row:
    """What a pointwise primitive is, wherever it is computed or written."""

    numpy: Values
    """Of NumPy's scalars and arrays; it keeps their element type."""
    formula: str = ""
    """Of expressions of SymPy, by SymPy's names, in ``x``, ``y`` and ``z``."""
    rational: Values | None = None
    """Of fractions, where it stays among them."""
    number: str = ""
    """Python's text of floats, of ``{0}`` and ``{1}``: total, as IEEE has it."""
    array: str = ""
    """NumPy's text of arrays."""
    jax: str = ""
    """The text of arrays for XLA."""

    def on_arrays(self, arity: int) -> str:
        """NumPy's text; empty where there is none."""
        return self.array or self._called("np", arity)

    def on_jax(self, arity: int) -> str:
        """The text for XLA; empty where there is none."""
        return self.jax or self._called("jnp", arity)

    def _called(self, module: str, arity: int) -> str:
        if not isinstance(self.numpy, np.ufunc):
            return ""
        return f"{module}.{self.numpy.__name__}({', '.join(f'{{{i}}}' for i in range(arity))})"


ROWS: dict[str, Row] = {}
"""Every row, by the name of the primitive."""
_LISTENERS: list[Callable[[str, Row], None]] = []


def give_values(name: str, row: Row) -> None:
    """The values of the pointwise primitive ``name``, in every carrier and backend."""
    ROWS[name] = row
    for listener in _LISTENERS:
        listener(name, row)


def for_each_row(register: Callable[[str, Row], None]) -> None:
    """Call ``register`` with every row, now or once it is given: how a carrier learns of it."""
    _LISTENERS.append(register)
    for name, row in ROWS.items():
        register(name, row)


def _absorbing(product: Any, is_zero: Callable[[], Any]) -> Any:
    """``product``, and 0 where a factor is 0: only nan can tell the difference."""
    bad = product != product  # noqa: PLR0124 (nan differs from itself)
    if isinstance(product, np.ndarray):
        return np.where(bad & is_zero(), 0, product) if bad.any() else product
    return product.dtype.type(0) if bad and is_zero() else product


def scaled(v: Any, p: Any) -> Any:
    """``v * p``, and 0 wherever either is."""
    return _absorbing(v * p, lambda: (v == 0) | (p == 0))


def _unscale(v: Any, p: Any) -> Any:
    return _absorbing(v / p, lambda: (v == 0) | np.isinf(p))


def _sigmoid(x: Any) -> Any:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small)[()] / (1 + small)


_erf_of_each = np.frompyfunc(math.erf, 1, 1)


def _erf(x: Any) -> Any:
    return np.asarray(_erf_of_each(x)).astype(x.dtype)[()]


def _power(x: Any, y: Any) -> Any:
    """A power; a negative one of an integer is its integer part, and 0 where there is none."""
    if y.dtype.kind != "i" or np.all(y >= 0):
        return np.power(x, y)
    below = y < 0
    return np.power(np.where(below & (np.abs(x) != 1), 0, x), np.where(below, 2 - y % 2, y))


def _clip(x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


_UP = "floor(x + Rational(1, 2))"
_ROUND = (
    f"Piecewise(({_UP} - Mod({_UP}, 2), Eq({_UP}, x + Rational(1, 2))), ({_UP}, True))"  # half even
)

_GIVEN = {
    "negative": Row(np.negative, "-x", operator.neg),
    "absolute": Row(np.absolute, "Abs(x)", abs),
    "sign": Row(np.sign, "sign(x)", lambda x: (x > 0) - (x < 0)),
    "square": Row(np.square, "x**2", lambda x: x * x),
    "reciprocal": Row(lambda x: 1 / x, "1 / x", lambda x: 1 / x),
    "floor": Row(np.floor, "floor(x)", math.floor),
    "ceil": Row(np.ceil, "ceiling(x)", math.ceil),
    "trunc": Row(np.trunc, "sign(x) * floor(Abs(x))", math.trunc),
    "round": Row(np.round, _ROUND, round, jax="jnp.round({0})"),
    "relu": Row(lambda x: np.maximum(x, 0), "Max(x, 0)", lambda x: max(x, 0)),
    "sqrt": Row(np.sqrt, "sqrt(x)"),
    "cbrt": Row(np.cbrt, "sign(x) * Abs(x)**Rational(1, 3)"),
    "exp": Row(np.exp, "exp(x)"),
    "expm1": Row(np.expm1, "exp(x) - 1"),
    "exp2": Row(np.exp2, "S(2)**x"),
    "log": Row(np.log, "log(x)"),
    "log1p": Row(np.log1p, "log(1 + x)"),
    "log2": Row(np.log2, "log(x) / log(2)"),
    "log10": Row(np.log10, "log(x) / log(10)"),
    "sin": Row(np.sin, "sin(x)"),
    "cos": Row(np.cos, "cos(x)"),
    "tan": Row(np.tan, "tan(x)"),
    "arcsin": Row(np.arcsin, "asin(x)"),
    "arccos": Row(np.arccos, "acos(x)"),
    "arctan": Row(np.arctan, "atan(x)"),
    "sinh": Row(np.sinh, "sinh(x)"),
    "cosh": Row(np.cosh, "cosh(x)"),
    "tanh": Row(np.tanh, "tanh(x)"),
    "arcsinh": Row(np.arcsinh, "asinh(x)"),
    "arccosh": Row(np.arccosh, "acosh(x)"),
    "arctanh": Row(np.arctanh, "atanh(x)"),
    "sigmoid": Row(
        _sigmoid,
        "1 / (1 + exp(-x))",
        number="_sigmoid({0})",
        array="_sigmoid_array({0})",
        jax="jax.nn.sigmoid({0})",
    ),
    "softplus": Row(
        lambda x: np.logaddexp(x, 0),
        "log(1 + exp(x))",
        number="_logaddexp({0}, 0.0)",
        jax="jnp.logaddexp({0}, 0.0)",
    ),
    "erf": Row(_erf, "erf(x)", number="math.erf({0})", array="_erf_array({0})", jax="lax.erf({0})"),
    "logical_not": Row(np.logical_not, "Not(x)"),
    "add": Row(np.add, "x + y", operator.add),
    "subtract": Row(np.subtract, "x - y", operator.sub),
    "multiply": Row(np.multiply, "x * y", operator.mul),
    "divide": Row(np.divide, "x / y", operator.truediv),
    "floor_divide": Row(np.floor_divide, "floor(x / y)", operator.floordiv),
    "remainder": Row(np.remainder, "Mod(x, y)", operator.mod),
    "power": Row(_power, "Pow(x, y)", operator.pow),
    "scale": Row(
        scaled,
        "S.Zero if x.is_Number and x.is_zero or y.is_Number and y.is_zero else x * y",
        lambda v, p: v * p if v else v,
    ),
    "unscale": Row(
        _unscale,
        "S.Zero if x.is_Number and x.is_zero or y in (S.Infinity, S.NegativeInfinity) else x / y",
        lambda v, p: v / p if v else v,
    ),
    "hypot": Row(np.hypot, "sqrt(x**2 + y**2)"),
    "logaddexp": Row(np.logaddexp, "log(exp(x) + exp(y))", number="_logaddexp({0}, {1})"),
    "arctan2": Row(np.arctan2, "atan2(x, y)"),
    "maximum": Row(np.maximum, "Max(x, y)", max),
    "minimum": Row(np.minimum, "Min(x, y)", min),
    "less": Row(np.less, "Lt(x, y)"),
    "less_equal": Row(np.less_equal, "Le(x, y)"),
    "greater": Row(np.greater, "Gt(x, y)"),
    "greater_equal": Row(np.greater_equal, "Ge(x, y)"),
    "equal": Row(np.equal, "Eq(x, y)"),
    "not_equal": Row(np.not_equal, "Ne(x, y)"),
    "logical_and": Row(np.logical_and, "And(x, y)"),
    "logical_or": Row(np.logical_or, "Or(x, y)"),
    "logical_xor": Row(np.logical_xor, "Xor(x, y)"),
    "clip": Row(_clip, "Min(Max(x, y), z)", lambda x, low, high: min(max(x, low), high)),
}
for _name, _row in _GIVEN.items():
    give_values(_name, _row)
