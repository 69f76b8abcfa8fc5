"""diffcurry: programs as typed λ-terms, and derivatives through curry and eval.

>>> import numpy as np
>>> import diffcurry as dc
>>> dc.grad(lambda x: np.sin(x) * x)(1.0)
np.float64(1.3817732906760363)
"""

import diffcurry.rooms  # noqa: F401 (first: it says who stands in the way of an import below)

# isort: split
from sys import modules as _modules
from typing import Any as _Any

from combinators import __version__ as __version__
from combinators.errors import (
    ConcreteValueNeeded,
    DiffcurryError,
    DivisionByZero,
    DomainError,
    EscapedVariable,
    ImmutableValue,
    IndexOutOfRange,
    IntegerOverflow,
    MissingRule,
    NameTaken,
    NotAssociative,
    NotComposable,
    NotDifferentiable,
    ShapeMismatch,
    TooDeep,
    TooManyRounds,
    TypeMismatch,
    UnboundVariable,
    WrongAlternative,
    WrongDerivative,
    WrongMode,
)
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Object,
    Product,
    Real,
    Record,
    Sum,
    Tensor,
    Unit,
    Vector,
)
from combinators.tracing.classes import List, Maybe
from combinators.type_folds import order
from diffcurry import library, monoids  # noqa: F401 (which asks operators for the laws)
from diffcurry.check import check_grads, debug_nans
from diffcurry.compare import compare
from diffcurry.decorator import fun
from diffcurry.first_class import J, J_inverse, plus, zero
from diffcurry.function import Function
from diffcurry.function_cotangents import Call, Calls, Captured
from diffcurry.library import *  # noqa: F403 (the library says what it holds)
from diffcurry.primitive import primitive, with_derivative
from diffcurry.tangent_spaces import tangent_space
from diffcurry.transforms import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linear_transpose,
    linearize,
    pullback,
    pushforward,
    value_and_grad,
    vjp,
)
from diffcurry.xla import data_parallel, xla
from interpreters.backends.llvm.choice import backend

__all__ = [
    "Bool",
    "Call",
    "Calls",
    "Captured",
    "ConcreteValueNeeded",
    "DiffcurryError",
    "DivisionByZero",
    "DomainError",
    "EscapedVariable",
    "Fun",
    "Function",
    "ImmutableValue",
    "IndexOutOfRange",
    "Int",
    "IntegerOverflow",
    "J",
    "J_inverse",
    "List",
    "Maybe",
    "MissingRule",
    "NameTaken",
    "NotAssociative",
    "NotComposable",
    "NotDifferentiable",
    "Object",
    "Product",
    "Real",
    "Record",
    "ShapeMismatch",
    "Sum",
    "Tensor",
    "TooDeep",
    "TooManyRounds",
    "TypeMismatch",
    "UnboundVariable",
    "Unit",
    "Vector",
    "WrongAlternative",
    "WrongDerivative",
    "WrongMode",
    "backend",
    "check_grads",
    "compare",
    "data_parallel",
    "debug_nans",
    "fun",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linear_transpose",
    "linearize",
    "order",
    "plus",
    "primitive",
    "pullback",
    "pushforward",
    "tangent_space",
    "value_and_grad",
    "vjp",
    "with_derivative",
    "xla",
    "zero",
]
__all__ += library.__all__


def __dir__() -> list[str]:
    """What there is for users: not the files that it is made in."""
    return sorted([*__all__, "laws", "__all__", "__doc__", "__name__", "__version__"])


def __getattr__(name: str) -> _Any:
    """``diffcurry.laws``: the law kit, with our own things as its models."""
    if name != "laws":
        message, here = f"module 'diffcurry' has no attribute {name!r}", _modules[__name__]
        raise AttributeError(message, name=name, obj=here)  # Python asks what was meant
    from diffcurry.rooms import law_kit

    return law_kit()
