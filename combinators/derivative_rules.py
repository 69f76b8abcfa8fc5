"""The programs that a primitive's declared derivative stands for, at given types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from combinators.errors import MissingRule, WrongDerivative
from combinators.objects import Object, Tensor
from combinators.operation import Constant, Linear, Operation, Pair, Pointwise
from combinators.terms import Lam, Prim, Tuple
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.functions import traced
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import is_smooth, tangent_of

Types = tuple[Object, ...]


@cache
def pullback_rule(operation: Operation, types: Types, active: tuple[int, ...]) -> Lam | None:
    """``λ(g, x₁ … xₙ, y). (ḡ₁, …)``: the cotangents of the ``active`` arguments, in order.

    None where all of them are zero.
    """
    result = operation.type(*types)
    smooth = [i for i in active if is_smooth(types[i])]
    if isinstance(operation.primitive.derivative, Constant) or not is_smooth(result) or not smooth:
        return None

    def summed_to(cotangent: Any, obj: Object) -> Any:
        """The transpose of broadcasting."""
        return LIBRARY["sum_to"](cotangent, obj.shape) if isinstance(obj, Tensor) else cotangent

    def rule(g: Any, *values: Any) -> Any:
        cotangents = _pulled(operation, types, g, values[:-1], values[-1])
        return tuple(summed_to(cotangents[i], types[i]) if i in smooth else () for i in active)

    return traced(rule, (tangent_of(result), *types, result))


def transpose_of(operation: Operation, obj: Object) -> Operation | None:
    """The operation that pulls back a linear one of one argument, where its rule is no more.

    >>> from combinators.objects import Product, Real, Sum
    >>> from combinators.primitives.sums import INJECT
    >>> either = Sum(Real, Product(Real, Real))
    >>> transpose_of(Operation(INJECT, (("of", either), ("index", 0))), Real)
    untag[index=0]
    """
    rule = pullback_rule(operation, (obj,), (0,))
    if rule is None:
        return None
    (pulled,) = rule.body.items if isinstance(rule.body, Tuple) else ()
    assert isinstance(pulled, Prim)
    return pulled.operation


@cache
def pushforward_rule(operation: Operation, types: Types, index: int) -> Lam | None:
    """``λ(ẋᵢ, x₁ … xₙ, y). ẏ``: the tangent of the result for one of argument ``index``.

    None where it is zero.
    """
    result = operation.type(*types)
    derivative = operation.primitive.derivative
    if isinstance(derivative, Constant) or not is_smooth(result) or not is_smooth(types[index]):
        return None

    def rule(v: Any, *values: Any) -> Any:
        pushed = _pushed(operation, types, index, v, values[:-1], values[-1])
        if isinstance(result, Tensor) and getattr(pushed, "shape", ()) != result.shape:
            return LIBRARY["broadcast_to"](pushed, result.shape)
        return pushed

    return traced(rule, (tangent_of(types[index]), *types, result))


def _missing(operation: Operation) -> MissingRule:
    return MissingRule(
        f"the primitive {operation.name} declares no derivative; declare it with one, "
        "or wrap it by stop_gradient"
    )


def _pulled(operation: Operation, types: Types, g: Any, xs: Sequence[Any], y: Any) -> Sequence[Any]:
    match operation.primitive.derivative:
        case Pointwise(rule):
            return _one_each(operation, types, rule(g, *xs, y))
        case Linear(transpose):
            args = [t if is_smooth(t) else x for t, x in zip(types, xs, strict=True)]
            return _several(transpose(g, *args, **operation.keywords))
        case Pair(_, pullback):
            return _several(pullback(g, *xs, y, **operation.keywords))
        case _:
            raise _missing(operation)


def _pushed(
    operation: Operation, types: Types, index: int, v: Any, xs: Sequence[Any], y: Any
) -> Any:
    match operation.primitive.derivative:
        case Pointwise(rule):
            return _one_each(operation, types, rule(v, *xs, y))[index]
        case Linear():
            args = [
                v if i == index else LIBRARY["zeros_of"](t) if is_smooth(t) else x
                for i, (t, x) in enumerate(zip(types, xs, strict=True))
            ]
            return emit_operation(operation, tuple(map(operand, args)))
        case Pair(pushforwards, _):
            return pushforwards[index](v, *xs, y, **operation.keywords)
        case _:
            raise _missing(operation)


def _one_each(operation: Operation, types: Types, cotangents: Any) -> Sequence[Any]:
    several = _several(cotangents)
    if len(several) != len(types):
        raise WrongDerivative(
            f"the rule of {operation.name} gives {len(several)} derivatives, "
            f"and it has {len(types)} arguments"
        )
    return several


def _several(cotangents: Any) -> Sequence[Any]:
    return cotangents if isinstance(cotangents, (tuple, list)) else (cotangents,)
