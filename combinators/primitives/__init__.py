"""The primitives, a file a family: how each is typed, what it derives to, what it gives at kinks.

Most of the functions here are primitives; the others are written with them, and so have their
derivatives from them.
"""

from combinators.primitives import checks, loops, tangents
from combinators.primitives.activation import erf, logaddexp, relu, sigmoid, softplus
from combinators.primitives.arithmetic import (
    add,
    divide,
    floor_divide,
    multiply,
    negative,
    positive,
    remainder,
    scale,
    subtract,
    unscale,
)
from combinators.primitives.axes import expand_dims, flip, moveaxis, ravel, squeeze, swapaxes
from combinators.primitives.building import build, gather, index, iota, replicate, scatter
from combinators.primitives.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
)
from combinators.primitives.constants import full_like, ones_like, zeros_like
from combinators.primitives.conversion import astype, stop_gradient
from combinators.primitives.exponential import (
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
)
from combinators.primitives.extremes import argmax, argmin
from combinators.primitives.finiteness import isfinite, isinf, isnan
from combinators.primitives.gathering import take
from combinators.primitives.hyperbolic import arccosh, arcsinh, arctanh, cosh, sinh, tanh
from combinators.primitives.indexing import getitem
from combinators.primitives.joining import concatenate, hstack, stack, vstack
from combinators.primitives.logic import logical_and, logical_not, logical_or, logical_xor
from combinators.primitives.multiplication import cumprod, prod
from combinators.primitives.powers import cbrt, hypot, power, reciprocal, sqrt, square
from combinators.primitives.products import dot, inner, matmul, outer, tensordot, vdot
from combinators.primitives.quantifiers import all, any
from combinators.primitives.reduction import cumsum, max, min, sum
from combinators.primitives.rounding import absolute, ceil, floor, round, sign, trunc
from combinators.primitives.selection import clip, maximum, minimum, where
from combinators.primitives.shape import broadcast_to, reshape, transpose
from combinators.primitives.statistics import logsumexp, mean, std, var
from combinators.primitives.summation import diagonal, einsum, trace
from combinators.primitives.trigonometric import (
    arccos,
    arcsin,
    arctan,
    arctan2,
    cos,
    sin,
    tan,
)

__all__ = [
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
    "checks",
    "clip",
    "concatenate",
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
    "full_like",
    "gather",
    "getitem",
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
    "loops",
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
    "relu",
    "remainder",
    "replicate",
    "reshape",
    "round",
    "scale",
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
    "tangents",
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
