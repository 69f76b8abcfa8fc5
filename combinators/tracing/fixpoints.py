"""Recursion, written in Python: ``rec``, and ``while_loop`` and ``until``, which are words for it.

A recursive function is ``fix`` of its step, a λ of itself and of its argument:

    @rec
    def power(n: int) -> float:          fix (λ(power, n). if n == 0 then 1
        return cond(                  is                   else 2 * power (n - 1))
            n == 0,
            lambda: 1.0,
            lambda: 2.0 * power(n - 1))

A call of a recursive function inside its own body, or in that of a function that it calls, is one
of its variable: so functions that call one another in a circle need nothing else (Bekić). The type
of what it gives is annotated, or found out by running the body once on the side, where a call of
itself gives up the branch in which it stands, and the other branches say what it gives.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from numbers import Integral
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch, users_place
from combinators.objects import Bool, Fun, Int, Object, Product
from combinators.primitives.structural import FIX
from combinators.terms import App, Lam, Prim, Proj, Term, Tuple, Var, const, packed
from combinators.terms import pack as pack_terms
from combinators.tracing.cases import ResultUnknown, case, cond
from combinators.tracing.classes import Typed, item_of
from combinators.tracing.control import Settling
from combinators.tracing.definition import RECURRING, Definition
from combinators.tracing.emit import emit, operand, unpack
from combinators.tracing.faces import Face, leaf_types, take_apart
from combinators.tracing.functions import Draft, Faces, Laid, Natural, Specialised, Types, coerce
from combinators.tracing.injections import cons, natural_object, nil
from combinators.tracing.joins import Apart, is_unknown
from combinators.tracing.parameters import alike, by_position, check_takes, parameter_names
from combinators.tracing.scope import Scope, current
from combinators.tracing.traced import LIBRARY, Traced, library

FEW_TYPES = 8
"""A recursive function of so many types, one inside the other, is what fills Python's stack."""


class Fixed(Specialised):
    """A recursive function as a λ that applies ``fix`` of its step, which is the function value."""

    __slots__ = ()

    def operand(self) -> Term:
        """``fix`` of its step, in the current scope; where there is none, the λ."""
        if current() is None:
            return super().operand()
        assert isinstance(self.lam.body, App)
        return operand(emit(self.lam.body.function, self.lam.name or "f", self.captured))


class Result(Settling):
    """What a recursive function gives."""

    def apart(self, found: Apart) -> TypeMismatch:
        """What is wrong where it gives another type than its calls of itself."""
        return TypeMismatch(
            f"{self.word} calls itself for {found.types[0]!r}, and gives {found.types[-1]!r}; "
            "annotate what it gives, as in def f(x: float) -> float, or rec(f, returns=Real)"
        )


class Itself(NamedTuple):
    """A recursive function while its body is traced."""

    dom: Object
    variable: Traced | None = None
    """What it is inside its body; None while it is found out what it gives."""
    face: Face | None = None
    """The containers of what it gives."""
    rounds: Traced | None = None
    """How often it called itself, where that is bounded."""


class Recursive(Definition):
    """A Python function that may call itself, and functions that call it."""

    at_once = False
    does = "called itself"
    """What it did too often, in words."""
    carry: Settling | None = None
    """What it gives, of a loop."""
    goes_on = False
    """Whether it is called with that, first."""

    def __init__(
        self,
        function: Callable[..., Any],
        types: tuple[Object, ...] | None = None,
        *,
        returns: Typed | None = None,
        most: Any = None,
        **options: Any,
    ) -> None:
        """``function`` at ``types``, where they are given, which calls itself ``most`` times."""
        if most is not None and (type(most) is bool or not isinstance(most, Integral) or most < 0):
            raise TypeMismatch(f"most= is a number of rounds, and this is {most!r:.60}")
        self._most: int | None = None if most is None else int(most)
        self._running: list[Itself] = []
        self.plain = function
        takes_itself = parameter_names(function, 1) == ["self"]
        super().__init__(_given(self, function) if takes_itself else function, types, **options)
        self.returns = returns or self.returns

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The recursive function at these types; inside its own body, its variable."""
        itself = self._itself(types, faces)
        return super().specialise(types, faces) if itself is None else self._inside(itself)[0]

    def _made(self, types: Types, faces: Faces) -> tuple[Specialised, Term]:
        itself = self._itself(types, faces)
        return super()._made(types, faces) if itself is None else self._inside(itself)

    def _itself(self, types: Types, faces: Faces) -> Itself | None:
        """Itself, where its body is being traced for arguments of these types."""
        given, _ = self.declared(types, faces)
        known = [obj for obj in given if isinstance(obj, Object)]
        for one in reversed(self._running):
            inside = one.variable
            is_here = inside is None or inside.scope.encloses(current())
            if is_here and (len(known) < len(given) or alike(packed(tuple(known)), one.dom)):
                found: Itself = one
                return found
        return None

    def _inside(self, itself: Itself) -> tuple[Specialised, Term]:
        """The function value inside its own body."""
        if itself.variable is None:
            raise ResultUnknown(self)
        var = operand(itself.variable)
        assert isinstance(var, Var)
        captured, x = [var], _variable("x", itself.dom)
        argument: Term = x
        if itself.rounds is not None:
            did = f"{self.__name__} {self.does}"
            count = operand(LIBRARY["next_round"](itself.rounds, self._most, did))
            assert isinstance(count, Var)
            captured.append(count)
            argument = Tuple((count, x))
        made = Specialised(Lam((x,), App(var, argument)), tuple(captured), itself.face)
        return made, var if itself.rounds is None else made.operand()

    def written(self, types: Types, faces: Faces, name: str, key: Any) -> Specialised:
        """``λx. fix (λ(f, x). …) x``; where only its type is asked for, any λ of that."""
        place, returns = users_place(), self.returns
        if self.carry is not None:
            result: Settling = self.carry
        elif returns is not None:
            expected = leaf_types(returns.face, returns.object)
            naturals = [Natural(obj, weak=False) for obj in expected]
            result = Result(self.__name__, returns.face, naturals)
        else:
            draft, found = self._tried(types, faces, name, key)
            result = Result(self.__name__, draft.face, draft.naturals)
            if RECURRING.get() and not is_unknown(result.obj):
                return found
            types = tuple([param.type for param in found.lam.params])
        known = tuple([obj for obj in types if isinstance(obj, Object)])

        def trial() -> tuple[Any, ...]:
            nonlocal known, faces
            if self.goes_on:
                known, faces = (result.obj, *known[1:]), (result.face, *faces[1:])
            return known, faces, name, key, result

        step = result.settled(self._draft, trial).finish(result.types)
        if returns is not None and result.obj is not returns.object:
            raise result.apart(Apart([returns.object, result.obj]))
        fixed = Prim(FIX, (step.lam,), place)
        words = parameter_names(self.function, len(known))
        params = tuple([_variable(*one) for one in zip(words, known, strict=True)])
        if self._most is None:
            whole = App(fixed, pack_terms(params), place)
            return Fixed(Lam(params, whole, name), step.captured, result.face)
        whole = App(fixed, Tuple((const(0), pack_terms(params))), place)
        return Specialised(Lam(params, whole, name), step.captured, result.face)

    def _tried(self, types: Types, faces: Faces, name: str, key: Any) -> tuple[Draft, Specialised]:
        """The body where a call of itself gives up its branch: it says what the others give."""
        dom = packed(tuple([obj for obj in types if isinstance(obj, Object)]))
        try:
            with self._recurring(Itself(dom), only_asked=True):
                draft = Draft(self.function, types, faces, name, key)
                return draft, draft.finish()
        except ResultUnknown as error:
            if error.function is not self:
                raise
        raise TypeMismatch(
            f"what {self.__name__} gives is not known: each branch calls it. Annotate it, as "
            "in def f(x: float) -> float, or say it: rec(f, returns=Real)"
        )

    def _draft(
        self, types: tuple[Object, ...], faces: Faces, name: str, key: Any, result: Settling
    ) -> Draft:
        """The step, a function of itself and of its argument."""
        dom = packed(types)
        argument = dom if self._most is None else Product(Int, dom)
        words = parameter_names(self.function, len(types))

        def step(itself: Traced, x: Traced) -> Any:
            itself.scope.itself, rounds, given = itself.variable, None, x
            if self._most is not None:
                rounds, given = _component(x, 0, "n"), _component(x, 1, "x")
            parts = [given]
            if len(types) != 1:
                parts = [_component(given, i, word) for i, word in enumerate(words)]
            args = [unpack(face, part) for face, part in zip(faces, parts, strict=True)]
            with self._recurring(Itself(dom, itself, result.face, rounds)):
                return self.function(*args)

        whole = words[0] if len(types) == 1 and self._most is None else "xs"
        made = by_position(step, (name or "itself", whole))
        return Draft(made, (Fun(argument, result.obj), argument), (None, None), name, key)

    @contextmanager
    def _recurring(self, itself: Itself, *, only_asked: bool = False) -> Iterator[None]:
        """While the body is traced."""
        token = RECURRING.set(only_asked or bool(RECURRING.get()))
        self._running.append(itself)
        try:
            yield
        except RecursionError:
            if len(self._running) < FEW_TYPES:
                raise
            first = ", then on ".join([f"{one.dom!r:.60}" for one in self._running[:3]])
            raise TypeMismatch(
                f"{self.__name__} calls itself on ever other types: on {first} and so on; a "
                "recursive function calls itself on the type that it takes, so keep what grows in "
                "a List, or in data of a type that mentions itself"
            ) from None
        finally:
            self._running.pop()
            RECURRING.reset(token)


def _given(itself: Recursive, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose first parameter, which is called ``self``, is the function itself."""

    def applied(*args: Any) -> Any:
        return function(itself, *args)

    made = wraps(function)(applied)
    signature = inspect.signature(function)
    _, *rest = signature.parameters.values()
    made.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return made


def _variable(wish: str, obj: Object) -> Var:
    """A variable of a new λ."""
    return Scope(current(), "a function").parameter(wish, obj)


def _component(whole: Traced, index: int, word: str) -> Traced:
    return emit(Proj(index, operand(whole)), word)


# ---- loops ---------------------------------------------------------------------------------------


class Loop(Recursive):
    """A function that calls itself for the next round, with what it carries; or gives that."""

    does, goes_on = "went round", True

    def __init__(
        self,
        rounds: Callable[..., Any],
        carry: Settling,
        names: Sequence[str],
        most: int | None = None,
    ) -> None:
        """``names`` are what the user calls what it takes."""
        super().__init__(by_position(rounds, names, carry.word), most=most)
        self.carry = carry

    def run(self, *args: Any) -> Any:
        """Where it ends, from ``args`` on."""
        given = [Laid(*take_apart(arg)) for arg in args]
        fixed, _ = self.at(tuple([one.obj for one in given]), tuple([one.face for one in given]))
        assert isinstance(fixed.type, Fun)
        assert self.carry is not None
        argument = coerce(args if len(args) > 1 else args[0], fixed.type.dom)
        return unpack(self.carry.face, emit(App(fixed, argument, users_place())))


def while_loop(test: Any, body: Any, init: Any, *, most: int | None = None) -> Any:
    """``body(… body(init))``, as long as ``test`` of the value holds: of init first.

    With ``most``, ``TooManyRounds`` is raised where there would be more rounds.
    """
    return _loop("while_loop", test, body, init, most)


def until(test: Any, step: Any, init: Any, *, most: int | None = None) -> Any:
    """``step(… step(init))``, the first of these values of which ``test`` holds.

    With ``most``, ``TooManyRounds`` is raised where there would be more steps.
    """
    return _loop("until", test, step, init, most)


def _loop(word: str, test: Any, body: Any, init: Any, most: int | None) -> Any:
    carry = Settling.of(word, init)
    for function in (test, body):
        check_takes(function, (carry.obj,), f"{word} takes functions of the value that it carries")

    def rounds(x: Any) -> Any:
        holds = test(x)
        given = Laid(*take_apart(holds)).obj
        if given is not Bool:
            raise TypeMismatch(
                f"the test of {word} gives a Bool, and this is {given!r}; compare it, as in x > 0"
            )
        goes_on = LIBRARY["logical_not"](holds) if word == "until" else holds
        return cond(goes_on, lambda: loop(carry.next(body(x))), lambda: x)

    loop = Loop(rounds, carry, parameter_names(body, 1), most)
    return loop.run(init)


@library("fold_list", word=False)
def fold_list(f: Any, init: Any, xs: Traced, *, reverse: bool = False) -> Any:
    """``f(… f(f(init, x₀), x₁) …, xₙ₋₁)`` over the items of a list, or from its other end.

    From the front it is a tail call, and so a loop; from the end as deep as the list is long.
    """
    carry = Settling.of("fold", init)
    check_takes(f, (carry.obj, item_of(xs.type)), "fold takes a function f(carry, x)")

    def onwards(c: Any, rest: Any) -> Any:
        return case(rest, lambda: c, lambda x, more: loop(carry.next(f(c, x)), more))

    def backwards(rest: Any) -> Any:
        return case(rest, lambda: init, lambda x, more: carry.next(f(loop(more), x)))

    if reverse:
        loop = Loop(backwards, carry, ["rest"])
        loop.goes_on = False
        return loop.run(xs)
    loop = Loop(onwards, carry, [*parameter_names(f, 1), "rest"])
    return loop.run(init, xs)


@library("map_list", word=False)
def map_list(f: Callable[..., Any], *lists: Traced) -> Any:
    """The list of ``f`` of each item."""
    if len(lists) != 1:
        given = ", ".join(repr(natural_object(one)) for one in lists)
        raise TypeMismatch(
            f"map runs over one list or over rows that are as many, and is given {given}; "
            "write a rec of both, with a case on each, which says what is where one ends first"
        )
    check_takes(f, (item_of(lists[0].type),), "map takes a function of each item")

    def mapped(rest: Any) -> Any:
        return case(rest, lambda: nil, lambda x, more: cons(f(x), loop(more)))

    loop = Recursive(by_position(mapped, ["rest"], "map"))
    return loop(*lists)
