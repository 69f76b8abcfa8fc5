"""From terms to statements: one walk over a λ, into one Python function."""

from __future__ import annotations

from typing import Any, NamedTuple

from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis.captures import Lambdas, surveyed
from interpreters.backends.python import branches, calls, operations, places, tensors
from interpreters.backends.python.arrays import hides_zeros
from interpreters.backends.python.frame import Frame, Uses, bundle, share
from interpreters.backends.python.module import Module
from interpreters.backends.python.numbers import Escalate
from interpreters.backends.python.scalars import PYTHON, number_text
from interpreters.backends.python.values import Known, Leaf, Placed, Root, Value, is_tainted
from interpreters.backends.text.emitter import Emitter as TextEmitter
from interpreters.backends.text.emitter import matched
from interpreters.backends.text.frame import Bundle, Spread
from interpreters.backends.text.layout import ATOM, tuple_of
from interpreters.backends.text.module import is_iota

OPTIMISTIC, DOUBTFUL, CAREFUL = range(3)
"""What a product that hides zeros may be: a plain one whose nan is seen at the end, the same with
nothing known of parameters, or one with care."""


class Survey(NamedTuple):
    """What is known of a program before it is written."""

    lambdas: Lambdas
    scales: bool
    """Whether there is a product that hides zeros."""

    @classmethod
    def of(cls, root: Lam) -> Survey:
        """Of the closed λ ``root``."""
        lambdas, nodes = surveyed(root)
        return cls(lambdas, any(type(x) is Prim and hides_zeros(x.operation) for x in nodes))


class Emitter(TextEmitter[Value, Leaf, Frame]):
    """Writes the functions of one program into a module, quick or careful."""

    def __init__(self, module: Module, survey: Survey, *, careful: bool, level: int) -> None:
        """The functions of the program that was surveyed."""
        super().__init__(module, survey.lambdas)
        self.careful = careful
        self.level = CAREFUL if careful else level
        self.raises = self.warns = False
        self.closers: dict[int, str] = {}
        self.tainted_results: dict[int, bool] = {}
        self.carried: dict[int, list[bool]] = {}

    def value(
        self, term: Term, at: Frame, wish: str = "t", *, last: bool = False
    ) -> Recursive[Value]:
        """The value of a term, after the statements that compute it.

        Of what a block ends with, ``last``, each component is asked for once.
        """
        match term:
            case Var(name):
                return at.env[name]
            case Const(literal):
                return self.literal(literal)
            case Lam():
                return Known(term, {v.name: at.env[v.name] for v in self.captured[id(term)]})
            case Let():
                result: Value = yield self._let(term, at, wish, last=last)
                return result
            case Tuple(items):
                parts = []
                for item in items:
                    parts.append((yield self.value(item, at, last=last)))
                return Bundle(tuple(parts), term.type) if last else bundle(tuple(parts), term.type)
            case Proj(index, product):
                whole: Value = yield self.value(product, at)
                return self.component(whole, index, term.type)
            case App(function, argument):
                given: Value = yield calls.applied(self, function, argument, at, wish)
                return given
            case Cond():
                chosen: Value = yield branches.choice(self, term, at, wish)
                return chosen
            case Prim():
                if operations.is_direct(term):
                    return operations.direct(self, term, at, wish)
                made: Value = yield operations.operation(self, term, at, wish)
                return made
        raise AssertionError(term)

    def _let(self, term: Let, at: Frame, wish: str, *, last: bool) -> Recursive[Value]:
        before = {var.name: at.env[var.name] for var, _ in term.bindings if var.name in at.env}
        value: Value
        for var, bound in term.bindings:
            if operations.is_direct(bound):
                value = operations.direct(self, bound, at, var.name)
            else:
                value = yield self.value(bound, at, var.name)
            if isinstance(bound, Var):
                share(value)
            at.bind(var, value)
        result: Value = yield self.value(term.body, at, wish, last=last)
        at.env.update(before)
        return result

    def inlined(
        self, known: Known, argument: Value, at: Frame, wish: str, *, last: bool = False
    ) -> Recursive[Value]:
        """The body of a λ, written here; ``last`` in a block."""
        function = known.function
        outside = at.env, at.uses
        at.env, at.uses = dict(known.captured), Uses(function.body, self.captured)
        for param, part in matched(self, function.params, argument):
            self.pass_to(param, part, at)
        result: Value = yield self.value(function.body, at, wish, last=last)
        at.env, at.uses = outside
        return result

    def pass_to(self, param: Var, argument: Value, at: Frame) -> None:
        """Bind a parameter of a λ that is written here."""
        if isinstance(argument, Leaf) and not argument.text.isidentifier():
            argument = at.named(argument, param.name)
        at.bind(param, argument)

    def define(self, name: str, function: Lam) -> Recursive[None]:
        """Write a λ at the top of the module."""
        return calls.define(self, name, function)

    def bundle(self, parts: tuple[Value, ...], obj: Object) -> Bundle[Value]:
        """A product of known parts, which something else may look at from here on."""
        return bundle(parts, obj)

    def expression(self, text: str, obj: Object) -> Leaf:
        """An expression that holds no buffer."""
        return Leaf(text, obj)

    def component(self, whole: Value, index: int, obj: Object) -> Value:
        """A component of a product or a vector."""
        match whole:
            case Bundle(parts):
                return parts[index]
            case Leaf(text, tainted=tainted):
                root = Root(fresh=False) if isinstance(obj, Tensor) and obj.shape else None
                return Leaf(f"{text}[{index}]", obj, ATOM, root, tainted=tainted)
            case _:
                raise AssertionError(whole)

    def constant(self, literal: Literal) -> Leaf:
        """An array that stands at the top of the module."""
        obj, array = literal.type, literal.array
        iota = obj.dtype == "int64" and array.ndim == 1 and is_iota(array)
        leaf = Leaf(self.module.constant(literal), obj, ATOM, Root(fresh=False), iota=iota)
        if array.size and obj.dtype == "int64":
            leaf.bounds = int(array.min()), int(array.max())
        return leaf

    def number_of(self, number: Any, obj: Tensor) -> Leaf:
        """A number of the element type of ``obj``."""
        obj = Tensor((), obj.dtype)
        text, level = number_text(number)
        if obj not in PYTHON:
            text, level = f"np.{obj.dtype}({text})", ATOM
        bounds = (int(number), int(number)) if isinstance(number, int) else (0, 0)
        return Leaf(text, obj, level, literal=number, bounds=bounds)

    def leaf(self, value: Value, at: Frame, wish: str = "t") -> Recursive[Leaf]:
        """The value as one Python object."""
        if isinstance(value, Leaf):
            return value
        found = at.find(value)
        if found is not None:
            return found
        made: Leaf
        match value:
            case Bundle(parts, obj):
                texts = []
                for part in parts:
                    leaf: Leaf = yield self.leaf(part, at)
                    share(leaf)
                    texts.append(at.named(leaf).text)
                tainted = is_tainted(value)
                name = at.assign(tuple_of(tuple(texts)), wish) if texts else "()"
                made = Leaf(name, obj, ATOM, tainted=tainted)
            case Known():
                made = yield calls.closure(self, value, at, wish)
            case Spread():
                return tensors.filled_out(value, at, wish)
            case Placed():
                return places.placed(value, at, wish)
        return at.remember(value, made)

    def array(self, value: Value, at: Frame) -> Leaf:
        """A tensor under a name, or as a number."""
        match value:
            case Spread():
                return tensors.filled_out(value, at, "t")
            case Placed():
                return places.placed(value, at, "t")
            case Leaf():
                return value
            case _:
                raise AssertionError(value)

    def doubt(self, value: Value) -> None:
        """``value`` goes where its nans can no longer be followed, as into a function."""
        if self.level == OPTIMISTIC and is_tainted(value):
            raise Escalate

    def opaque(self, obj: Object, text: str) -> Leaf:
        """What a parameter or a call gives, of which nothing is known."""
        root = Root(fresh=False) if isinstance(obj, Tensor) and obj.shape else None
        return Leaf(text, obj, ATOM, root, tainted=self.level == DOUBTFUL)
