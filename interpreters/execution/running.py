"""What the modes that run share: combinators as ropes of steps over a carrier."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from combinators.errors import MissingRule, TypeMismatch
from combinators.kit.memory import Remembered
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.morphisms import (
    Curry,
    Eval,
    Label,
    Morphism,
    Primitive,
    Projection,
    interpret,
    prod,
)
from combinators.objects import Fun, Object, Product, Sum, component
from combinators.operation import Operation
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import DUAL, FIX, OVERRIDE, PACK, RECOMPUTE, REP, STRUCTURAL
from combinators.primitives.sums import SUMS
from combinators.type_folds import parts_of
from combinators.value_folds import Injected, opened_at
from interpreters.carriers.carrier import Carrier, Numbered, carrier_of
from interpreters.execution import machine as steps
from interpreters.execution.direct import Direct
from interpreters.execution.machine import Arrow, Machine, Reversible, Step, settled
from interpreters.sparse_cotangents import nonzero, opened

DERIVATIVES: dict[Operation, Callable[[Running], Step]] = {}
"""The steps from a closure to that of its rep-function, or of its dual function, in a mode:
``interpreters.staging`` says it."""


@dataclass(slots=True, eq=False)
class Closure:
    """A function value: code, and the values that it captures."""

    code: Code
    env: tuple[Any, ...]
    directions: ClassVar[tuple[Any, ...]] = ()
    """The tangent functions along which it moves besides, in forward mode."""


@dataclass(slots=True, eq=False)
class Code:
    """The body of a λ, which starts from the captured values with the argument at their end."""

    arrow: Arrow
    captured: Product
    function: Fun
    label: Label
    fixed: Code | None = field(default=None, init=False, repr=False)
    """Where it is a step's, the code of its fixed point, which captures the same."""

    @property
    def width(self) -> int:
        """How many values it captures."""
        return self.captured.width

    def split(self, machine: Machine) -> None:
        """Backwards: the context's cotangent becomes that of the closure and of the argument."""
        cotangent = machine.stack[-1]
        if cotangent is not None:
            context = opened(cotangent)
            argument = context.pop(self.captured.width, None)
            machine.stack[-1] = nonzero(enumerate((context or None, argument)))


class Running:
    """A category whose arrows run: functions of the carrier's numbers.

    It is the primal mode; the others change how steps are recorded and functions are applied.
    """

    reverses: ClassVar[bool] = False
    """Whether running an arrow leaves its transpose on the tape."""
    records_calls: ClassVar[bool] = False
    """Whether a function's cotangent is the list of its calls, or else its environment's."""

    def __init__(self, over: Carrier | Numbered) -> None:
        """A mode over the carrier ``over``, or over a mode that has numbers."""
        self.over = carrier_of(over)
        self.control: Direct = getattr(self.over, "control", Direct)(self)
        self._steps: dict[Any, Step] = {}
        self._primitives: dict[Any, Arrow] = {}

    def record(self, step: Reversible) -> Step:
        """The step as this mode runs it."""
        return step.forward

    def step(self, make: Callable[..., Reversible], *arguments: Any) -> Step:
        """The structural step ``make(*arguments)``; equal steps are one."""
        key = (make, arguments)
        if key not in self._steps:
            self._steps[key] = self.record(make(*arguments))
        return self._steps[key]

    def leave(self, machine: Machine, step: Step) -> None:
        """Leave what undoes a step; a mode that only goes forwards leaves nothing."""

    def identity(self, dom: Object) -> Arrow:
        """No steps."""
        return Arrow(dom, dom, ())

    def relabel(self, dom: Object, cod: Object) -> Arrow:
        """No steps: the values of a record are those of its product."""
        return Arrow(dom, cod, ())

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        """One after the other."""
        return Arrow(arrows[0].dom, arrows[-1].cod, tuple(arrows))

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        """A component."""
        return Arrow(dom, cod, (self.step(steps.project, index),), component=index)

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        """Each on a copy of the source, then their tuple."""
        types = tuple([arrow.cod for arrow in arrows])
        cod = Product(*types)
        if not arrows:
            return Arrow(dom, cod, (self.record(steps.constant(())),))
        chosen = tuple([arrow.component for arrow in arrows if arrow.component is not None])
        if len(chosen) == len(arrows):
            return Arrow(dom, cod, (self.step(steps.select, chosen, self.over.add),))
        rope: list[Step | Arrow] = []
        for depth, arrow in enumerate(arrows, 1):
            rope += (self.step(steps.copy, depth, self.over.add), arrow)
        rope.append(self.step(steps.pair, types))
        literals = frozenset([i for i, arrow in enumerate(arrows) if arrow.literal])
        return Arrow(dom, cod, tuple(rope), literals=literals)

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        """Run on a copy, and append."""
        copy = self.step(steps.copy, 1, self.over.add)
        append = self.record(steps.append(context.width, arrow.cod))
        return Arrow(context, context.snoc(arrow.cod), (copy, arrow, append))

    def const(self, dom: Object, value: Literal) -> Arrow:
        """A number of the carrier."""
        step = self.record(steps.constant(self.over.const(value)))
        return Arrow(dom, value.type, (step,), literal=True)

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        """The branch that the first component chooses."""
        return Arrow(dom, then.cod, (self.control.choice(then, other),))

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """A computation of the carrier, a loop, or what is made of ``eval``."""
        if operation.primitive in SUMS:
            return self.control.of_sum(operation, dom, cod)
        if operation.primitive.derivative is not None:
            key = (operation, dom)
            if key not in self._primitives:
                self._primitives[key] = self.generator(operation, dom, cod)
            return self._primitives[key]
        if operation.primitive is LOOP:
            return Arrow(dom, cod, (self.control.loop(operation, dom),))
        if operation == OVERRIDE:
            return Arrow(dom, cod, (self.override(dom, cod),))
        if operation == FIX:
            assert isinstance(dom, Fun)
            return self.control.fix(dom)
        if operation == RECOMPUTE:
            return Arrow(dom, cod, (self.control.recompute(function_of(dom)),))
        if operation in (REP, DUAL):
            return Arrow(dom, cod, (self.derivative(operation),))
        raise MissingRule(f"the mode {type(self).__name__} does not know {operation.name}")

    def derivative(self, operation: Operation) -> Step:
        """``rep`` or ``dual`` of a function value; raises MissingRule where nothing writes them."""
        if operation not in DERIVATIVES:
            raise MissingRule(
                f"{operation.name} of a function is written by "
                "interpreters.staging.function_derivatives, which is not loaded; import it"
            )
        return DERIVATIVES[operation](self)

    def fix(self, step: Fun, body: Arrow | None = None) -> Arrow:
        """``fix f`` over what f captured, or f; its code is ``body``, or ``λx. f (fix f, x)``."""
        key = FIX, step
        if key not in self._primitives:

            def fix(machine: Machine) -> Iterator[Step] | None:
                f = machine.stack[-1]
                if not isinstance(f, Closure) or f.directions:
                    return unknown.enter(machine)
                f.code.fixed = f.code.fixed or self._fixed(f.code, itself, code)
                self.close(machine, f.code.fixed, f.env)
                return None

            itself = Fun(component(step.dom, 1), step.cod)
            self._primitives[key] = Arrow(step, itself, (fix,))
            call = calling(step)
            unroll = prod(call.dom, Projection(call.dom, 0), call)
            code = body or self.compose([interpret(unroll, self), self.unrolled(step)])
            label = Label(("step",), call >> Eval(itself), ("x",))
            pair = self.prod(step, [self.identity(step)])
            unknown = self.compose([pair, self.curry(Product(step), itself, code, label)])
        return self._primitives[key]

    def _fixed(self, step: Code, itself: Fun, body: Arrow) -> Code:
        """The code of ``fix f``, of that of f: ``body`` is what it does at f and an argument."""
        context, label, whole = step.captured.snoc(itself.dom), step.label, None
        *taken, x = [Projection(context, i) for i in range(step.width + 1)]
        env = prod(context, *taken)
        f = self.compose([interpret(env, self), self.closing(step)])
        arrow = self.compose([self.prod(context, [f, interpret(x, self)]), body])
        if label.body is not None:
            made = env >> Curry(label.body, label.names, label.parameters)
            whole = prod(context, made, x) >> calling(step.function) >> Eval(itself)
        return Code(arrow, step.captured, itself, Label(label.names, whole, ("x",), label.called))

    def unrolled(self, step: Fun) -> Arrow:
        """``eval`` of a step, of its fixed point and an argument."""
        return self.eval(step)

    def generator(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """A primitive of the carrier."""
        compute = self.computation(operation, dom, cod)
        width = dom.width if isinstance(dom, Product) else None

        def step(machine: Machine) -> None:
            x = machine.stack[-1]
            machine.stack[-1] = compute(x) if width is None else compute(*x[:width])

        return Arrow(dom, cod, (step,))

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        """A closure over the captured values."""
        return self.closing(Code(body, captured, function, label))

    def closing(self, code: Code) -> Arrow:
        """From captured values to the closure of a code."""

        def step(machine: Machine) -> None:
            self.close(machine, code, settled(machine.stack[-1], code.captured))

        return Arrow(code.captured, code.function, (step,))

    def close(self, machine: Machine, code: Code, env: Any) -> None:
        """Put the closure in the place of what it captured."""
        machine.stack[-1] = Closure(code, env)

    def eval(self, function: Fun) -> Arrow:
        """Apply a function to an argument."""
        dom = Product(function, function.dom)
        return Arrow(dom, function.cod, self.control.call(function))

    def entering(self, function: Fun) -> tuple[Step, ...]:
        """Go to the closure's code."""
        return (enter,)

    def computation(self, operation: Operation, dom: Object, cod: Object) -> Callable[..., Any]:
        """What computes a primitive on values of this mode."""
        types = arguments(dom)
        if operation.primitive not in STRUCTURAL:
            return self.over.operation(operation, types, cod)
        obj = types[0] if operation.primitive in (PACK, *SUMS) else cod
        return self.control.structural(operation, obj)

    def override(self, dom: Object, cod: Object) -> Step:
        """The function itself: only derivatives are overridden."""
        evaluate = self.eval(function_of(dom))

        def apply(machine: Machine) -> Iterator[Step]:
            function, _, x = machine.stack[-1]
            machine.stack[-1] = (function, x)
            return evaluate.enter(machine)

        return apply


@lru_cache(maxsize=1 << 10)
def calling(step: Fun) -> Morphism:
    """``(f, x) ↦ (fix f, x)``, of a step and an argument."""
    context = Product(step, component(step.dom, 1))
    fixed = Projection(context, 0) >> Primitive(FIX, (step,))
    return prod(context, fixed, Projection(context, 1))


def function_of(dom: Object) -> Fun:
    """The type of the function that a higher-order primitive starts with."""
    assert isinstance(dom, Product)
    function = dom.parts[0]
    assert isinstance(function, Fun)
    return function


def enter(machine: Machine) -> Iterator[Step]:
    """Apply the closure in the pair on top: go to its code, in its environment."""
    closure, argument = machine.stack[-1]
    machine.stack[-1] = [*closure.env, argument]
    return iter(closure.code.arrow.steps)


def arguments(dom: Object) -> tuple[Object, ...]:
    """The argument types of a primitive whose arrow starts from ``dom``."""
    return dom.parts if isinstance(dom, Product) else (dom,)


class Transport:
    """What takes values into the category ``into``; ``number`` takes a number of a type."""

    def __init__(self, into: Running, number: Callable[[Any, Object], Any]) -> None:
        self.into, self.number = into, number
        self._arrows: Remembered[Morphism, Arrow] = Remembered()

    def __call__(self, value: Any, obj: Object) -> Any:
        """``value`` of type ``obj``, in the other category."""
        return recurse(self._value(value, obj, {}))

    def _value(self, value: Any, obj: Object, taken: dict[int, Closure]) -> Recursive[Any]:
        alternative, (inner,), tag = opened_at(obj, (value,))
        if alternative is not obj:
            made = yield self._value(inner, alternative, taken)
            return made if tag is None else Injected(tag, made)
        types = parts_of(obj)
        if types is not None:
            parts = []
            for part, below in zip(value, types, strict=False):
                parts.append((yield self._value(part, below, taken)))
            return tuple(parts)
        if not isinstance(obj, Fun):
            return (
                None if isinstance(obj, Sum) else self.number(value, obj)
            )  # the zero of its tangents
        if id(value) not in taken:
            code = value.code
            env = yield self._value(value.env, code.captured, taken)
            taken[id(value)] = Closure(replace(code, arrow=self._arrow(code.label.body)), env)
        return taken[id(value)]

    def _arrow(self, body: Morphism | None) -> Arrow:
        """The body of a closure, interpreted once."""
        if body is None:
            raise TypeMismatch(
                "a closure goes to another category by its body, and this one was built without; "
                "give curry a Label that holds it"
            )
        return self._arrows.of(body, lambda: interpret(body, self.into))


class DualMode(Running):
    """Arrows run on dual numbers; in the mode ``inner`` they run on primals."""

    def __init__(self, numbers: Any, still: Callable[[Any], Any]) -> None:
        super().__init__(numbers)
        self.inner = Running(numbers.over)
        self._still = Transport(self, lambda number, _: still(number))
        self._primal = Transport(self.inner, lambda number, _: number.primal)
