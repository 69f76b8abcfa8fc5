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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch, users_place
from combinators.objects import Bool, Fun, Int, Mu, Object, Product, Sum
from combinators.primitives.structural import FIX
from combinators.terms import App, Lam, Prim, Proj, Term, Tuple, Var, const, packed
from combinators.terms import pack as pack_terms
from combinators.tracing.cases import ResultUnknown, cond, is_weak
from combinators.tracing.classes import Typed
from combinators.tracing.control import ROUNDS, Settling
from combinators.tracing.definition import RECURRING, Definition
from combinators.tracing.emit import emit, operand, scope_here, unpack
from combinators.tracing.faces import Face, laid, leaf_types
from combinators.tracing.functions import (
    PARTIAL,
    Draft,
    Faces,
    Natural,
    Specialised,
    Types,
    coerce,
    natural,
)
from combinators.tracing.parameters import alike, by_position, parameter_names
from combinators.tracing.scope import Scope, current
from combinators.tracing.traced import LIBRARY, Traced


class Fixed(Specialised):
    """A recursive function as a λ that applies ``fix`` of its step, which is the function value."""

    __slots__ = ()

    def operand(self) -> Term:
        """``fix`` of its step, in the current scope."""
        assert isinstance(self.lam.body, App)
        return operand(emit(self.lam.body.function, self.lam.name or "f", self.captured))


class Itself(NamedTuple):
    """A recursive function while its body is traced."""

    dom: Object
    variable: Traced | None = None
    """What it is inside its body; None while it is found out what it gives."""
    face: Face | None = None
    """The containers of what it gives."""
    rounds: Traced | None = None
    """How often it called itself, where that is bounded."""
    stand: Any = None
    """What stands for what it gives, where a part of that is known: an empty list, say."""


class Recursive(Definition):
    """A Python function that may call itself, and functions that call it."""

    at_once = False
    does = "called itself"
    """What it did too often, in words."""

    def __init__(
        self,
        function: Callable[..., Any],
        types: tuple[Object, ...] | None = None,
        *,
        returns: Typed | None = None,
        most: int | None = None,
        **options: Any,
    ) -> None:
        """``function`` at ``types``, where they are given, which calls itself ``most`` times."""
        if most is not None and (type(most) is not int or most < 0):
            raise TypeMismatch(f"most= is a number of rounds, and this is {most!r:.60}")
        self._most = most
        self._running: list[Itself] = []
        self._said = returns
        takes_itself = parameter_names(function, 1) == ["self"]
        super().__init__(_given(self, function) if takes_itself else function, types, **options)

    def gives(self, returns: Typed | None) -> bool:
        """Whether what it gives is annotated."""
        return returns is not None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Its value; inside its own body its variable's, or what stands for that."""
        if self._running and self._running[-1].stand is not None:
            return self._running[-1].stand
        return super().__call__(*args, **kwargs)

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
        place, returns = users_place(), self._said or self.returns
        if returns is None:
            draft = self._tried(types, faces, name, key)
            kinds = {type(leaf) for leaf in draft.leaves}
            if kinds & PARTIAL.keys() and all(map(is_weak, draft.leaves)):
                draft = self._tried(types, faces, name, key, draft.value)
            result = Settling(self.__name__, draft.face, draft.naturals)
            found = draft.finish()
            if RECURRING.get():
                return found
            types = tuple([param.type for param in found.lam.params])
        else:
            expected = leaf_types(returns.face, returns.object)
            naturals = [Natural(obj, weak=False) for obj in expected]
            result = Settling(self.__name__, returns.face, naturals)
        known = tuple([obj for obj in types if isinstance(obj, Object)])
        for _ in range(ROUNDS):
            draft = self._draft(known, faces, name, key, result)
            if not draft.lay(result.face, result.types):
                raise self._apart(result.obj, draft.object)
            if not result.widen(draft.naturals):
                break
        result.check(draft.naturals, lambda was, given, _: self._apart(was, given).message)
        step = draft.finish(result.types)
        fixed = Prim(FIX, (step.lam,), place)
        words = parameter_names(self.function, len(known))
        params = tuple([_variable(*one) for one in zip(words, known, strict=True)])
        if self._most is None:
            whole = App(fixed, pack_terms(params), place)
            return Fixed(Lam(params, whole, name), step.captured, result.face)
        whole = App(fixed, Tuple((const(0), pack_terms(params))), place)
        return Specialised(Lam(params, whole, name), step.captured, result.face)

    def _apart(self, was: Object, given: Object) -> TypeMismatch:
        return TypeMismatch(
            f"{self.__name__} calls itself for {was!r}, and gives {given!r}; annotate what it "
            "gives, as in def f(x: float) -> float, or rec(f, returns=Real)"
        )

    def _tried(self, types: Types, faces: Faces, name: str, key: Any, stand: Any = None) -> Draft:
        """The body where a call of itself gives up its branch: it says what the others give."""
        dom = packed(tuple([obj for obj in types if isinstance(obj, Object)]))
        try:
            with self._recurring(Itself(dom, stand=stand), only_asked=True):
                return Draft(self.function, types, faces, name, key)
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
            rounds, given = None, x
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
    """A function that calls itself for the next round."""

    does = "went round"


class Widened(BaseException):
    """What a loop carries took another type, and the loop is traced anew."""


def while_loop(test: Any, body: Any, init: Any, *, most: int | None = None) -> Any:
    """``body(… body(init))``, as long as ``test`` of the value holds: of init first.

    With ``most``, ``TooManyRounds`` is raised where there would be more rounds.
    """
    return _loop("while_loop", test, body, init, most)


def until(test: Any, step: Any, init: Any, *, most: int | None = None) -> Any:
    """``step(… step(init))``, the first of these values of which ``test`` holds.

    With ``most``, ``TooManyRounds`` is raised where there would be more steps.
    """

    def goes_on(x: Any) -> Any:
        return LIBRARY["logical_not"](_tested("until", test(x)))

    return _loop("until", goes_on if callable(test) else test, step, init, most)


def _tested(word: str, given: Any) -> Any:
    if natural(given).type is not Bool:
        raise TypeMismatch(
            f"the test of {word} gives a Bool, and this is {natural(given).type!r}; compare it, as "
            "in x > 0"
        )
    return given


def _loop(word: str, test: Any, body: Any, init: Any, most: int | None) -> Any:
    scope_here()
    for function in (test, body):
        if not callable(function):
            raise TypeMismatch(
                f"{word} takes functions of the value that it carries, and this is {function!r:.60}"
            )
    carry = Settling.of(word, init)

    def rounds(x: Any) -> Any:
        return cond(_tested(word, test(x)), lambda: loop(next_of(carry, body(x))), lambda: x)

    rounds.__name__ = word
    for _ in range(ROUNDS):
        loop = Loop(rounds, most=most, returns=Typed(carry.obj, carry.face))
        try:
            fixed, _ = loop.at((carry.obj,), (carry.face,))
        except Widened:
            continue
        return unpack(carry.face, emit(App(fixed, coerce(init, carry.obj), users_place())))
    raise TypeMismatch(f"what {word} carries, {carry.obj!r}, settles on no type")


def next_of(carry: Settling, value: Any) -> Any:
    """The value of the next round, which is built as this one was."""
    leaves = laid(value, carry.face, iter(carry.types))
    if leaves is None:
        given = Settling.of(carry.word, value).obj
        raise TypeMismatch(
            f"{carry.word} carries {carry.obj!r} from step to step, but its function gives "
            f"{given!r}; give the next step what this one was given"
        )
    pairs = zip(leaves, carry.types, strict=True)
    known = [Natural(t, weak=False) if isinstance(t, Sum | Mu) else natural(x) for x, t in pairs]
    if carry.widen(known):
        raise Widened
    return value
