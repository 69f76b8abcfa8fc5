"""J, J⁻¹, 0 and ⊕ (001, section 4): words of the language, closed under derivatives.

>>> cube = lambda x: x * x * x
>>> value, pullback = J(cube)(2.0)
>>> value, pullback(1.0), J_inverse(J(cube)) is cube
(np.float64(8.0), (np.float64(12.0),), True)
>>> plus(zero((2.0, 3)), (1.5, None))
(np.float64(1.5), None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from combinators.errors import TypeMismatch
from combinators.kit.recursion import recurse
from diffcurry.function_cotangents import sum_of
from diffcurry.rep_function import Pulled
from diffcurry.transforms import vjp


def J(f: Callable[..., Any]) -> Callable[..., Any]:
    """The rep-function ``x ↦ (f x, pullback)``, again a function: what ``vjp(f)`` gives."""
    found = vjp(f)
    found.given = f
    return cast("Callable[..., Any]", found)


def J_inverse(rep: Callable[..., Any]) -> Callable[..., Any]:
    """The function of which ``J`` gave ``rep``; raises TypeMismatch of any other."""
    if not isinstance(rep, Pulled):
        raise TypeMismatch(f"J_inverse takes what J gave, and this is {rep!r:.60}")
    return cast("Callable[..., Any]", vars(rep).get("given", rep.inner))


def zero(x: Any) -> Any:
    """The zero that matches ``x``: of its form, and of a function one of what it captured."""
    return vjp(lambda x: 0.0, x)[1](0.0)[0]


def plus(v: Any, w: Any) -> Any:
    """The sum of two cotangents of one value; None is zero. TypeMismatch: they do not conform."""
    return recurse(sum_of(v, w))
