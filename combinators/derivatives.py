"""The forms in which a primitive declares its derivative, in the language itself.

From one declaration every mode takes what it needs: a pushforward for each argument, and one
pullback to all of them. A rule is a Python function on traced values; it is traced once for each
choice of argument types, and so becomes a program like any other.

In a rule, ``v`` stands for the tangent or the cotangent, in which it must be linear, and ``y`` for
the value of the primitive. Products with ``v`` are written ``scale(v, p)`` and ``unscale(v, p)``,
which are 0 wherever ``v`` is, whatever ``p`` is there: a zero cotangent contributes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Rule = Callable[..., Any]


@dataclass(frozen=True)
class Pointwise:
    """``rule(v, *xs, y)`` gives, for each argument, ``∂y/∂xᵢ · v``, element by element.

    A diagonal matrix is its own transpose, so one rule serves both directions.
    """

    rule: Rule


@dataclass(frozen=True)
class Linear:
    """Linear in all smooth arguments together, as ``concatenate``, ``where`` and ``sum`` are.

    ``transpose(g, *types, **parameters)`` gives each argument's cotangent; arguments that are not
    smooth come as values, and get None.
    """

    transpose: Rule


@dataclass(frozen=True)
class Selection(Linear):
    """Linear, and only takes elements of its first argument: ``slice``, ``take``.

    Its transpose is one primitive that puts them in their places among zeros. Reverse modes put
    it off, and put many parts into one array at once.
    """


@dataclass(frozen=True)
class Multilinear:
    """Linear in each smooth argument while the others stand still, as ``matmul`` is.

    ``transposes[i](g, *xs, **parameters)`` gives the cotangent of argument i. A pushforward is the
    primitive itself at the tangent, with the parameters ``tangents`` instead of its own if given.
    """

    transposes: Sequence[Rule]
    tangents: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Weighted:
    """A reduction of ``x`` whose pushforward is ``sum(w * ẋ)`` over the reduced axes.

    ``weights(x, y, **parameters)`` gives ``w``, of the shape of ``x``; ``y`` keeps its axes.
    """

    weights: Rule


@dataclass(frozen=True)
class Pair:
    """Both directions, given apart; one has to be the other's transpose (law L3).

    ``pushforwards[i](v, *xs, y, **parameters)``; ``pullback(v, *xs, y, **parameters)`` gives a
    tuple.
    """

    pushforwards: Sequence[Rule]
    pullback: Rule


@dataclass(frozen=True)
class Constant:
    """Zero wherever it is asked: ``floor``, ``sign``, comparisons, ``stop_gradient``."""


CONSTANT = Constant()

Derivative = Pointwise | Linear | Multilinear | Weighted | Pair | Constant
