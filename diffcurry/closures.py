"""Function values at the border: as arguments, and as results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import TypeMismatch
from combinators.kit.memory import Remembered
from combinators.kit.text import Names
from combinators.morphisms import Label, Morphism, interpret
from combinators.objects import Erased, Fun, Object, Product, Tensor, components
from combinators.spaces import Space
from combinators.terms import Lam, Term, Var
from combinators.tracing.definition import Definition, argument_types, call, traced_apart
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import Draft, Faces, Specialisable, Types
from combinators.tracing.parameters import by_position, parameter_names, positional_types
from combinators.tracing.scope import apart, current
from combinators.tracing.traced import Traced
from combinators.translate import translate
from diffcurry.arguments import is_function
from diffcurry.leaves import SHOWN, fits
from diffcurry.modes import primal
from diffcurry.values import Inwards, Outwards, Step
from interpreters.carriers.duals import Dual, Duals
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Closure, Code, Running, Transport
from interpreters.sparse_cotangents import point_in
from interpreters.staging.function_derivatives import function_term

_ARROWS: Remembered[Running, Remembered[Morphism, Arrow]] = Remembered()
_TRANSPORTS: Remembered[Running, Transport] = Remembered()
_TRANSLATED: Remembered[Lam, Morphism] = Remembered()


def arrow_in(mode: Running, morphism: Morphism) -> Arrow:
    """``morphism`` interpreted in ``mode``, once."""
    arrows: Remembered[Morphism, Arrow] = _ARROWS.of(mode, Remembered)
    return arrows.of(morphism, lambda: interpret(morphism, mode))


def transport(closure: Closure, obj: Fun, mode: Running) -> Any:
    """A closure over NumPy's numbers as a closure of ``mode``."""
    is_dual = isinstance(mode.over, Duals)

    def number(value: Any, _: Object) -> Any:
        return Dual(value) if is_dual else value

    return _TRANSPORTS.of(mode, lambda: Transport(mode, number))(closure, obj)


class FunctionValue(Specialisable):
    """A function that a program returned: callable, and an argument for other programs."""

    def __init__(self, closure: Closure, face: Face | None = None) -> None:
        self.closure = closure
        self.function = closure.code.function
        self.face = face or face_of(self.function.cod)
        self._term: Lam | None = None
        product = components(self.function.dom)
        self.types: tuple[Object, ...] = (
            product.parts if product is not None and product.width != 1 else (self.function.dom,)
        )

    def type(self) -> Object:
        """Its function type."""
        return self.function

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function as a λ of a program, in which what it captured are constants."""
        if self._term is None:
            with apart():
                self._term = function_term(self.closure)
        return self._term, self.face

    def __deepcopy__(self, memo: Any) -> FunctionValue:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """The body as an arrow of the free category, and what it captures."""
        code = self.closure.code
        env = list(self.captured.values())
        return _revived, (code.captured, code.function, code.label, env, self.face)

    @property
    def captured(self) -> Mapping[str, Any]:
        """The captured values, by name."""
        code = self.closure.code
        values = zip(self.closure.env, code.captured.parts, strict=True)
        return dict(zip(code.label.names, (lower(v, o) for v, o in values), strict=True))

    def __repr__(self) -> str:
        names = ", ".join(self.closure.code.label.names)
        return f"<function {self.function!r}{f' capturing {names}' if names else ''}>"

    def __call__(self, *args: Any) -> Any:
        """The function at ``args``."""
        if current() is not None:
            return call(self, args)
        if len(args) != len(self.types):
            raise TypeMismatch(f"{self!r} is called with {len(args)} arguments")
        for index, (arg, obj) in enumerate(zip(args, self.types, strict=True)):
            fits(arg, obj, f"argument {index}")
        mode = primal()
        closure = transport(self.closure, self.function, mode)
        values = tuple(lift(a, o, mode) for a, o in zip(args, self.types, strict=True))
        argument = values[0] if len(self.types) == 1 else values
        return lower(apply(closure, argument, mode), self.function.cod, self.face)


def apply(closure: Closure, argument: Any, mode: Running) -> Any:
    """A function of ``mode`` at a value of ``mode``."""
    with np.errstate(all="ignore"):
        return mode.eval(closure.code.function).run((closure, argument))


def _shown(obj: Object, face: Face | None) -> Step:
    if isinstance(obj, Fun):
        return lambda x, at, meet: FunctionValue(x, face and face.children[0])
    if isinstance(obj, Erased):  # what a function captured, in order
        return lambda x, at, meet: lower(x.value, x.obj)
    return SHOWN.step(obj, face)


_SHOWN = Outwards(_shown)


def lower(value: Any, obj: Object, face: Face | None = None) -> Any:
    """A value of a program as the user gets it, in the containers that ``face`` describes."""
    return _SHOWN(value, obj, face)


class Bound(NamedTuple):
    """A function argument: a λ, the variables that it captures, and their values."""

    lam: Lam
    names: tuple[Var, ...]
    values: tuple[Any, ...]
    captured: tuple[Var, ...] = ()
    """The variables of a trace that the λ mentions."""


def undeclared(function: Any) -> Any:
    """The partial in ``fun(partial(…), Real)``, which only says the types; others as they are.

    A partial of that is one of both, and a derivative of it captures it.
    """
    if hasattr(function, "inner"):
        of = function.inner
        return function if is_static(of) else functools.partial(function.of, of)
    made = function.function if isinstance(function, Definition) else function
    if made is not function and isinstance(made, Definition | FunctionValue):
        return undeclared(made)
    if not isinstance(made, functools.partial):
        return function
    if not isinstance(inner := undeclared(made.func), functools.partial):
        return made
    keywords = inner.keywords | made.keywords
    return functools.partial(inner.func, *inner.args, *made.args, **keywords)


def bound(function: Any, dom: Object) -> Bound:
    """A user's function at an argument type, apart from every trace."""
    made = traced_apart(lambda: specialised(function, dom))
    if made.captured:
        raise TypeMismatch(f"{function!r} captures values of a trace that is over")
    return made


def specialised(function: Any, dom: Object) -> Bound:
    """A function at an argument type, and what it captures: of a partial what it binds too."""
    function = undeclared(function)
    types = positional_types(function, dom)
    faces = tuple(map(face_of, types))
    if isinstance(function, functools.partial):
        return bound_partial(function, types, faces)
    if isinstance(function, Definition):
        made = function.made_at(types, faces)
    else:
        made = Draft(function, types, faces).finish()
    return Bound(made.lam, (), (), made.captured)


class Bindings:
    """What a partial binds, by name: those by position first."""

    def __init__(self, function: functools.partial[Any], more: int = 0) -> None:
        inner: Any = function.func
        self.inner = inner.function if isinstance(inner, Definition) else inner
        self.function = function
        try:
            inspect.signature(self.inner).bind_partial(*function.args, **function.keywords)
        except TypeError as error:
            name = getattr(self.inner, "__name__", repr(self.inner))
            raise TypeMismatch(f"partial binds what {name} does not take: {error}") from None
        fresh = Names()
        names = parameter_names(self.inner, len(function.args) + more)
        self.names = [fresh.fresh(name) for name in names]
        self._placed = self.names[: len(function.args)]
        self.bound: dict[str, Any] = dict(zip(self._placed, function.args, strict=True))
        self.bound |= function.keywords
        self.captured = {name: v for name, v in self.bound.items() if not is_static(v)}

    def opened(self, given: Any) -> list[Any]:
        """What another partial captures, that binds as this one does; LookupError of any other."""
        function = self.function
        counts = len(function.args), len(function.keywords)
        if type(given) is not functools.partial or given.func is not function.func:
            raise LookupError
        if (len(given.args), len(given.keywords)) != counts:
            raise LookupError
        values = (*given.args, *map(given.keywords.__getitem__, function.keywords))
        found = []
        for (name, before), value in zip(self.bound.items(), values, strict=True):
            if name in self.captured:
                found.append(value)
            elif value is not before:
                raise LookupError
        return found

    def remade(self, values: Sequence[Any]) -> functools.partial[Any]:
        """The partial that captures other values."""
        now = self.bound | dict(zip(self.captured, values, strict=True))
        keywords = {name: now[name] for name in self.function.keywords}
        return functools.partial(self.function.func, *map(now.get, self._placed), **keywords)


def bound_partial(
    function: functools.partial[Any], types: tuple[Object, ...], faces: tuple[Face | None, ...]
) -> Bound:
    """A partial at the types of its arguments."""
    bindings = Bindings(function, len(types))
    given = bindings.captured
    taken_types, taken_faces = argument_types(list(given.values()))
    rest = [name for name in bindings.names if name not in bindings.bound][: len(types)]

    def whole(*values: Any) -> Any:
        return bindings.remade(values[: len(given)])(*values[len(given) :])

    made = Draft(
        by_position(whole, [*given, *rest]), (*taken_types, *types), (*taken_faces, *faces)
    ).finish()
    lam = Lam(made.lam.params[len(given) :], made.lam.body, getattr(bindings.inner, "__name__", ""))
    return Bound(lam, made.lam.params[: len(given)], tuple(given.values()), made.captured)


def of_traced(value: Traced, types: tuple[Object, ...]) -> tuple[Any, tuple[Object, ...]]:
    """A function value, inside a trace, as a Python function, and how that is called."""
    if not isinstance(value.type, Fun):
        raise TypeMismatch(f"a function was expected, and this is a traced {value.type!r}")
    dom = value.type.dom
    product = components(dom)

    def of_args(*args: Any) -> Any:
        return value(*args)

    parts = product.parts if product is not None and product.width != 1 else (dom,)
    return of_args, types or parts


def is_static(value: Any) -> bool:
    """Whether ``partial`` binds what has no cotangent: a word, a function that captures nothing."""
    captures = isinstance(undeclared(value), functools.partial | FunctionValue)
    return value is None or isinstance(value, str) or (is_function(value) and not captures)


def lift(value: Any, obj: Object, mode: Running) -> Any:
    """A user's value as one of ``mode``'s, of type ``obj``."""
    return _lifting(mode)(obj, "the value", value)


@functools.lru_cache(maxsize=16)
def _lifting(mode: Running) -> Inwards:
    def leaf(obj: Object) -> Step:
        if isinstance(obj, Fun):
            return lambda x, at, meet: lift_function(x, obj, mode)
        if isinstance(obj, Space):
            return lambda x, at, meet: point_in(
                mode.over, mode.over.lift(obj.declared.array(x, obj), obj.coordinates), obj
            )
        assert isinstance(obj, Tensor)
        return lambda x, at, meet: mode.over.lift(x, obj)

    return Inwards(leaf)


def lift_function(value: Any, obj: Fun, mode: Running) -> Closure:
    """A user's function as a closure of ``mode``."""
    value = undeclared(value)
    if isinstance(value, FunctionValue):
        if value.function is not obj:
            raise TypeMismatch(f"{obj!r} was expected here, and this is {value.function!r}")
        moved: Closure = transport(value.closure, obj, mode)
        return moved
    made = bound(value, obj.dom)
    if made.lam.type is not obj:
        raise TypeMismatch(f"{obj!r} was expected here, and this is {made.lam.type!r}")
    env = tuple(lift(v, var.type, mode) for v, var in zip(made.values, made.names, strict=True))
    morphism = _TRANSLATED.of(made.lam, lambda: translate(made.names, made.lam))
    closure = arrow_in(mode, morphism).run(env)
    assert isinstance(closure, Closure)
    return closure


def _revived(
    captured: Product, function: Fun, label: Label, env: list[Any], face: Face | None
) -> FunctionValue:
    """A function value that was pickled."""
    mode = primal()
    values = tuple(lift(v, o, mode) for v, o in zip(env, captured.parts, strict=True))
    code = Code(arrow_in(mode, label.body), captured, function, label)
    return FunctionValue(Closure(code, values), face)
