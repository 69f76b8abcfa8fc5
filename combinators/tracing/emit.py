"""Writing nodes into the current scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from combinators.errors import ConcreteValueNeeded, TypeMismatch, users_place
from combinators.objects import Tensor, Vector, components, element_name
from combinators.operation import Operation, Primitive, Promotion
from combinators.spaces import SPACES, Space
from combinators.terms import Const, Proj, Term, Tuple, Var, const, prim
from combinators.tracing.faces import Face, face_of, is_large
from combinators.tracing.scope import Scope, check_in_scope, current
from combinators.tracing.traced import LIBRARY, Traced, library

NUMBERS = (bool, int, float, np.generic, np.ndarray)


def from_elsewhere(value: Any) -> Any:
    """An array of another library, such as JAX, as NumPy's; anything else as it is.

    One of NumPy's that holds traced values is the traced array of them.
    """
    if isinstance(value, np.ndarray) and value.dtype == object:
        held = value.ravel().tolist()
        if any(isinstance(element, Traced) for element in held):
            return LIBRARY["reshape"](LIBRARY["stack"](held), value.shape)
    if hasattr(type(value), "__dlpack__") and not isinstance(value, NUMBERS):
        with suppress(Exception):  # a tracer of that library, say, has no numbers
            return np.asarray(value)
    return value


def scope_here() -> Scope:
    """The scope that is being traced."""
    scope = current()
    if scope is None:
        raise ConcreteValueNeeded(
            "the language's own functions build terms, and no function is being traced here; "
            "call them inside a function given to fun, grad and the like"
        )
    return scope


def emit(term: Term, wish: str = "v", captured: tuple[Var, ...] = ()) -> Traced:
    """A traced value that stands for ``term``, whose λs and branches mention ``captured``."""
    scope = current() or scope_here()
    return Traced(scope.bind(term, wish, captured), scope)


def operand(value: Any) -> Term:
    """A number, an array or a traced value as an operand."""
    kind = type(value)
    if kind is Traced:
        made_in: Scope = value.scope
        found: Var = value.variable
        if made_in is not current() or not made_in.is_open:
            check_in_scope(found, made_in)
        return found
    if kind is float:
        return _float(value.hex())
    if kind is Unopened:
        return operand(value.whole)
    if isinstance(value, np.ma.MaskedArray):
        raise TypeMismatch("a masked array would lose its mask; write np.where, or fill it first")
    if kind in SPACES:
        term: Term = LIBRARY["term_of_value"](value)
        return term
    value = from_elsewhere(value)
    if type(value) is Traced:
        return operand(value)
    if isinstance(value, NUMBERS) or (isinstance(value, list) and value):
        return const(value)
    raise _no_number(value)


@lru_cache(maxsize=1 << 10)
def _float(text: str) -> Const:
    return const(float.fromhex(text))


def _no_number(value: Any) -> TypeMismatch:
    call = "; call it, as in f(x)" if callable(value) else ""
    return TypeMismatch(
        "a number or an array was expected here, and this is a "
        f"{type(value).__name__}: {value!r:.60}{call}"
    )


def dtype_of(value: Any) -> Any:
    """What promotion looks at: a dtype, or a Python scalar, which is weak."""
    if isinstance(value, Traced):
        return value.dtype
    if isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
        return value
    value = from_elsewhere(value)
    if isinstance(value, Traced):
        return value.dtype
    if not isinstance(value, (*NUMBERS, list)):
        raise _no_number(value)
    return np.asarray(value).dtype


def apply(primitive: Primitive, *args: Any, **parameters: Any) -> Traced:
    """The primitive applied to numbers, arrays and traced tensors."""
    operation = primitive.plain
    if parameters:
        operation = Operation(primitive, tuple(parameters.items()))
    promote = primitive.promote
    if promote is None or _fit(promote, args):
        return emit_operation(operation, tuple([operand(arg) for arg in args]))
    kinds = [dtype_of(arg) for arg in args]
    if primitive.logic is not None and np.result_type(*kinds) == np.bool_:
        logical: Traced = primitive.logic(*args)
        return logical
    pairs = zip(args, promote(kinds), strict=True)
    return emit_operation(operation, tuple([_promoted(arg, to) for arg, to in pairs]))


def _fit(promote: Promotion, args: tuple[Any, ...]) -> bool:
    """Whether the primitive takes the types of the arguments, as of most tensors and floats."""
    names: list[str] = []
    for arg in args:
        obj = arg.variable.type if type(arg) is Traced else None
        if isinstance(obj, Tensor):
            names.append(obj.dtype)
        elif type(arg) is float:
            names.append(_FLOAT)
        else:
            return False
    return _promotes(promote, *names)


_FLOAT = ""
"""Stands for the type of a Python float, which is weak."""


@lru_cache(maxsize=1 << 10)
def _promotes(promote: Promotion, *names: str) -> bool:
    """Whether a primitive takes tensors of these types, and Python floats, as they are."""
    taken = promote([0.0 if name is _FLOAT else np.dtype(name) for name in names])
    return all(
        to is None or element_name(to) == (name or "float64")
        for name, to in zip(names, taken, strict=True)
    )


def emit_operation(operation: Operation, operands: tuple[Term, ...]) -> Traced:
    """A node that applies ``operation``, marked with the user's line."""
    obj = operation.type(*[term.type for term in operands])
    return emit(prim(obj, operation, users_place(), *operands))


def check_fits(number: int, to: np.dtype[Any]) -> None:
    """Raise where an integer is too large for an integer type."""
    info = np.iinfo(to)
    if not info.min <= number <= info.max:
        raise TypeMismatch(
            f"{number} does not fit into {to}, which holds {info.min} to {info.max}; "
            "convert the array first, as by x.astype(int)"
        )


def _promoted(value: Any, to: np.dtype[Any] | None) -> Term:
    term = operand(value)
    if to is None:
        return term
    obj = term.type
    if isinstance(obj, Tensor) and obj.dtype == element_name(to):
        return term
    if isinstance(term, Const):
        if to.kind in "iu" and term.literal.array.ndim == 0:
            check_fits(term.literal.array.item(), to)
        return const(term.literal.array, to)
    return operand(LIBRARY["astype"](value, to))


def unpack(face: Face | None, whole: Traced) -> Any:
    """A traced value as the container that ``face`` describes, of traced components."""
    if type(whole) in SPACES:
        return whole
    if is_large(whole.type) and (face is None or face.is_plain):
        return Unopened(whole)
    if face is None:
        return opened(whole) if isinstance(whole.type, Space) else whole
    if face.is_function:
        whole.scope.functions[whole.variable.name] = face
        return whole
    return face.build(
        [unpack(child, _part(whole, i, face.word(i))) for i, child in enumerate(face.children)]
    )


def opened(whole: Traced) -> Any:
    """A traced value of a type of the user's, as the user's own, of traced fields."""
    obj = whole.type
    assert isinstance(obj, Space)
    return LIBRARY["value_of"](obj.declared, LIBRARY["coordinates"](whole), whole.variable)


def _part(whole: Traced, index: int, word: str) -> Traced:
    traced = emit(Proj(index, operand(whole)), f"{whole.variable.name}_{word}")
    traced.scope.parts[traced.variable.name] = (whole.variable, index)
    return traced


class Unopened(tuple[Any, ...]):  # noqa: SLOT001 (a tuple has no room for slots)
    """A tuple of parts that share so much that they are taken as they are asked for.

    ``p = (p, p)``, twenty times over, has a million leaves, of which a program may want one.
    """

    whole: Traced
    _parts: dict[int, tuple[Traced, Any]]

    def __new__(cls, whole: Traced) -> Unopened:
        """The tuple that ``whole`` is."""
        made = super().__new__(cls)
        made.whole = whole
        made._parts = {}
        return made

    def _at(self, index: int) -> Any:
        part, value = self._parts.get(index, (None, None))
        if part is None or not part.scope.encloses(current()):
            part = _part(self.whole, index, str(index))
            value = unpack(face_of(part.type), part)
            self._parts[index] = part, value
        return value

    def __len__(self) -> int:
        """How many components there are."""
        product = components(self.whole.type)
        return product.width if product is not None else 0

    def __bool__(self) -> bool:
        """Whether there are any."""
        return len(self) > 0

    def __iter__(self) -> Iterator[Any]:
        """Over the components."""
        return map(self._at, range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        """A component, or a tuple of some."""
        chosen = range(len(self))[index]
        return self._at(chosen) if isinstance(chosen, int) else tuple(map(self._at, chosen))

    def __add__(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        """The components of both."""
        return (*self, *other)

    def __radd__(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        """The components of both."""
        return (*other, *self)

    def __eq__(self, other: object) -> bool:
        """The same value."""
        return isinstance(other, Unopened) and other.whole.variable is self.whole.variable

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """As the value that it is."""
        return repr(self.whole)


def expanded(value: Any) -> Any:
    """A value with all its leaves."""
    return tuple(map(expanded, value)) if isinstance(value, (tuple, Unopened)) else value


@library("item", word=False)
def item(vector: Traced, index: Any) -> Any:
    """``fs[2]``, a value of a vector; the index is a static integer."""
    obj = vector.type
    assert isinstance(obj, Vector)
    if not isinstance(index, (int, np.integer)) or not -obj.length <= index < obj.length:
        raise TypeMismatch(
            f"{vector!r} is indexed by {index!r:.60}; a vector takes one integer, known while "
            f"tracing, between {-obj.length} and {obj.length - 1}; for them all write fold or map"
        )
    at = int(index) % obj.length
    return unpack(face_of(obj.item), emit(Proj(at, operand(vector)), "p"))


def nest(face: Face | None, terms: Iterator[Term]) -> Term:
    """The tuples and records that ``face`` describes, of these leaves."""
    if face is None or face.is_function:
        return next(terms)
    items = tuple([nest(child, terms) for child in face.children])
    made = Tuple(items, face.names)
    whole = whole_of(items)
    return whole if whole is not None and whole.type is made.type else made


def pack(face: Face | None, leaves: tuple[Term, ...]) -> Term:
    """A container of operands as one operand."""
    if face is None or face.is_function:
        return leaves[0]
    made = nest(face, iter(leaves))
    if isinstance(made, Var) or all(not isinstance(leaf, Var) for leaf in leaves):
        return made
    return operand(emit(made, "t"))


def whole_of(leaves: Sequence[Term]) -> Var | None:
    """The value of which ``leaves`` are all the components, in order: what is only passed on."""
    parts = scope_here().parts
    found = [parts.get(leaf.name) if isinstance(leaf, Var) else None for leaf in leaves]
    if not found or found[0] is None:
        return None
    whole = found[0][0]
    return whole if found == [(whole, index) for index in range(len(leaves))] else None
