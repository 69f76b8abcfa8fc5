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

from combinators.kit.recursion import Recursive, Step, recurse
from combinators.objects import Fun, Real, Tensor
from combinators.objects import component as component_type
from combinators.operation import Operation
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import LOOP, LoopTerm
from combinators.primitives.structural import OVERRIDE, PACK, PLUS, RECOMPUTE, UNPACK, ZEROS
from combinators.primitives.sums import SUMS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis import facts
from interpreters.backends.analysis.captures import Occurrences
from interpreters.backends.analysis.facts import Bounds, Fact, LineFact, ProgramFacts

OPTIMISTIC, DOUBTFUL, CAREFUL = range(3)
"""What a product that hides zeros may be: a plain one whose nan is seen at the end, the same with
nothing known of parameters, or one with care."""
SCALES = frozenset({"scale", "unscale"})
"""The products of numbers that hide zeros."""


class Hidden(Exception):
    """A nan that is in doubt may be lost on its way to the results."""


_MOVED = frozenset({"broadcast_to", "reshape", "transpose", "slice", "stop_gradient", "negative"})
_KEPT = frozenset({"take", "put", "matmul", *CHECKS})
"""Of these a line is kept, whatever their type."""
_SAME = _MOVED - {"negative"} | {"convert", "nonzero", "whole", "exact"}
"""What has the bounds of its first operand."""
_APPLIED = (OVERRIDE.primitive, RECOMPUTE.primitive)
_OTHERS = frozenset((LOOP, *_APPLIED, ZEROS, PACK, UNPACK)) | SUMS
_DEEP = 8


def hides_zeros(operation: Operation) -> bool:
    """Whether it is a product that hides zeros: in it they absorb."""
    return operation.primitive.name in SCALES or ("absorbing", True) in operation.parameters


def lines_of(root: Lam, survey: Occurrences, level: int) -> ProgramFacts:
    """What is known of the lines of a closed λ that was surveyed.

    Raises ``Hidden`` where that ``level`` does not tell whether a nan is meant.
    """
    walk = _Reading(survey, level)
    env = {var.name: facts.given(var.type, doubtful=False) for var in root.params}
    result: Fact = recurse(walk.body(root, env))
    if level != CAREFUL and facts.is_lost(result, root.body.type):
        raise Hidden
    return ProgramFacts(walk.lines, walk.direct, result)


Env = dict[str, Fact]


class _Reading:
    """One walk over a program."""

    def __init__(self, survey: Occurrences, level: int) -> None:
        self.lines: dict[int, LineFact] = {}
        self.direct: set[int] = set()
        self._survey, self._level = survey, level
        self._results: dict[int, Fact] = {}
        self._carried: dict[int, Fact] = {}

    def _doubt(self, *facts: Fact) -> None:
        """They go where their nans can no longer be followed, as into a function."""
        if self._level == OPTIMISTIC and any(fact.doubtful for fact in facts):
            raise Hidden

    # Terms.

    def body(self, function: Lam, env: Env) -> Recursive[Fact]:
        """What is known of the result of a λ where its variables are known."""
        result: Fact = yield self._value(function.body, env)
        return result

    def _value(self, term: Term, env: Env) -> Step[Fact]:
        match term:
            case Var(name):
                return env[name]
            case Const():
                return facts.constant(term.literal)
            case Lam():
                return self._lam(term, env)
            case Let():
                return self._let(term, env)
            case Tuple(items):
                return self._tuple(items, env)
            case Proj():
                return self._projection(term, env)
            case App(function, argument):
                return self._applied(function, argument, env)
            case Cond():
                return self._choice(term, env)
        assert isinstance(term, Prim)
        direct = self._direct(term, env, _DEEP)
        if direct is None:
            return self._primitive(term, env)
        self.direct.add(id(term))
        return direct

    def _let(self, term: Let, env: Env) -> Recursive[Fact]:
        before = {var.name: env[var.name] for var, _ in term.bindings if var.name in env}
        for var, bound in term.bindings:
            known = self._direct(bound, env, _DEEP) if type(bound) is Prim else None
            if known is None:
                known = yield self._value(bound, env)
            else:
                self.direct.add(id(bound))
            env[var.name] = known
        result: Fact = yield self._value(term.body, env)
        env.update(before)
        return result

    def _values(self, terms: Sequence[Term], env: Env) -> Recursive[list[Fact]]:
        found: list[Fact] = []
        for term in terms:
            found.append((yield self._value(term, env)))
        return found

    def _tuple(self, items: Sequence[Term], env: Env) -> Recursive[Fact]:
        parts: list[Fact] = yield self._values(items, env)
        return facts.facts_of(tuple(parts))

    def _projection(self, term: Proj, env: Env) -> Recursive[Fact]:
        whole: Fact = yield self._value(term.product, env)
        return facts.component(whole, term.index, term.type)

    def _choice(self, term: Cond, env: Env) -> Recursive[Fact]:
        _, then, other = yield self._values(term.below(), env)
        result: Fact = yield facts.merged(facts.either, then, other, term.type, {})
        return result

    # Primitives.

    def _direct(self, term: Prim, env: Mapping[str, Fact], deep: int) -> Fact | None:
        """The fact of a few primitives of tensors; None of other terms.

        Most terms are such, and this is the quickest way.
        """
        primitive, obj = term.operation.primitive, term.type
        if not deep or primitive in _OTHERS or type(obj) is not Tensor:
            return None
        name, level = primitive.name, self._level
        hides = name in SCALES and level != CAREFUL
        is_simple = obj is Real and name not in _KEPT and name not in _MOVED
        doubtful, args = False, []
        for arg in term.args:
            known: Fact | None
            if type(arg) is Var:
                known = env[arg.name]
            elif type(arg) is Prim:
                known = self._direct(arg, env, deep - 1)
            elif type(arg) is not Const:
                return None
            elif is_simple and not hides:
                continue
            else:
                known = facts.constant(arg.literal)
            if known is None or known.parts or known.function is not None:
                return None
            doubtful = doubtful or known.doubtful
            hides = hides and not known.is_plain
            args.append(known)
        if is_simple:
            return facts.IN_DOUBT if doubtful or hides else facts.CLEAR
        return self._of_tensors(term, args)

    def _of_tensors(self, term: Prim, args: Sequence[Fact]) -> Fact:
        name, obj = term.operation.primitive.name, term.type
        assert isinstance(obj, Tensor)
        doubtful = any(arg.doubtful for arg in args)
        if not obj.is_smooth or name in _KEPT:
            return self._kept(term, name, args, doubtful=doubtful)
        if name in _MOVED:
            return args[0]
        hides = name in SCALES and self._level != CAREFUL
        hides = hides and not any(arg.is_plain for arg in args)
        return facts.IN_DOUBT if doubtful or hides else facts.CLEAR

    def _kept(self, term: Prim, name: str, args: Sequence[Fact], *, doubtful: bool) -> Fact:
        """A primitive of which a line is kept."""
        known, most = tuple([x.bounds for x in args]), facts.bounds_of_type(term.type)
        bounds = _bounds(term, name, known)
        wraps = not facts.within(bounds, most)
        line = LineFact(most if wraps else bounds, known, wraps, doubtful)
        before = self.lines.get(id(term))
        self.lines[id(term)] = line if before is None or before == line else before.or_(line)
        if isinstance(term.type, Tensor) and not term.type.is_smooth:
            if doubtful:
                raise Hidden
            return Fact(line.bounds)
        hides = name == "matmul" and self._level != CAREFUL and hides_zeros(term.operation)
        return facts.IN_DOUBT if doubtful or hides else facts.CLEAR

    def _primitive(self, term: Prim, env: Env) -> Recursive[Fact]:
        primitive = term.operation.primitive
        if primitive is LOOP:
            return self._loop(term, env)
        if primitive in _APPLIED:
            return self._applied(term.args[0], term.args[-1], env)
        return self._of_values(term, env)

    def _of_values(self, term: Prim, env: Env) -> Recursive[Fact]:
        primitive = term.operation.primitive
        args: list[Fact] = yield self._values(term.args, env)
        if primitive is PLUS and not isinstance(term.type, Tensor):
            result: Fact = yield facts.merged(facts.total, args[0], args[1], term.type, {})
            return result
        if isinstance(term.type, Tensor) and primitive is not UNPACK and primitive is not ZEROS:
            return self._of_tensors(term, args)
        doubtful = any(x.doubtful for x in args)
        doubtful = doubtful or (primitive is UNPACK and self._level == DOUBTFUL)
        return facts.given(term.type, doubtful=doubtful)

    # Functions.

    def _code(self, function: Lam, env: Env) -> Fact:
        captured = {var.name: env[var.name] for var in self._survey.captured[id(function)]}
        doubtful = any(known.doubtful for known in captured.values())
        return Fact(facts.INT64, doubtful, function=function, captured=captured)

    def _lam(self, function: Lam, env: Env) -> Recursive[Fact]:
        yield self._defined(function)
        return self._code(function, env)

    def _callee(self, term: Term, env: Env) -> Step[Fact]:
        """What is called; a λ that stands here and nowhere else is not asked on its own."""
        if isinstance(term, Lam) and self._survey.is_once(term):
            return self._code(term, env)
        return self._value(term, env)

    def _applied(self, function: Term, x: Term, env: Env) -> Recursive[Fact]:
        code: Fact = yield self._callee(function, env)
        argument: Fact = yield self._value(x, env)
        result: Fact = yield self._called(function, code, argument)
        return result

    def _called(self, term: Term, code: Fact, x: Fact) -> Recursive[Fact]:
        """``f x``; the λ that stands as ``term`` is written out where that is its place."""
        function = code.function
        result: Fact
        if function is not None and term is function and self._survey.is_once(function):
            params = function.params
            env = dict(code.captured or {})
            for index, param in enumerate(params):
                env[param.name] = x if len(params) == 1 else facts.component(x, index, param.type)
            result = yield self._value(function.body, env)
            return result
        assert isinstance(term.type, Fun)
        self._doubt(x, code)
        doubtful = self._level != CAREFUL
        if function is not None:
            result = yield self._defined(function)
            doubtful = result.doubtful
        return facts.given(term.type.cod, doubtful=doubtful)

    def _defined(self, function: Lam) -> Recursive[Fact]:
        """What is known of the result of a λ, wherever it is called."""
        if id(function) not in self._results:
            variables = (*self._survey.captured[id(function)], *function.params)
            doubtful = self._level == DOUBTFUL
            env = {var.name: facts.given(var.type, doubtful=doubtful) for var in variables}
            result: Fact = yield self._value(function.body, env)
            self._results[id(function)] = result
        return self._results[id(function)]

    # Loops.

    def _loop(self, term: Prim, env: Env) -> Recursive[Fact]:
        """A loop; what it carries is assumed, until a round gives no more than that."""
        types, function = LoopTerm(term).types, term.args[0]
        code: Fact = yield self._callee(function, env)
        args: list[Fact] = yield self._values(term.args[1:], env)
        rows, item, carried = args[-1], args[-1], types.carry
        if carried is None:
            if types.length:
                item = yield self._called(function, code, rows)
            return item
        carry, cod = args[0], types.function.cod
        if id(term) in self._carried:
            carry = yield facts.merged(facts.either, carry, self._carried[id(term)], carried, {})
        before: Fact | None = None
        join: facts.Join = facts.widened
        while before is not carry and types.length:
            before = carry
            given: Fact = yield self._called(function, code, facts.facts_of((carry, rows)))
            after, item = types.halves(
                given, lambda whole, i: facts.component(whole, i, component_type(cod, i))
            )
            carry = yield facts.merged(join, carry, after, carried, {})
            join = facts.widest
        self._carried[id(term)] = carry
        return carry if types.item is None else facts.facts_of((carry, item))


def _bounds(term: Prim, name: str, known: tuple[Bounds, ...]) -> Bounds:
    """What the result of a primitive lies between, before it wraps."""
    keywords, most = term.operation.keywords, facts.bounds_of_type(term.type)
    given = term.args[0].type if term.args else None
    if name == "iota":
        return 0, max(keywords["length"] - 1, 0)
    if name in ("argmax", "argmin") and isinstance(given, Tensor):
        return 0, max(given.size - 1, 0)
    if isinstance(given, Tensor) and given.is_smooth:
        return most
    if name in _SAME:
        return known[0]
    if name == "limited":
        return known[0][0], max(min(known[0][1], keywords["most"] - 1), known[0][0])
    if name in ("within", "nonnegative"):
        least, last = known[0][0], keywords.get("extent", known[0][1] + 1) - 1
        return max(least, 0), max(min(known[0][1], last), 0)
    return facts.UNWRAPPED[name](*known) if name in facts.UNWRAPPED else most
