"""``with_derivative``: a function with a derivative of the user's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from combinators.errors import NotDifferentiable, TypeMismatch, WrongDerivative
from combinators.objects import Fun, Object
from combinators.primitives.loops import OVERRIDE
from combinators.terms import packed
from combinators.tracing.emit import emit_operation, unpack
from combinators.tracing.faces import Face
from combinators.tracing.functions import (
    Draft,
    Specialisable,
    Specialised,
    argument_types,
    check_takes,
    coerce,
    function_operand,
)
from combinators.translate import translate
from combinators.type_folds import Layout, is_first_order
from diffcurry.closures import arrow_in
from diffcurry.flat import is_number, leaves, sample
from diffcurry.function import Function
from diffcurry.modes import primal
from diffcurry.signature import signature_of

P = ParamSpec("P")
R = TypeVar("R")


def with_derivative(
    f: Callable[P, R], rule: Callable[..., Any], *, check: bool = True
) -> Function[P, R]:
    """``f`` with ``rule(*args, cotangent)`` for the cotangents of its arguments.

    The rule gives one cotangent for one argument, and a tuple for several. What ``f`` captures
    keeps the cotangents that ``f`` itself gives it. The rule is checked, when it is first typed, to
    be linear in the cotangent. Forward mode transposes the rule, at the cost of running it once for
    each number of the result.

    >>> import diffcurry as dc
    >>> straight_through = with_derivative(lambda x: x * x, lambda x, g: g)
    >>> dc.grad(straight_through)(3.0)
    np.float64(1.0)
    """
    for given, what in ((f, "a function"), (rule, "a rule, a function of arguments and cotangent")):
        if not callable(given):
            raise TypeMismatch(f"with_derivative takes {what}, and {given!r:.60} is not callable")

    def overridden(*args: P.args, **_: P.kwargs) -> R:
        types, faces = argument_types(args)
        known = tuple(obj for obj in types if isinstance(obj, Object))
        if len(known) != len(types) or not all(map(is_first_order, known)):
            raise NotDifferentiable(
                "with_derivative takes functions of numbers and containers of them; "
                "let f capture the functions that it needs"
            )
        function, face = function_operand(f, known, faces)
        assert isinstance(function.type, Fun)
        made = _rule(rule, known, faces, function.type.cod, face)
        if check:
            check_linear(made)
        argument = coerce(args[0] if len(args) == 1 else args, packed(known))
        result: R = unpack(face, emit_operation(OVERRIDE, (function, made.operand(), argument)))
        return result

    overridden.__name__ = getattr(f, "__name__", "overridden")
    shown = signature_of(f) or inspect.signature(lambda *args: args)
    overridden.__signature__ = shown  # type: ignore[attr-defined]  # inspect asks
    known: Any = f
    return Function(overridden, known.types if isinstance(known, Specialisable) else None)


def _rule(
    rule: Callable[..., Any],
    types: tuple[Object, ...],
    faces: tuple[Face | None, ...],
    cod: Object,
    face: Face | None,
) -> Specialised:
    """The rule as a λ of the argument and the cotangent."""
    check_takes(rule, (*types, cod))
    dom = packed(types)
    whole = faces[0] if len(types) == 1 else Face(tuple, (), faces)

    def applied(x: Any, cotangent: Any) -> Any:
        return rule(*((x,) if len(types) == 1 else x), cotangent)

    draft = Draft(applied, (dom, cod), (whole, face), "rule")
    expected = list(leaves(dom))
    if len(expected) != len(draft.leaves):
        raise TypeMismatch(
            f"the rule of with_derivative gives the cotangent of {dom!r}, but this gives "
            f"{draft.object!r}"
        )
    made = draft.finish(expected)
    if made.lam.body.type is not dom:
        raise TypeMismatch(
            f"the rule of with_derivative gives the cotangent of {dom!r}, but this gives "
            f"{made.lam.body.type!r}"
        )
    return made


def check_linear(made: Specialised) -> None:
    """Raise where the rule is not linear in the cotangent, its last argument (L1, L2)."""
    context = (*made.captured, *made.lam.params)
    if not all(is_first_order(var.type) for var in context):
        return
    arrow = arrow_in(primal(), translate(context, made.lam.body))
    random = np.random.default_rng(0)
    *rest, last = (var.type for var in context)
    fixed = [sample(obj, random) for obj in rest]
    first, second = sample(last, random), sample(last, random)
    result = Layout(arrow.cod)

    def run(cotangent: Any) -> list[Any]:
        with np.errstate(all="ignore"):
            return result.flat(arrow.run((*fixed, cotangent)))

    both = run(_difference(last, first, second))
    apart = [x - 2.5 * y for x, y in zip(run(first), run(second), strict=True)]
    for together, separately in zip(both, apart, strict=True):
        if not np.allclose(together, separately, rtol=1e-3, atol=1e-4, equal_nan=True):
            raise WrongDerivative(
                "the rule of with_derivative is not linear in the cotangent: "
                f"rule(x, g - 2.5 h) is {together}, and rule(x, g) - 2.5 rule(x, h) is "
                f"{separately}; let it multiply the cotangent by numbers that depend on x only"
            )


def _difference(obj: Object, g: Any, h: Any) -> Any:
    """``g - 2.5 h``."""
    layout = Layout(obj)
    pairs = zip(layout.leaves, layout.flat(g), layout.flat(h), strict=True)
    return layout.nested(
        (x - 2.5 * y).astype(x.dtype)[()] if is_number(leaf) else x for leaf, x, y in pairs
    )
