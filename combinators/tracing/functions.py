"""Python functions as function values of the language.

A Python function is run once, on traced arguments, and becomes a λ that captures the traced values
it mentions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import (
    ConcreteValueNeeded,
    DiffcurryError,
    ImmutableValue,
    ShapeMismatch,
    TypeMismatch,
)
from combinators.objects import Fun, Mu, Object, Sum, Tensor, Unit, components
from combinators.spaces import SPACES
from combinators.terms import Lam, Term, Tuple, Var, const, packed
from combinators.tracing.emit import (
    NUMBERS,
    Unopened,
    emit,
    expanded,
    from_elsewhere,
    nest,
    operand,
    pack,
    unpack,
)
from combinators.tracing.faces import (
    Face,
    face_of,
    face_of_function,
    laid,
    object_of,
    open_up,
    put_together,
    take_apart,
    with_functions,
)
from combinators.tracing.parameters import alike, check_takes, parameter_names, positional_types
from combinators.tracing.refusals import NoNumber
from combinators.tracing.scope import Scope, apart, current, entered
from combinators.tracing.traced import LIBRARY, Traced

Faces = tuple[Face | None, ...]


class Untyped(NamedTuple):
    """Stands for the type of a function argument that is typed when it is first called."""

    function: Any

    def __repr__(self) -> str:
        return "a function"


Types = tuple[Object | Untyped, ...]


class Specialised(NamedTuple):
    """A Python function at given types: the λ, what it captures, and the face of its result."""

    lam: Lam
    captured: tuple[Var, ...]
    face: Face | None

    def operand(self) -> Term:
        """The function value, in the current scope."""
        if not self.captured:
            return self.lam
        wish = self.lam.name or "f"
        return operand(emit(self.lam, wish, self.captured))


class Specialisable(NoNumber, ABC):
    """A function value whose type follows from its arguments', where ``types`` is None."""

    types: tuple[Object, ...] | None = None

    def __call__(self, *args: Any) -> Any:
        """Inside a traced function: an application of this function value."""
        return LIBRARY["call"](self, args)

    def __rshift__(self, then: Any) -> Any:
        """``f >> g``: first f, then g."""
        return LIBRARY["compose"](self, then)

    def __rrshift__(self, first: Any) -> Any:
        """``f >> g`` of a Python function f."""
        return LIBRARY["compose"](first, self)

    @abstractmethod
    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function value at these argument types, and the face of its result."""

    def type(self) -> Object | None:
        """The type, where that of the arguments is known."""
        if self.types is None:
            return None
        return self.at(self.types, tuple(map(face_of, self.types)))[0].type


class Pending(Specialisable):
    """A function argument before its first call, which gives it its type."""

    def __init__(self, scope: Scope, wish: str, source: Any) -> None:
        """The parameter ``wish`` of ``scope``, for which ``source`` will stand."""
        self.scope, self.wish, self.source = scope, wish, source
        self.var: Var | None = None
        self.face: Face | None = None

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The parameter, once it is known that it takes these types."""
        return operand(Traced(self._typed(types, faces), self.scope)), self.face

    def _typed(self, types: Types, faces: Faces) -> Var:
        """The parameter, typed by what it stands for at the first call."""
        if self.var is None:
            if isinstance(self.source, Pending):
                obj: Object = self.source._typed(types, faces).type
                self.face = self.source.face
            else:
                with entered(self.scope.parent or Scope(None, "the caller")):
                    term, self.face = function_operand(self.source, types, faces)
                obj = term.type
            self.var = self.scope.parameter(self.wish, obj)
        expected = self.var.type
        known = [obj for obj in types if isinstance(obj, Object)]
        if isinstance(expected, Fun) and len(known) == len(types):
            given = packed(tuple(known))
            if not alike(given, expected.dom):
                raise TypeMismatch(
                    f"the function {self.wish} : {expected!r} is called on {given!r} too; "
                    "a function argument has one type"
                )
        return self.var

    def parameter(self) -> Var:
        """The parameter; one that nothing called is a Unit."""
        if self.var is None:
            self.var = self.scope.parameter(self.wish, Unit)
        return self.var


class Natural:
    """The type of a leaf, which a leaf may be itself; a Python scalar's is weak and yields."""

    __slots__ = ("type", "weak")

    def __init__(self, type: Object, weak: bool) -> None:
        self.type, self.weak = type, weak


class Laid:
    """A value in the containers in which it comes, the types of whose leaves are known."""

    scope: Scope | None

    def __init__(self, face: Face | None, leaves: Sequence[Any]) -> None:
        self.scope = current()
        self.take(face, leaves)

    def take(self, face: Face | None, leaves: Sequence[Any]) -> None:
        """Be the value with this face and these leaves."""
        self.face, self.leaves = face, leaves
        self.naturals = [natural(leaf) for leaf in leaves]

    @property
    def value(self) -> Any:
        """What was taken apart."""
        return put_together(self.face, iter(self.leaves))

    @property
    def types(self) -> list[Object]:
        """Of its leaves."""
        return [leaf.type for leaf in self.naturals]

    @property
    def obj(self) -> Object:
        """Its type, where nothing else is expected of it."""
        return object_of(self.face, iter(self.types))

    def open(self) -> None:
        """Look at every leaf, as where it is compared with another's."""
        with entered(self.scope):
            self.take(*take_apart(expanded(self.value)))

    def lay(self, face: Face | None, types: Sequence[Object]) -> bool:
        """Take it apart as ``face`` says, if it can be: of a sum a leaf is a container."""
        with entered(self.scope):
            leaves = laid(self.value, face, iter(types))
        if leaves is not None:
            self.face, self.leaves = face, leaves
            self.naturals = [
                Natural(obj, weak=False) if isinstance(obj, Sum | Mu) else natural(leaf)
                for leaf, obj in zip(leaves, types, strict=True)
            ]
        return leaves is not None


class Draft(Laid):
    """A Python function that was run on traced arguments, before its λ is written down."""

    scope: Scope

    def __init__(
        self,
        function: Callable[..., Any],
        types: Types,
        faces: Faces,
        name: str = "",
        key: Any = None,
        said: str = "",
    ) -> None:
        """Run ``function`` on traced arguments of these types, in a scope of its own.

        ``said`` is what it should be, in words.
        """
        self.name = name
        owner = f"the function {name}" if name else "a λ or a branch"
        self.scope = Scope(current(), owner, key)
        self._params: list[Var | Pending] = []
        try:
            with entered(self.scope):
                arguments = self._arguments(parameter_names(function, len(types)), types, faces)
                check_takes(function, types, said)
                self.take(*take_apart(function(*arguments)))
        except BaseException as error:
            self.scope.is_open = False
            if isinstance(error, DiffcurryError):
                error.is_named = True  # what calls this function is not what went wrong
            if isinstance(error.__cause__, ConcreteValueNeeded):
                # NumPy asked for a float, and says that a sequence is no element of an array.
                raise ImmutableValue(
                    "a traced value is put into an array of NumPy's, which holds numbers; write "
                    "out = set_at(out, i, x), or make an array of traced values: "
                    "np.array([...]), map, or build(n, lambda i: ...)",
                    error.__cause__.place,
                ) from None
            raise

    def _arguments(self, wishes: Sequence[str], types: Types, faces: Faces) -> list[Any]:
        arguments: list[Any] = []
        for wish, obj, face in zip(wishes, types, faces, strict=True):
            if isinstance(obj, Untyped):
                pending = Pending(self.scope, wish, obj.function)
                self._params.append(pending)
                arguments.append(pending)
            else:
                var = self.scope.parameter(wish, obj)
                self._params.append(var)
                arguments.append(unpack(face, Traced(var, self.scope)))
        return arguments

    def finish(self, expected: Sequence[Object] | None = None) -> Specialised:
        """Write down the λ; its result's leaves become what is ``expected``."""
        wanted = expected or self.types
        with entered(self.scope):
            made = [_coerced(leaf, obj) for leaf, obj in zip(self.leaves, wanted, strict=True)]
            body, captured = self.scope.close(nest(self.face, iter([term for term, _ in made])))
        params = tuple(p.parameter() if isinstance(p, Pending) else p for p in self._params)
        faces = [face for _, face in made]
        face = with_functions(self.face, iter(faces)) if any(faces) else self.face
        return Specialised(Lam(params, body, self.name), captured, face)


PARTIAL: dict[type, Callable[[Any], Object]] = {}
"""The types of values of which a part is known: what is not yields to another's, as a weak one."""


def traced(function: Callable[..., Any], types: tuple[Object, ...], faces: Faces = ()) -> Lam:
    """The closed λ that a Python function is at these types."""
    with apart():
        return Draft(function, types, faces or (None,) * len(types)).finish().lam


def natural(leaf: Any) -> Natural:
    """The type that a leaf has by itself."""
    known: Object | None = None
    if isinstance(leaf, Traced):
        known = leaf.type
    elif type(leaf) is Unopened:
        known = leaf.whole.type
    elif isinstance(leaf, Pending) and leaf.var is not None:
        known = leaf.var.type
    elif isinstance(leaf, Specialisable):
        known = leaf.type()
    elif type(leaf) in SPACES:
        declared = SPACES[type(leaf)]
        known = declared.space(*(natural(part).type for part in declared.parts(leaf)))
    elif type(leaf) is Natural:
        return leaf
    if known is not None:
        return Natural(known, weak=False)
    if isinstance(leaf, np.ma.MaskedArray):
        operand(leaf)
    leaf = from_elsewhere(leaf)
    if isinstance(leaf, Traced):
        return Natural(leaf.type, weak=False)
    if isinstance(leaf, NUMBERS):
        weak = isinstance(leaf, (bool, int, float)) and not isinstance(leaf, np.generic)
        array = np.asarray(leaf)
        return Natural(Tensor(array.shape, array.dtype), weak)
    if type(leaf) in PARTIAL:
        return Natural(PARTIAL[type(leaf)](leaf), weak=True)
    if callable(leaf):
        raise TypeMismatch(
            "a Python function is stored or returned as a value, and its type is not known; "
            "give the types of its arguments, as in fun(f, Real)"
        )
    raise TypeMismatch(
        f"values of the language are numbers, arrays, functions and containers of them, "
        f"and this is a {type(leaf).__name__}: {leaf!r:.60}"
    )


def coerce(value: Any, obj: Object) -> Term:
    """``value`` as an operand of type ``obj``; a weak Python scalar takes its dtype."""
    return _coerced(value, obj)[0]


def _coerced(value: Any, obj: Object) -> tuple[Term, Face | None]:
    """The operand, and the face of a function."""
    face = None
    if isinstance(obj, Sum | Mu):
        return LIBRARY["as_sum"](value, obj), None
    if obj is Unit and (callable(value) or isinstance(value, bool)):
        return Tuple(()), None  # a function that nothing calls, or a truth that is known
    if components(obj) is not None:
        return _coerce_container(value, obj), None
    if isinstance(obj, Fun) and callable(value):
        types = () if isinstance(value, Traced) else positional_types(value, obj.dom)
        term, shown = function_operand(value, types, tuple(map(face_of, types)))
        face = face_of_function(shown, obj.cod)
    elif type(value) in (tuple, list, dict):
        raise TypeMismatch(f"{obj!r} was expected here, and this is {value!r:.60}")
    elif isinstance(obj, Tensor) and natural(value).weak and obj.shape == ():
        if np.result_type(obj.dtype, value) != np.dtype(obj.dtype):
            raise TypeMismatch(f"{value!r} does not fit into {obj!r}")
        term = const(value, obj.dtype)
    else:
        term = operand(value)
    if term.type is obj:
        return term, face
    message = f"{obj!r} was expected here, and this is {term.type!r}"
    if not isinstance(obj, Tensor) or not isinstance(term.type, Tensor):
        raise TypeMismatch(message)
    if obj.shape != term.type.shape:
        raise ShapeMismatch(message)
    raise TypeMismatch(f"{message}; convert it with .astype")


def _coerce_container(value: Any, obj: Object) -> Term:
    whole = value.whole if type(value) is Unopened else value
    if isinstance(whole, Traced) and whole.type is obj:
        return operand(whole)
    value = tuple(value) if type(value) is Unopened else value
    product, opened, face = components(obj), open_up(value), take_apart(value)[0]
    if product is None or opened is None or face is None or len(opened[2]) != product.width:
        raise TypeMismatch(f"{obj!r} was expected here, and this is {value!r:.80}")
    if face.names != getattr(obj, "names", None):
        raise TypeMismatch(f"{obj!r} was expected here, and the names are {face.names}")
    parts = tuple(coerce(part, to) for part, to in zip(opened[2], product.parts, strict=True))
    return pack(Face(face.kind, face.keys, (None,) * product.width), parts)


def function_operand(function: Any, types: Types, faces: Faces) -> tuple[Term, Face | None]:
    """Anything callable as an operand, at these argument types, and the face of its result."""
    if isinstance(function, Traced):
        term = operand(function)
        known = function.scope.functions.get(function.variable.name)
        plain = face_of(term.type.cod) if isinstance(term.type, Fun) else None
        return term, plain if known is None else known.children[0]
    if isinstance(function, Specialisable):
        return function.at(types, faces)
    made = Draft(function, types, faces).finish()
    return made.operand(), made.face
