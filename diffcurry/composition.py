"""Combinators written by hand: ``>>``, and words that make functions of functions.

``f >> g`` is first f, then g. What f gives is the argument of g, or the arguments, where it is a
tuple and g takes several. A typed function gives a typed one; the others take whatever they get.

>>> import numpy as np
>>> from combinators.objects import Real
>>> from diffcurry.decorator import fun
>>> from diffcurry.transforms import grad
>>> distance = fork(proj(0) >> np.square, proj(1) >> np.square) >> np.add >> np.sqrt
>>> distance(3.0, 4.0), grad(distance)(3.0, 4.0)
(np.float64(5.0), np.float64(0.6000000000000001))
>>> fun(lambda x: x > 0, Real) >> fun(np.sin, Real)
Traceback (most recent call last):
    ...
combinators.errors.NotComposable: ...: cannot form f >> g: <lambda> gives Bool, sin takes Real
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from combinators.errors import NotComposable, ShapeMismatch, TypeMismatch
from combinators.objects import Fun, Object, Product, Unit, Vector
from combinators.terms import packed
from combinators.tracing.definition import argument_types, taken
from combinators.tracing.faces import face_of, open_up
from combinators.tracing.functions import Specialisable, coerce
from combinators.tracing.parameters import positional_types
from combinators.tracing.scope import current
from combinators.tracing.traced import Traced, library
from diffcurry.function import Function

Types = tuple[Object, ...]


def _given(f: Any) -> Object | None:
    """The type of what a typed function gives; what it reads is remembered."""
    obj = f.type if isinstance(f, Traced) else None
    if isinstance(f, Function) and f.types is not None and current() is None:
        obj = f.traced(f.types, tuple(map(face_of, f.types))).lam.type
    elif isinstance(f, Specialisable):
        obj = f.type()
    return obj.cod if isinstance(obj, Fun) else None


def _name(f: Any) -> str:
    return f.variable.name if isinstance(f, Traced) else getattr(f, "__name__", repr(f))


def _typed(
    function: Callable[..., Any], name: str, types: Types | None, *held: Any
) -> Function[..., Any]:
    """``function`` of what it is made of, which it captures, as far as that captured."""
    made: Any = partial(function, *held) if held else function
    made.__name__ = name
    return Function(made, types)


def _not_composable(f: Any, g: Any, given: Object, wanted: Types) -> NotComposable:
    ends = f"{_name(f)} gives {given!r}, {_name(g)} takes {packed(wanted)!r}"
    return NotComposable(f"cannot form f >> g: {ends}")


@library("compose", word=False)
def compose(f: Any, g: Any) -> Function[..., Any]:
    """``f >> g``: first f, then g; raises NotComposable where their types differ."""
    for one in sorted((f, g), key=lambda one: not isinstance(one, Traced)):
        if not callable(one) or (isinstance(one, Traced) and not isinstance(one.type, Fun)):
            raise TypeMismatch(
                f">> of {one!r:.60} composes functions, and this is none; of numbers x >> n is "
                "x // 2**n"
            )
    given, wanted = _given(f), taken(g)
    if given is not None and wanted is not None and packed(wanted) is not given:
        raise _not_composable(f, g, given, wanted)

    return _typed(_composed, f"{_name(f)} >> {_name(g)}", taken(f), f, g)


def _composed(f: Any, g: Any, *xs: Any) -> Any:
    y, wanted = f(*xs), taken(g)
    width = len(y) if isinstance(y, tuple | list) else 1
    several = positional_types(g, Product(*[Unit] * width)) if wanted is None else wanted
    args = (y,) if len(several) == 1 else tuple(y)
    if wanted is not None:
        _check_takes(f, g, args, wanted)
    return g(*args)


def _check_takes(f: Any, g: Any, args: tuple[Any, ...], wanted: Types) -> None:
    """Raise where a typed function does not take what an untyped one gives."""
    try:
        for arg, obj in zip(args, wanted, strict=True):
            coerce(arg, obj)
    except (ShapeMismatch, TypeMismatch, ValueError):
        given = [obj for obj in argument_types(args)[0] if isinstance(obj, Object)]
        raise _not_composable(f, g, packed(tuple(given)), wanted) from None


@Function
def identity(*xs: Any) -> Any:
    """What it is given; of several arguments, their tuple.

    >>> identity(2.0), identity(1.0, 2.0)
    (np.float64(2.0), (np.float64(1.0), np.float64(2.0)))
    """
    return xs[0] if len(xs) == 1 else xs


@Function
def eval(f: Callable[..., Any], *xs: Any) -> Any:
    """``f(x)``: the combinator ``(A ⇒ B) × A → B``.

    >>> eval(lambda x: x * x, 3.0)
    np.float64(9.0)
    """
    return f(*xs)


def const(value: Any) -> Function[..., Any]:
    """``λx. value``: of any arguments the same.

    ``value`` is a number, an array, a function of the language, or a container of them.

    >>> const((1.0, {"a": 2.0}))(5.0)
    (np.float64(1.0), {'a': np.float64(2.0)})
    """
    if callable(value) and open_up(value) is None and taken(value) is None:
        raise TypeMismatch(
            f"const of {_name(value)}, of which the types are not known; say them, as in "
            "const(fun(f, Real))"
        )
    return _typed(lambda value, *_: value, "const", None, value)


def proj(index: int | str) -> Function[..., Any]:
    """``πᵢ``: the component of a product, or the argument, in this place, or of this name.

    >>> proj(1)(3.0, 4.0), proj("a")({"a": 1.0, "b": 2.0})
    (np.float64(4.0), np.float64(1.0))
    """

    def component(*xs: Any) -> Any:
        whole = xs[0] if len(xs) == 1 else xs
        if isinstance(whole, Traced) and isinstance(whole.type, Vector):
            return whole[index]
        opened = open_up(whole)
        _, keys, parts = opened or (None, (), ())
        at = keys.index(index) if index in keys else index
        if not isinstance(at, int) or not 0 <= at < len(parts):
            raise TypeMismatch(f"proj: {whole!r:.80} has no component {index!r}")
        return parts[at]

    return _typed(component, f"proj({index!r})", None)


def fork(*functions: Callable[..., Any]) -> Function[..., Any]:
    """``⟨f, g, …⟩``, the paper's prod: what each gives of the same arguments, as a tuple.

    >>> fork(identity, lambda x: x * x)(3.0)
    (np.float64(3.0), np.float64(9.0))
    """
    types = next((found for found in map(taken, functions) if found is not None), None)
    names = ", ".join(map(_name, functions))
    return _typed(_each, f"({names})", types, functions)


def _each(functions: tuple[Callable[..., Any], ...], *xs: Any) -> Any:
    return tuple(f(*xs) for f in functions)


def curry(f: Callable[..., Any]) -> Callable[..., Any]:
    """``λx. λy. f(x, y)``: it splits off the last argument, as the combinator of that name does.

    A typed function gives a typed one, which can be stored and passed on.

    >>> curry(lambda x, y: x * y)(2.0)(3.0)
    6.0
    """
    types = taken(f)

    def others(f: Any, *xs: Any) -> Any:
        last = partial(eval.function, f, *xs)
        return last if types is None else Function(last, types[-1:])

    return partial(others, f) if types is None else _typed(others, "curry", types[:-1], f)


def uncurry(f: Callable[..., Any]) -> Callable[..., Any]:
    """``λ(x, y). f(x)(y)``: the inverse of ``curry``.

    >>> uncurry(lambda x: lambda y: x - y)(5.0, 3.0)
    2.0
    """
    types, then = taken(f), _given(f)
    both = partial(lambda f, *xs: f(*xs[:-1])(xs[-1]), f)
    if types is None or not isinstance(then, Fun):
        return both
    return Function(both, (*types, then.dom))
