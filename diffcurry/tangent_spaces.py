"""``tangent_space``: T[v] of a value, shown; of a class of the user's, declared."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Real, Tensor
from combinators.spaces import SPACES, Declared, Space, coordinates_of
from combinators.tracing.classes import KNOWN
from combinators.tracing.functions import Draft, natural
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import tangent_of
from diffcurry.function import Function
from diffcurry.function_cotangents import space_of
from diffcurry.primitive import asked_for_laws, declared_before
from diffcurry.transforms import vjp
from interpreters.carriers import space_values  # noqa: F401 (it registers values)

Rule = Callable[[Any, Any], Any]


def tangent_space(
    value: Any,
    *,
    mode: str = "dependent",
    tangent: Any = None,
    at: Any = None,
    arrive: Rule | None = None,
    project: Rule | None = None,
    move: Rule | None = None,
    leave: Rule | None = None,
    nearby: Callable[[Any], Any] | None = None,
    plus: Rule | None = None,
    zero: Any = 0.0,
    check: bool = True,
) -> Any:
    """T[v] of a value; with ``tangent=``, what it is of the values of a class, which is declared.

    In the dependently-typed form (Definition 5.2 of 004) T[v] of a function is the record of the
    tangent spaces of what it captured; in ``mode="simple"`` (Fig. 6) it is the lists of its calls.
    A function has to say its types, as what ``fun(f, Real)`` gives and what a program returned do.

    >>> from functools import partial
    >>> from diffcurry import Real, fun
    >>> line = fun(partial(lambda a, x: a * x, 2.0), Real)
    >>> tangent_space(line), tangent_space(line, mode="simple"), tangent_space(3)
    ({a: Real}, [(Real, Real)], Unit)

    A class is a dataclass of one array, or of numbers: its *coordinates*. In the language its
    values are those of a type of its own, which is given back, and all derivatives by them are of
    ``tangent``: a type such as ``Tensor((3,))``, ``np.ndarray`` or ``float`` for whatever array or
    number arrives, or a dataclass of tangents (004, section 6.2). The rules are written in the
    language, and are linear in their second argument:

    - ``arrive(x, g)``: the cotangent of x where that of its coordinates is the array g;
    - ``project(x, u)``: the tangent along which the coordinates move by u; by default ``arrive``;
    - ``move(x, v)``, ``leave(x, w)``: their transposes, by default those.

    ``at`` is a value of the class, and ``nearby(a)`` one whose coordinates are near to the array a,
    by default a itself; a value that is not near to its own raises DomainError where it is given to
    a program. ``plus`` adds two tangents of a class and ``zero`` is what adds nothing, if
    not by coordinates; then ``move`` and ``leave`` have to be said where they are used. The laws of
    tangent spaces (docs/laws.md) are asked at ``at`` and near it. Raises WrongDerivative with a
    counterexample where one fails, and TypeMismatch where a rule gives another type.

    >>> from dataclasses import dataclass
    >>> import diffcurry as dc
    >>> @dataclass(frozen=True)
    ... class Angle:
    ...     turn: float
    >>> tangent_space(Angle, tangent=Real, at=Angle(0.0), arrive=lambda x, g: g)
    Angle
    >>> dc.grad(lambda a: dc.sin(a.turn))(Angle(0.0)), tangent_space(Angle(1.0))
    (np.float64(1.0), Real)
    """
    if tangent is None:
        said = "of a class it is declared, by tangent=, at= and arrive=; of a value, give the value"
        rules = (at, arrive, project, move, leave, nearby, plus)
        _insist(not isinstance(value, type) and rules.count(None) == len(rules), said)
        _insist(mode in ("dependent", "simple"), f"mode= is dependent or simple, not {mode!r:.60}")
        return space_of(value, mode)
    is_type = isinstance(tangent, Object) or _is_data(tangent)
    is_type = is_type or tangent is np.ndarray or tangent is float
    _insist(is_type, f"tangent= is a type, np.ndarray, float or a dataclass, not {tangent!r:.60}")
    _insist(
        _is_data(value) and bool(fields(value)),
        f"it is declared of a dataclass of one array, or of numbers, and not of {value!r:.60}",
    )
    name = value.__name__
    _insist(isinstance(at, value), f"at= is a value of {name}, at which laws are asked: {at!r:.60}")
    _insist(callable(arrive), f"arrive= says how a cotangent of a {name} arrives, as (x, g) ↦ …")
    assert arrive is not None
    project = project or arrive
    with ExitStack() as undo:
        _undeclare(undo, value)
        if _is_data(tangent):
            _undeclare(undo, tangent)
            _declare_tangents(tangent, plus, zero)
        else:
            _insist(plus is None, "plus= adds the tangents of a class; let tangent= be a dataclass")
        SPACES[value] = Declared(
            value,
            arrive=arrive,
            move=move or _transposed(arrive),
            project=project,
            leave=leave or _transposed(project),
            tangent_of=cache(lambda space: _tangent_of(space, arrive, tangent)),
            nearby=nearby or (lambda array: LIBRARY["value_of"](SPACES[value], array)),
            at=coordinates_of(at),
            settled=_settled(nearby) if nearby is not None and check else None,
        )
        obj = natural(at).type
        assert isinstance(obj, Space)
        _check_types(obj)
        if check:
            asked_for_laws(obj)
        undo.pop_all()
    return obj


def _insist(holds: bool, message: str) -> None:
    if not holds:
        raise TypeMismatch(f"tangent_space: {message}")


def _is_data(kind: Any) -> bool:
    """Whether it is a class of data."""
    return isinstance(kind, type) and is_dataclass(kind)


def _undeclare(undo: ExitStack, kind: type) -> None:
    """Take a declaration back where it is refused: what was declared before it is again.

    What is known of annotations that name the class is read anew.
    """
    KNOWN.clear()
    undo.callback(KNOWN.clear)
    undo.callback(declared_before, SPACES, kind, SPACES.get(kind))


def _declare_tangents(kind: type, plus: Rule | None, zero: Any) -> None:
    """A class of tangents: a space that is its own tangent space."""
    before = SPACES.get(kind)
    if before is not None and before.plus is plus:
        return

    def value(x: Any, array: Any) -> Any:
        return LIBRARY["value_of"](SPACES[kind], array)

    def array(x: Any, tangent: Any) -> Any:
        return LIBRARY["coordinates"](tangent)

    zero = coordinates_of(zero) if isinstance(zero, kind) else zero
    SPACES[kind] = Declared(kind, value, array, value, array, lambda space: space, plus, zero)


def _tangent_of(space: Space, arrive: Rule, tangent: Any) -> Object:
    """The type of what arrives, which has to be the ``tangent`` that is declared."""
    found = _given(arrive, space, space.coordinates)
    if isinstance(tangent, Object):
        fits = found is tangent and isinstance(found, Tensor) and found.is_smooth
    elif tangent in SPACES:
        fits = isinstance(found, Space) and found.declared is SPACES[tangent]
    else:
        fits = (tangent is np.ndarray and isinstance(found, Tensor)) or found is Real
    said = tangent if isinstance(tangent, Object) else getattr(tangent, "__name__", tangent)
    _insist(fits, f"arrive= gives {found!r} for a {space!r}, and tangent= says {said}")
    return found


def _given(rule: Callable[..., Any], *types: Object) -> Object:
    """The type of what a rule gives at these."""
    with apart():
        return Draft(rule, types, (None,) * len(types), getattr(rule, "__name__", "")).obj


def _check_types(obj: Space) -> None:
    """Raise where a rule gives what is neither coordinates nor a tangent."""
    declared, coordinates, tangent = obj.declared, obj.coordinates, tangent_of(obj)
    plus = tangent.declared.plus if isinstance(tangent, Space) else None
    rules: list[tuple[str, Any, tuple[Object, ...], Object]] = [
        ("project", declared.project, (obj, coordinates), tangent),
        ("nearby", declared.nearby, (coordinates,), obj),
    ]
    if plus is not None:
        rules.append(("plus", plus, (tangent, tangent), tangent))
    else:
        rules.append(("move", declared.move, (obj, tangent), coordinates))
        rules.append(("leave", declared.leave, (obj, tangent), coordinates))
    for word, rule, given, wanted in rules:
        found = _given(rule, *given)
        _insist(found is wanted, f"{word}= gives {found!r} for a {obj!r}, and not {wanted!r}")


def _settled(nearby: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``nearby``, from coordinates to coordinates, at numbers."""
    function = Function(nearby)
    return lambda array: coordinates_of(function(array))


def _transposed(rule: Rule) -> Rule:
    """``(x, w) ↦ ḡ`` where ``rule(x, g)``, linear in g, has the cotangent w."""

    def transposed(x: Any, w: Any) -> Any:
        space = natural(x).type
        assert isinstance(space, Space)
        zero = np.zeros(space.coordinates.shape, space.coordinates.dtype)
        return vjp(lambda g: rule(x, g), zero)[1](w)[0]

    return transposed
