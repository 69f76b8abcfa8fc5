"""The functions of the language: they build terms while tracing, and elsewhere compute at once.

>>> sin(0.0), logsumexp([0.0, 0.0])
(np.float64(0.0), np.float64(0.6931471805599453))
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from combinators import primitives
from combinators.tracing import control
from combinators.tracing.scope import current
from diffcurry.function import Function

P = ParamSpec("P")
R = TypeVar("R")


def eager(function: Callable[P, R]) -> Callable[P, R]:
    """``function``, which builds terms while tracing, and elsewhere computes."""

    @functools.wraps(function)
    def applied(*args: P.args, **kwargs: P.kwargs) -> R:
        if current() is not None:
            return function(*args, **kwargs)
        return Function(lambda: function(*args, **kwargs))()

    return applied


cond = eager(control.cond)
fold = eager(control.fold)
map = eager(control.map)
scan = eager(control.scan)


def recompute(f: Callable[P, R]) -> Function[P, R]:
    """``f``, of which a pullback keeps the arguments only, and runs it again.

    >>> from diffcurry.transforms import grad
    >>> grad(recompute(lambda x: x * x))(3.0)
    np.float64(6.0)
    """
    return Function(control.recompute(f))


absolute = eager(primitives.absolute)
abs = absolute
add = eager(primitives.add)
all = eager(primitives.all)
any = eager(primitives.any)
arccos = eager(primitives.arccos)
arccosh = eager(primitives.arccosh)
arcsin = eager(primitives.arcsin)
arcsinh = eager(primitives.arcsinh)
arctan = eager(primitives.arctan)
arctan2 = eager(primitives.arctan2)
arctanh = eager(primitives.arctanh)
argmax = eager(primitives.argmax)
argmin = eager(primitives.argmin)
astype = eager(primitives.astype)
broadcast_to = eager(primitives.broadcast_to)
build = eager(primitives.build)
cbrt = eager(primitives.cbrt)
ceil = eager(primitives.ceil)
clip = eager(primitives.clip)
concatenate = eager(primitives.concatenate)
cos = eager(primitives.cos)
cosh = eager(primitives.cosh)
cumprod = eager(primitives.cumprod)
cumsum = eager(primitives.cumsum)
diagonal = eager(primitives.diagonal)
divide = eager(primitives.divide)
dot = eager(primitives.dot)
einsum = eager(primitives.einsum)
equal = eager(primitives.equal)
erf = eager(primitives.erf)
exp = eager(primitives.exp)
exp2 = eager(primitives.exp2)
expand_dims = eager(primitives.expand_dims)
expm1 = eager(primitives.expm1)
flip = eager(primitives.flip)
floor = eager(primitives.floor)
floor_divide = eager(primitives.floor_divide)
full_like = eager(primitives.full_like)
gather = eager(primitives.gather)
greater = eager(primitives.greater)
greater_equal = eager(primitives.greater_equal)
hstack = eager(primitives.hstack)
hypot = eager(primitives.hypot)
index = eager(primitives.index)
inner = eager(primitives.inner)
iota = eager(primitives.iota)
isfinite = eager(primitives.isfinite)
isinf = eager(primitives.isinf)
isnan = eager(primitives.isnan)
less = eager(primitives.less)
less_equal = eager(primitives.less_equal)
log = eager(primitives.log)
log1p = eager(primitives.log1p)
log2 = eager(primitives.log2)
log10 = eager(primitives.log10)
logaddexp = eager(primitives.logaddexp)
logical_and = eager(primitives.logical_and)
logical_not = eager(primitives.logical_not)
logical_or = eager(primitives.logical_or)
logical_xor = eager(primitives.logical_xor)
logsumexp = eager(primitives.logsumexp)
matmul = eager(primitives.matmul)
max = eager(primitives.max)
maximum = eager(primitives.maximum)
mean = eager(primitives.mean)
min = eager(primitives.min)
minimum = eager(primitives.minimum)
moveaxis = eager(primitives.moveaxis)
multiply = eager(primitives.multiply)
negative = eager(primitives.negative)
not_equal = eager(primitives.not_equal)
ones_like = eager(primitives.ones_like)
outer = eager(primitives.outer)
positive = eager(primitives.positive)
power = eager(primitives.power)
prod = eager(primitives.prod)
ravel = eager(primitives.ravel)
reciprocal = eager(primitives.reciprocal)
relu = eager(primitives.relu)
remainder = eager(primitives.remainder)
replicate = eager(primitives.replicate)
reshape = eager(primitives.reshape)
round = eager(primitives.round)
scale = eager(primitives.scale)
scatter = eager(primitives.scatter)
sigmoid = eager(primitives.sigmoid)
sign = eager(primitives.sign)
sin = eager(primitives.sin)
sinh = eager(primitives.sinh)
softplus = eager(primitives.softplus)
sqrt = eager(primitives.sqrt)
square = eager(primitives.square)
squeeze = eager(primitives.squeeze)
stack = eager(primitives.stack)
std = eager(primitives.std)
stop_gradient = eager(primitives.stop_gradient)
subtract = eager(primitives.subtract)
sum = eager(primitives.sum)
swapaxes = eager(primitives.swapaxes)
take = eager(primitives.take)
tan = eager(primitives.tan)
tanh = eager(primitives.tanh)
tensordot = eager(primitives.tensordot)
trace = eager(primitives.trace)
transpose = eager(primitives.transpose)
trunc = eager(primitives.trunc)
unscale = eager(primitives.unscale)
var = eager(primitives.var)
vdot = eager(primitives.vdot)
vstack = eager(primitives.vstack)
where = eager(primitives.where)
zeros_like = eager(primitives.zeros_like)

__all__ = [
    "abs",
    "absolute",
    "add",
    "all",
    "any",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "astype",
    "broadcast_to",
    "build",
    "cbrt",
    "ceil",
    "clip",
    "concatenate",
    "cond",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "diagonal",
    "divide",
    "dot",
    "einsum",
    "equal",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "flip",
    "floor",
    "floor_divide",
    "fold",
    "full_like",
    "gather",
    "greater",
    "greater_equal",
    "hstack",
    "hypot",
    "index",
    "inner",
    "iota",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "map",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "negative",
    "not_equal",
    "ones_like",
    "outer",
    "positive",
    "power",
    "prod",
    "ravel",
    "reciprocal",
    "recompute",
    "relu",
    "remainder",
    "replicate",
    "reshape",
    "round",
    "scale",
    "scan",
    "scatter",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "tan",
    "tanh",
    "tensordot",
    "trace",
    "transpose",
    "trunc",
    "unscale",
    "var",
    "vdot",
    "vstack",
    "where",
    "zeros_like",
]
