"""Functions of known code: written once for the shapes of what goes in, and called.

Forwards the function gives its value and its residuals, backwards it takes them::

    f      (a, z) = (sin (a * z), a * z)             value and residual
    f back (a, z, kept, dy) = let v = dy · cos kept in (v · z, v · a)

In the simply-typed form (Fig. 3 of 004) a function's cotangent is the list of its calls. Within a
block they are a list. Where they would cross a border, every call is written again, forwards and
backwards, and what goes across is the cotangent of what the function captured: the pullback of
``curry`` is linear in the calls, so it may be taken for those of each block apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from combinators.objects import Product
from combinators.terms import Lam, Var, pack
from combinators.tracing.scope import Scope, entered
from combinators.type_folds import is_smooth, tangent_of
from interpreters.execution.machine import Machine, Step, Written, nothing
from interpreters.execution.running import Closure, Code
from interpreters.sparse_cotangents import Cotangent, Environment, nonzero, opened, own, plus
from interpreters.staging import atoms
from interpreters.staging import cotangent_layouts as layouts
from interpreters.staging.atoms import Atom
from interpreters.staging.borders import Borders, Shape, returned

MOST = 16
"""A cotangent of more terms than this leaves a function as one dense term."""


class Back(NamedTuple):
    """A known function backwards."""

    lam: Lam
    passed: tuple[int, ...]
    """The parameters of the forward function that it takes, before residuals and cotangent."""
    held: layouts.Layout
    """What it gives of the parameters' cotangents."""
    residuals: list[Var]


class KnownFunction(NamedTuple):
    """A function of known code, written."""

    lam: Lam
    shape: Shape
    back: Back | None


class Context(NamedTuple):
    """How the captured values and the argument go into a known function, as its parameters."""

    code: Code
    shapes: tuple[Shape, ...]
    terms: tuple[Atom, ...]
    apart: bool
    """Whether the components of the argument go apart."""

    @classmethod
    def of(cls, borders: Borders, closure: Closure, argument: Any) -> Context:
        """What goes into the function of a closure."""
        code, dom = closure.code, closure.code.function.dom
        apart = isinstance(dom, Product) and type(argument) is tuple and dom.width > 0
        types = dom.parts if isinstance(dom, Product) and apart else (dom,)
        values = (*closure.env, *(argument if apart else (argument,)))
        return cls(code, *borders.terms(values, (*code.captured.parts, *types)), apart)

    @property
    def names(self) -> list[str]:
        """What the parameters are called: the captured variables by their names."""
        label, rest = self.code.label, len(self.terms) - self.code.width
        captured = [*label.names, *["w"] * self.code.width][: self.code.width]
        return captured + [*label.parameters, *["x"] * rest][:rest]

    def value(self, borders: Borders, params: Sequence[Var]) -> list[Any]:
        """The context that the parameters make."""
        given = zip(self.shapes, params, strict=True)
        values = [borders.value(shape, Atom(param)) for shape, param in given]
        rest = values[self.code.width :]
        return [*values[: self.code.width], tuple(rest) if self.apart else rest[0]]

    def parts(self, context: Cotangent) -> dict[int, Cotangent]:
        """The cotangents of the parameters, from that of the context."""
        given, width = {} if context is None else dict(opened(context)), self.code.width
        argument = given.pop(width, None)
        if argument is None or not self.apart:
            return {**given, width: argument}
        return {**given, **{width + i: part for i, part in opened(argument).items()}}

    def together(self, parts: dict[int, Cotangent]) -> Cotangent:
        """The cotangent of the function and its argument, from those of the parameters."""
        width = self.code.width
        env = nonzero((i, part) for i, part in parts.items() if i < width)
        rest = nonzero((i - width, part) for i, part in parts.items() if i >= width)
        return nonzero(enumerate((env, rest if self.apart else rest and rest[0])))


class KnownFunctions:
    """The functions of known code of one program, by their code and the shapes of what goes in."""

    def __init__(self, borders: Borders) -> None:
        self.borders, self.mode = borders, borders.mode
        self._known: dict[Hashable, KnownFunction] = {}

    def call(self, closure: Closure, argument: Any, *, again: bool = False) -> Step:
        """The step that applies a closure; ``again`` backwards, if it keeps nothing."""

        def apply(machine: Machine) -> Written:
            context = Context.of(self.borders, closure, argument)
            key = closure.code, again, context.apart, *context.shapes
            if key not in self._known:
                self._known[key] = yield from self._write(machine, context, again=again)
            known, back = self._known[key], self._known[key].back
            whole = atoms.apply(known.lam, *context.terms)
            y, kept = (whole[0], whole[1]) if back and back.residuals else (whole, None)
            machine.stack.append(self.borders.value(known.shape, y))
            if self.mode.reverses:
                machine.tape.append(_transpose(back, context, y, kept) if back else nothing)

        return apply

    def _write(self, machine: Machine, context: Context, *, again: bool) -> Written:
        code, scope = context.code, Scope(None, "a function")
        with entered(scope):
            params = tuple(
                scope.parameter(name, term.type)
                for name, term in zip(context.names, context.terms, strict=True)
            )
            start = context.value(self.borders, params)
            value, tape = yield from machine.forwards(code.arrow.enter, start)
            shape, y = self.borders.term(value, code.function.cod)
        back = None
        if self.mode.reverses and is_smooth(code.function.cod):
            given = None if again else tape
            back = yield from self._back(machine, given, scope, context, params, (shape, y))
        with entered(scope):
            kept = atoms.record(back.residuals) if back else None
        block = atoms.closed(scope, *([y] if kept is None else [y, kept]))
        return KnownFunction(Lam(params, block.body, code.label.called), shape, back)

    def _back(
        self,
        machine: Machine,
        tape: list[Step] | None,
        forward: Scope,
        context: Context,
        params: tuple[Var, ...],
        result: tuple[Shape, Atom],
    ) -> Written:
        """The function backwards by its tape; without one, which it first writes again."""
        (shape, y), scope = result, atoms.twin(forward, None)
        with entered(scope):
            start = context.value(self.borders, params)
            if tape is None:
                _, tape = yield from machine.forwards(context.code.arrow.enter, start)
            dy = scope.parameter("dy", tangent_of(y.type))
            given = returned(shape, y.type, Atom(dy))
            pulled = yield from self.borders.pulled(machine, tape, given, start)
            parts = context.parts(pulled)
            each = [(i, parts[i], tangent_of(params[i].type)) for i in sorted(parts)]
            held = nonzero((i, layouts.layout_of(part[0], part[1], MOST)) for i, *part in each)
            results = layouts.leaves(held, parts)
        if not results:
            return None
        block = atoms.closed(scope, *results)
        owned = block.owned_by(forward)
        residuals = [var for var in owned if var not in params]
        passed = tuple(i for i, param in enumerate(params) if param in owned)
        taken, body = [params[i] for i in passed], block.body
        if residuals:
            taken.append(Var(scope.names.fresh("kept"), pack(tuple(residuals)).type))
            body = atoms.binding(atoms.opening(residuals, taken[-1]), body)
        return Back(Lam((*taken, dy), body), passed, held, residuals)

    def recorded(self, closure: Closure, argument: Any) -> Step:
        """The step that applies a closure, and backwards records the call."""
        apply = self.call(closure, argument)

        def call(machine: Machine) -> Written:
            value, tape = yield from machine.forwards(apply)

            def transpose(machine: Machine) -> Written:
                cotangent = machine.stack.pop()
                pulled = yield from self._pulled(machine, tape, cotangent, value)
                calls = None if cotangent is None else [(argument, cotangent)]
                machine.stack.append(nonzero(enumerate((calls, pulled.get(1)))))

            machine.stack.append(value)
            machine.tape.append(transpose)

        return call

    def written_again(self, closure: Closure) -> Step:
        """From calls to the cotangent of the environment (``new_pb`` of Fig. 3)."""

        def transpose(machine: Machine) -> Written:
            total: Cotangent = None
            for call in machine.stack.pop():
                if type(call) is Environment:
                    part = call.captured
                else:
                    value, tape = yield from machine.forwards(self.call(closure, call[0]))
                    part = (yield from self._pulled(machine, tape, call[1], value)).get(0)
                total = plus(total, part, self.mode.over.add)
            machine.stack.append(total)

        return transpose

    def _pulled(
        self, machine: Machine, tape: list[Step], cotangent: Cotangent, value: Any
    ) -> Written:
        """The cotangents of a function and of its argument, by components, from a call's tape."""
        across = yield from self.borders.without_calls(machine, own(cotangent), value)
        pulled = yield from machine.backwards(tape, across)
        return {} if pulled is None else opened(pulled)


def _transpose(back: Back, context: Context, y: Atom, kept: Atom | None) -> Step:
    """The step that calls the function backwards."""

    def transpose(machine: Machine) -> None:
        if machine.stack[-1] is None:
            return
        taken = [context.terms[i] for i in back.passed] + ([] if kept is None else [kept])
        given = layouts.dense(machine.stack[-1], tangent_of(y.type))
        whole = atoms.apply(back.lam, *taken, given)
        parts = atoms.unbundled(whole, layouts.count(back.held))
        machine.stack[-1] = context.together(layouts.cotangent_of(back.held, iter(parts)))

    return transpose
