"""Writing nodes into the current scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.errors import ConcreteValueNeeded, TypeMismatch
from combinators.kit.locate import users_place
from combinators.objects import Object, Tensor, components, element_name
from combinators.operation import Operation, Primitive
from combinators.terms import Const, Prim, Proj, Term, Tuple, Var, const
from combinators.tracing.scope import Scope, check_in_scope, current
from combinators.tracing.traced import LIBRARY, Traced
from combinators.tracing.trees import Face

NUMBERS = (bool, int, float, np.generic, np.ndarray)


def scope_here() -> Scope:
    """The scope that is being traced."""
    scope = current()
    if scope is None:
        raise ConcreteValueNeeded(
            "the language's own functions build terms, and no function is being traced here; "
            "call them inside a function given to fun, grad and the like"
        )
    return scope


def emit(
    obj: Object,
    make: Callable[..., Term],
    operands: tuple[Term, ...],
    captured: tuple[Var, ...] = (),
    wish: str = "v",
) -> Traced:
    """A traced value of type ``obj`` that stands for ``make(*operands)``."""
    scope = scope_here()
    return Traced(scope.bind(obj, make, operands, captured, wish), scope)


def operand(value: Any) -> Term:
    """A number, an array or a traced value as an operand."""
    if isinstance(value, Traced):
        check_in_scope(value.var, value.scope)
        return value.var
    if isinstance(value, (*NUMBERS, list)) and not (isinstance(value, list) and not value):
        return const(value)
    raise _no_number(value)


def _no_number(value: Any) -> TypeMismatch:
    return TypeMismatch(
        "a number or an array was expected here, and this is a "
        f"{type(value).__name__}: {value!r:.60}"
    )


def dtype_of(value: Any) -> Any:
    """What promotion looks at: a dtype, or a Python scalar, which is weak."""
    if isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, Traced):
        return value.dtype
    if not isinstance(value, (*NUMBERS, list)):
        raise _no_number(value)
    return np.asarray(value).dtype


def apply(primitive: Primitive, *args: Any, **parameters: Any) -> Traced:
    """The primitive applied to numbers, arrays and traced tensors."""
    operation = Operation(primitive, tuple(parameters.items()))
    if primitive.promote is None:
        operands = tuple(operand(arg) for arg in args)
    else:
        dtypes = primitive.promote([dtype_of(arg) for arg in args])
        operands = tuple(_promoted(arg, to) for arg, to in zip(args, dtypes, strict=True))
    return emit_operation(operation, operands)


def emit_operation(operation: Operation, operands: tuple[Term, ...]) -> Traced:
    """A node that applies ``operation``, marked with the user's line."""
    place = users_place()
    obj = operation.type(*(term.type for term in operands))
    return emit(obj, lambda *terms: Prim(operation, terms, place), operands)


def _promoted(value: Any, to: np.dtype[Any] | None) -> Term:
    term = operand(value)
    if to is None or (isinstance(term.type, Tensor) and term.type.dtype == element_name(to)):
        return term
    if isinstance(term, Const):
        return const(term.literal.array, to)
    return operand(LIBRARY["astype"](value, to))


def unpack(face: Face | None, whole: Traced) -> Any:
    """A traced value as the container that ``face`` describes, of traced components."""
    product = components(whole.type)
    if product is None or face is None:
        return whole
    parts = []
    for index, (part, child) in enumerate(zip(product.parts, face.children, strict=True)):
        traced = emit(part, lambda term, i=index: Proj(i, term), (operand(whole),), wish="p")
        parts.append(unpack(child, traced))
    return face.build(parts)


def nest(face: Face | None, terms: Iterator[Term]) -> Term:
    """The tuples and records that ``face`` describes, of these leaves."""
    if face is None:
        return next(terms)
    return Tuple(tuple(nest(child, terms) for child in face.children), face.names)


def pack(face: Face | None, leaves: tuple[Term, ...]) -> Term:
    """A container of operands as one operand."""
    if face is None:
        return leaves[0]
    made = nest(face, iter(leaves))
    if all(not isinstance(leaf, Var) for leaf in leaves):
        return made
    return operand(emit(made.type, lambda *terms: nest(face, iter(terms)), leaves, wish="t"))
