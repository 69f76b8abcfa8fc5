"""What is known of every line of a program before it is written: once, for every backend.

Bounds of integers are followed from line to line, and doubt. ``scale v p`` is a product in which
zeros absorb: ``0 · inf = 0``. It is written as the plain ``v * p``, and where a nan comes out that
a careful product would not give, the program is run once more with care:

    z = scale v p              in doubt: 0 · inf would give nan
    w = z + 1.0                in doubt, from z
    b = w < 2.0                a nan would be lost in the comparison

Of ``w`` as a result it is enough to look whether it is nan; with ``b`` in the program, every
``scale`` is written with care from the start. What goes into a function that is called from several
places is in doubt nowhere, or at the second of three levels everywhere.

A program is read once at a level; the body of a loop, until what it carries is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Fun, Object, Real, Tensor
from combinators.objects import component as component_type
from combinators.operation import Operation
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import LOOP, LoopTerm
from combinators.primitives.structural import OVERRIDE, PACK, PLUS, RECOMPUTE, UNPACK, ZEROS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis.captures import Occurrences
from interpreters.backends.analysis.facts import (
    CLEAR,
    IN_DOUBT,
    Bounds,
    Fact,
    Known,
    LamFact,
    LineFact,
    ProgramFacts,
    as_one,
    bounds_of_type,
    closed,
    component,
    constant,
    either,
    facts_of,
    given,
    is_lost,
    joined,
    total,
    unwrapped,
    widened,
    within,
)

OPTIMISTIC, DOUBTFUL, CAREFUL = range(3)
"""What a product that hides zeros may be: a plain one whose nan is seen at the end, the same with
nothing known of parameters, or one with care."""
SCALES = frozenset({"scale", "unscale"})
"""The products of numbers that hide zeros."""


class Hidden(Exception):
    """A nan that is in doubt may be lost on its way to the results."""


_MOVED = frozenset({"broadcast_to", "reshape", "transpose", "slice", "stop_gradient"})
_KEPT = frozenset({"take", "put", "matmul", *CHECKS})
"""Of these a line is kept, whatever their type."""
_PARTICULAR = frozenset({*_MOVED, *_KEPT, "negative"})
"""What says more of a real than whether one of its operands is in doubt."""
_SUMMED = frozenset({"sum", "prod", "cumsum", "matmul", "exclusive_cumprod", "recurrence"})
_APPLIED = (OVERRIDE.primitive, RECOMPUTE.primitive)
_OTHERS = frozenset((LOOP, *_APPLIED, ZEROS, PACK, UNPACK))
_DEEP = 8


def hides_zeros(operation: Operation) -> bool:
    """Whether it is a product that hides zeros: in it they absorb."""
    return operation.primitive.name in SCALES or ("absorbing", True) in operation.parameters


def lines_of(root: Lam, survey: Occurrences, level: int) -> ProgramFacts:
    """What is known of the lines of a closed λ that was surveyed.

    Raises ``Hidden`` where that ``level`` does not tell whether a nan is meant.
    """
    walk = _Reading(survey, level)
    env: dict[str, Known] = {var.name: given(var.type, doubtful=False) for var in root.params}
    result: Known = recurse(walk.value(root.body, env))
    if level != CAREFUL and is_lost(result, root.body.type):
        raise Hidden
    return ProgramFacts(walk.lines, walk.direct, result)


class _Reading:
    """One walk over a program."""

    def __init__(self, survey: Occurrences, level: int) -> None:
        self.lines: dict[int, LineFact] = {}
        self.direct: set[int] = set()
        self._survey, self._level = survey, level
        self._results: dict[int, Known] = {}
        self._carried: dict[int, Known] = {}

    def _unknown(self, obj: Object) -> Fact:
        return given(obj, doubtful=self._level == DOUBTFUL)

    def _doubt(self, known: Known) -> None:
        """It goes where its nans can no longer be followed, as into a function."""
        if self._level == OPTIMISTIC and known.doubtful:
            raise Hidden

    def _object(self, known: Known) -> Known:
        """The same, once every λ in it is an object, closed over what it captures."""
        codes: list[LamFact] = []
        found = recurse(closed(known, {}, codes))
        for code in codes:
            self._doubt(code)
        return found

    def _whole(self, known: Known) -> Fact:
        """What is known of a value that becomes one object."""
        return as_one(self._object(known))

    # Terms.

    def value(self, term: Term, env: dict[str, Known]) -> Recursive[Known]:
        result: Known
        match term:
            case Var(name):
                return env[name]
            case Const():
                return constant(term.literal)
            case Lam():
                yield self._defined(term)
                return self._code(term, env)
            case Let():
                result = yield self._let(term, env)
            case Tuple(items):
                parts: list[Known] = []
                for item in items:
                    parts.append((yield self.value(item, env)))
                result = facts_of(tuple(parts))
            case Proj(index, product):
                whole: Known = yield self.value(product, env)
                result = component(whole, index, term.type)
            case App(function, argument):
                result = yield self._applied(function, argument, env)
            case Cond(test, then, other):
                yield self.value(test, env)
                a: Known = yield self.value(then, env)
                b: Known = yield self.value(other, env)
                result = yield either(self._object(a), self._object(b), {})
            case Prim():
                direct = self._direct(term, env, _DEEP)
                if direct is not None:
                    self.direct.add(id(term))
                    return direct
                result = yield self._primitive(term, env)
            case _:
                raise AssertionError(term)
        return result

    def _let(self, term: Let, env: dict[str, Known]) -> Recursive[Known]:
        before = {var.name: env[var.name] for var, _ in term.bindings if var.name in env}
        for var, bound in term.bindings:
            known: Known | None = None
            if type(bound) is Prim:
                known = self._direct(bound, env, _DEEP)
            if known is not None:
                self.direct.add(id(bound))
            else:
                known = yield self.value(bound, env)
            env[var.name] = known
        result: Known = yield self.value(term.body, env)
        env.update(before)
        return result

    # Primitives.

    def _direct(self, term: Prim, env: Mapping[str, Known], deep: int) -> Fact | None:
        """The fact of a few primitives of tensors; None of other terms.

        Most terms are such, and this is the quickest way.
        """
        primitive = term.operation.primitive
        if not deep or primitive in _OTHERS or not isinstance(term.type, Tensor):
            return None
        name = primitive.name
        if term.type is Real and name not in _PARTICULAR:
            hides = name in SCALES and self._level != CAREFUL
            doubtful = False
            for arg in term.args:
                known: Known | None
                if type(arg) is Var:
                    known = env[arg.name]
                elif type(arg) is Prim:
                    known = self._direct(arg, env, deep - 1)
                elif type(arg) is not Const:
                    return None
                elif hides:
                    known = constant(arg.literal)
                else:
                    continue
                if type(known) is not Fact:
                    return None
                if known.doubtful:
                    doubtful = True
                if known.is_plain:
                    hides = False
            return IN_DOUBT if doubtful or hides else CLEAR
        args: list[Fact] = []
        for arg in term.args:
            fact = self._operand(arg, env, deep)
            if type(fact) is not Fact:
                return None
            args.append(fact)
        return self._of_tensors(term, args)

    def _operand(self, term: Term, env: Mapping[str, Known], deep: int) -> Known | None:
        if type(term) is Prim:
            return self._direct(term, env, deep - 1)
        if type(term) is Var:
            return env[term.name]
        return constant(term.literal) if type(term) is Const else None

    def _of_tensors(self, term: Prim, args: list[Fact]) -> Fact:
        name, obj = term.operation.primitive.name, term.type
        doubtful = any(arg.doubtful for arg in args)
        if (obj is not Real and not obj.is_smooth) or name in _KEPT:  # type: ignore[attr-defined]
            return self._kept(term, name, args, doubtful=doubtful)
        if name in SCALES and self._level != CAREFUL:
            doubtful = doubtful or not any(arg.is_plain for arg in args)
        elif name in _MOVED or name == "negative":
            return args[0]
        return IN_DOUBT if doubtful else CLEAR

    def _kept(self, term: Prim, name: str, args: Sequence[Fact], *, doubtful: bool) -> Fact:
        """A primitive of which a line is kept."""
        obj, given = term.type, tuple([x.bounds for x in args])
        assert isinstance(obj, Tensor)
        bounds, most = self._bounds(term, name, given), bounds_of_type(obj)
        wraps = not within(bounds, most)
        line = LineFact(most if wraps else bounds, given, wraps, doubtful)
        before = self.lines.get(id(term))
        self.lines[id(term)] = line if before is None or before == line else before.or_(line)
        if not obj.is_smooth:
            if doubtful:
                raise Hidden
            return Fact(most if wraps else bounds)
        hides = name == "matmul" and self._level != CAREFUL and hides_zeros(term.operation)
        return IN_DOUBT if doubtful or hides else CLEAR

    def _bounds(self, term: Prim, name: str, given: tuple[Bounds, ...]) -> Bounds:
        """What the result lies between, before it wraps."""
        keywords, source, most = term.operation.keywords, term.args[:1], bounds_of_type(term.type)
        match name:
            case "iota":
                return 0, max(keywords["length"] - 1, 0)
            case "argmax" | "argmin" if isinstance(source[0].type, Tensor):
                return 0, max(source[0].type.size - 1, 0)
            case _ if isinstance(source[0].type, Tensor) and source[0].type.is_smooth:
                return most
            case _ if name in _MOVED or name in ("convert", "nonzero", "whole", "exact"):
                return given[0]
            case "concatenate" | "max" | "min":
                return min(low for low, _ in given), max(high for _, high in given)
            case "take" | "put" | "embed":
                return joined(given[0], (0, 0))
            case "within" | "nonnegative":
                least, last = given[0][0], keywords.get("extent", given[0][1] + 1) - 1
                return max(least, 0), max(min(given[0][1], last), 0)
            case _ if name in _SUMMED:
                return most
        return unwrapped(name, given)

    def _primitive(self, term: Prim, env: dict[str, Known]) -> Recursive[Known]:
        primitive = term.operation.primitive
        result: Known
        if primitive is LOOP:
            result = yield self._loop(term, env)
            return result
        if primitive in _APPLIED:
            result = yield self._applied(term.args[0], term.args[-1], env)
            return result
        if primitive is ZEROS:
            return given(term.type, doubtful=False)
        args: list[Known] = []
        for arg in term.args:
            args.append((yield self.value(arg, env)))
        if primitive is PLUS and not isinstance(term.type, Tensor):
            result = yield total(args[0], args[1], {})
            return result
        facts = [self._whole(arg) for arg in args]
        if isinstance(term.type, Tensor) and primitive is not UNPACK:
            return self._of_tensors(term, facts)
        doubtful = any(x.doubtful for x in facts)
        if primitive is UNPACK:
            doubtful = doubtful or self._level == DOUBTFUL
        return given(term.type, doubtful=doubtful)

    # Functions.

    def _code(self, function: Lam, env: Mapping[str, Known]) -> LamFact:
        captured = {var.name: env[var.name] for var in self._survey.captured[id(function)]}
        return LamFact(function, captured, any(known.doubtful for known in captured.values()))

    def _function(self, term: Term, env: dict[str, Known]) -> Recursive[Known]:
        """What is called; a λ that stands here and nowhere else is not asked on its own."""
        if isinstance(term, Lam) and self._survey.is_once(term):
            return self._code(term, env)
        found: Known = yield self.value(term, env)
        return found

    def _applied(self, function: Term, x: Term, env: dict[str, Known]) -> Recursive[Known]:
        code: Known = yield self._function(function, env)
        argument: Known = yield self.value(x, env)
        result: Known = yield self._called(function, code, argument)
        return result

    def _called(self, function: Term, code: Known, x: Known) -> Recursive[Known]:
        """``f x``; the λ that stands as ``function`` is written out where that is its place."""
        result: Known
        if isinstance(function, Lam) and self._survey.is_once(function):
            assert isinstance(code, LamFact)
            env, params = dict(code.captured), function.params
            for index, param in enumerate(params):
                part = x if len(params) == 1 else component(x, index, param.type)
                env[param.name] = part
            result = yield self.value(function.body, env)
            return result
        assert isinstance(function.type, Fun)
        self._doubt(self._object(x))
        self._doubt(code)
        doubtful = self._level != CAREFUL
        if isinstance(code, LamFact):
            result = yield self._defined(code.function)
            doubtful = result.doubtful
        return given(function.type.cod, doubtful=doubtful)

    def _defined(self, function: Lam) -> Recursive[Known]:
        """What is known of the result of a λ, wherever it is called."""
        if id(function) not in self._results:
            captured = self._survey.captured[id(function)]
            env: dict[str, Known] = {
                var.name: self._unknown(var.type) for var in (*captured, *function.params)
            }
            result: Known = yield self.value(function.body, env)
            self._results[id(function)] = self._whole(result)
        return self._results[id(function)]

    # Loops.

    def _loop(self, term: Prim, env: dict[str, Known]) -> Recursive[Known]:
        """A loop; what it carries is assumed, until a round gives no more than that."""
        types, function = LoopTerm(term).types, term.args[0]
        code: Known = yield self._function(function, env)
        args: list[Known] = []
        for arg in term.args[1:]:
            known: Known = yield self.value(arg, env)
            args.append(self._object(known))
        rows, item, carried = args[-1], args[-1], types.carry
        if carried is None:
            if types.length:
                item = yield self._called(function, code, rows)
            return self._object(item)
        carry = args[0]
        if id(term) in self._carried:
            carry = yield either(carry, self._carried[id(term)], {})
        before: Known | None = None
        far = False
        while before is not carry and types.length:
            before = carry
            given: Known = yield self._called(function, code, facts_of((carry, rows)))
            halves = types.halves(
                self._object(given),
                lambda whole, i: component(whole, i, component_type(types.function.cod, i)),
            )
            after, item = halves
            carry = yield widened(carry, after, carried, {}, far=far)
            far = True
        self._carried[id(term)] = carry
        return carry if types.item is None else facts_of((carry, item))
