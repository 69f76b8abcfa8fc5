"""From terms to statements: one walk over a λ, into one Python function that JAX can trace."""

from __future__ import annotations

from typing import Any, NamedTuple

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.primitives.loops import DUAL, LOOPS, OVERRIDE, RECOMPUTE, REP
from combinators.primitives.tangents import PACK, PLUS, UNPACK, VECTOR, ZEROS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.text.cotangents import zeros
from interpreters.backends.text.emitter import Emitter as TextEmitter
from interpreters.backends.text.forms import ATOM
from interpreters.backends.text.layout import Text, flat, tuple_of
from interpreters.backends.text.survey import Lambdas, surveyed
from interpreters.backends.text.values import Bundle, Spread, leaf_types
from interpreters.backends.xla import arrays, functions, loops, places
from interpreters.backends.xla.branches import choice
from interpreters.backends.xla.cotangents import plus
from interpreters.backends.xla.frame import LONG, Frame
from interpreters.backends.xla.literals import filled, number, strong
from interpreters.backends.xla.values import Leaf, Pieces, Put, Value


class Survey(NamedTuple):
    """What is known of a program before it is written."""

    lambdas: Lambdas
    is_wide: bool
    """Whether there are numbers of 64 bits."""

    @classmethod
    def of(cls, root: Lam) -> Survey:
        """Of the closed λ ``root``."""
        lambdas, nodes = surveyed(root)
        objects = {id(part.type): part.type for node in nodes for part in (node, *node.below())}
        is_wide = any(
            isinstance(obj, Tensor) and obj.dtype.endswith("64")
            for obj in leaf_types([root.dom, *objects.values()])
        )
        return cls(lambdas, is_wide)


class Emitter(TextEmitter[Value, Leaf, Frame]):
    """Writes the functions of one program into a module."""

    def value(self, term: Term, at: Frame, wish: str = "t") -> Recursive[Value]:
        """The value of a term, after the statements that compute it."""
        result: Value
        match term:
            case Var(name):
                return at.env[name]
            case Const(literal):
                return self.literal(literal)
            case Lam():
                result = yield functions.closure(self, term, at)
            case Let():
                result = yield self._let(term, at, wish)
            case Tuple(items):
                parts = []
                for item in items:
                    parts.append((yield self.value(item, at)))
                result = Bundle(tuple(parts), term.type)
            case Proj(index, product):
                above: Value = yield self.value(product, at)
                result = self.component(above, index, term.type)
            case App(function, argument):
                result = yield functions.applied(self, function, argument, at, wish)
            case Cond():
                result = yield choice(self, term, at, wish)
            case Prim():
                result = yield self._prim(term, at, wish)
            case _:
                raise AssertionError(term)
        return result

    def _let(self, term: Let, at: Frame, wish: str) -> Recursive[Value]:
        before = [(var.name, at.env.get(var.name)) for var, _ in term.bindings]
        for var, bound in term.bindings:
            at.bind(var, (yield self.value(bound, at, var.name)))
        result: Value = yield self.value(term.body, at, wish)
        for name, old in reversed(before):
            if old is not None:
                at.env[name] = old
        return result

    def _prim(self, term: Prim, at: Frame, wish: str) -> Recursive[Value]:
        primitive = term.operation.primitive
        result: Value
        if primitive in LOOPS:
            result = yield loops.loop(self, term, at, wish)
            return result
        if primitive in (OVERRIDE.primitive, RECOMPUTE.primitive):
            result = yield functions.applied(self, term.args[0], term.args[-1], at, wish)
            return result
        if primitive in (REP.primitive, DUAL.primitive):
            raise MissingRule(
                "the XLA backend has no rep-functions of functions that it is given", term.place
            )
        args: list[Value] = []
        for arg in term.args:
            args.append((yield self.value(arg, at)))
        if primitive is ZEROS:
            result = yield zeros(self, term.type, at, {})
        elif primitive is PLUS:
            result = yield plus(self, args[0], args[1], term.type, at)
        elif primitive is PACK:
            packed: Leaf = yield self.leaf(args[0], at)
            result = Leaf(packed.text, term.type, packed.level)
        elif primitive is UNPACK:
            result = yield self._unpacked(args[0], term.type, at)
        elif primitive is VECTOR:
            result = Bundle(tuple(args), term.type)
        else:
            result = arrays.primitive(self, term, args, at, wish)
        return result

    def _unpacked(self, x: Value, obj: Object, at: Frame) -> Recursive[Value]:
        """What was packed, or the zero of its type: JAX traces one of the two."""
        packed: Leaf = yield self.leaf(x, at)
        zero: Value = yield zeros(self, obj, at, {})
        if packed.text == "None":
            return zero
        nothing: Leaf = yield self.leaf(zero, at)
        name = at.named(packed).text
        return Leaf(at.assign(f"{at.named(nothing).text} if {name} is None else {name}", "t"), obj)

    def define(self, name: str, function: Lam) -> Recursive[None]:
        """Write a λ at the top of the module."""
        return functions.define(self, name, function)

    def expression(self, text: str, obj: Object) -> Leaf:
        """An expression."""
        return Leaf(text, obj)

    def component(self, whole: Value, index: int, obj: Object) -> Value:
        """A component of a product or a vector."""
        if isinstance(whole, Bundle):
            return whole.parts[index]
        assert isinstance(whole, Leaf)
        return Leaf(f"{whole.text}[{index}]", obj)

    def number_of(self, value: Any, obj: Tensor) -> Leaf:
        """A number of the element type of ``obj``."""
        return number(bool(value) if obj.dtype == "bool" else value, obj.dtype)

    def constant(self, literal: Literal) -> Leaf:
        """An array that stands at the top of the module."""
        return Leaf(self.module.constant(literal), literal.type)

    def leaf(self, value: Value, at: Frame, wish: str = "t") -> Recursive[Leaf]:
        """The value as one expression, which has a type of its own wherever it stands."""
        if not isinstance(value, Bundle):
            return strong(self.array(value, at, wish))
        found = at.find(value)
        if found is not None:
            return found
        text: Text = yield self.text(value, at)
        short = flat(text)
        made = short if len(short) <= LONG else at.assign(text, wish)
        return at.remember(value, Leaf(made, value.type))

    def text(self, value: Value, at: Frame) -> Recursive[Text]:
        """The value as text that may break into lines: what is returned, or goes into a loop."""
        if not isinstance(value, Bundle) or at.find(value) is not None:
            leaf: Leaf = yield self.leaf(value, at)
            return leaf.text
        texts: list[Text] = []
        for part in value.parts:
            leaf = yield self.leaf(part, at)
            texts.append(leaf.text)
        return tuple_of(tuple(texts))

    def array(self, value: Value, at: Frame, wish: str = "t") -> Leaf:
        """A tensor as an expression, or as a number."""
        if isinstance(value, Leaf):
            return value
        assert not isinstance(value, Bundle)
        found = at.find(value)
        if found is not None:
            return found
        if isinstance(value, Put | Pieces):
            return at.remember(value, places.whole(value, at, wish))
        return at.remember(value, _repeated(value, at, wish))


def _repeated(value: Spread[Leaf], at: Frame, wish: str) -> Leaf:
    """The array that a repetition stands for."""
    inner, obj = value.inner, value.type
    if inner.literal is not None:
        return Leaf(at.assign(filled(inner, obj), wish), obj)
    return Leaf(at.assign(f"jnp.broadcast_to({inner.text}, {obj.shape})", wish), obj, ATOM)
