"""Whether the rules of a primitive give what tangents and cotangents are."""

from __future__ import annotations

from combinators.derivative_rules import pullback_rule, pushforward_rule
from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Unit, components
from combinators.operation import Operation
from combinators.type_folds import is_smooth

_ZERO = "a derivative of zero is dc.scale(v, 0.0)"


def check_rules(operation: Operation, types: tuple[Object, ...]) -> None:
    """Write both rules down at ``types``, and let through what they raise.

    Raises TypeMismatch where a rule gives nothing, or no value of the type that is expected.
    """
    smooth = tuple(i for i, obj in enumerate(types) if is_smooth(obj))
    try:
        pushforwards = {i: pushforward_rule(operation, types, i) for i in smooth}
        pullback = pullback_rule(operation, types, smooth)
    except (ShapeMismatch, TypeMismatch) as error:
        at = ", ".join(map(repr, types))
        message = f"the rule of {operation.name}, at {at}: {error.args[0]}; {_ZERO}"
        raise type(error)(message, error.place) from None
    for index, rule in pushforwards.items():
        if rule is not None:
            _check(operation, index, rule.body.type, operation.type(*types))
    product = None if pullback is None else components(pullback.body.type)
    if product is not None:
        for index, part in zip(smooth, product.parts, strict=True):
            _check(operation, index, part, types[index])


def _check(operation: Operation, index: int, given: Object, wanted: Object) -> None:
    if given is not wanted:
        what = "nothing (is a return missing?)" if given is Unit else repr(given)
        raise TypeMismatch(
            f"the rule of {operation.name} gives {what} for argument {index}, where {wanted!r} is "
            f"expected; write it with dc.scale(v, ...); {_ZERO}"
        )
