"""From terms to statements: one walk over the λs of a program, the same for every language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, Step
from combinators.objects import Fun, Mu, Object, Product, Sum, Tangent, Tensor, Vector, components
from combinators.primitives import structural
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import LOOP
from combinators.primitives.sums import SUMS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, captured
from combinators.type_folds import unfolded
from interpreters.backends.analysis.captures import VariableUses
from interpreters.backends.analysis.facts import UNKNOWN, LineFact
from interpreters.backends.text.language import Language
from interpreters.backends.text.layout import Assign, Clause, Text, call
from interpreters.backends.text.leaves import (
    Bundle,
    CapturedLam,
    Leaf,
    Spread,
    Value,
    bundle,
    is_apart,
    leaf_types,
    share,
    tensor,
)
from interpreters.carriers.pointwise_values import ROWS

DEEPEST = 4
"""How many blocks stand inside each other; what is deeper becomes a function of its own."""
FEW = 3
"""Of how many components a result is taken apart where it is given."""
_APPLIED = (structural.OVERRIDE.primitive, structural.RECOMPUTE.primitive)
MOVES = frozenset({"broadcast_to", "reshape", "transpose", "slice"})


class Writer(Language):
    """Writes the functions of one program into a module."""

    # Terms.

    def value(self, term: Term, wish: str = "t", *, last: bool = False) -> Step[Value]:
        """The value of a term, after the statements that compute it.

        Of what a block ends with, ``last``, each component is asked for once.
        """
        match term:
            case Var(name):
                return self.at.env[name]
            case Const(literal):
                return self.literal(literal)
            case Lam():
                env = self.at.env
                return CapturedLam(term, {v.name: env[v.name] for v in self.captured[id(term)]})
            case Let():
                return self._let(term, wish, last=last)
            case Tuple(items):
                return self._tuple(items, term.type, last=last)
            case Proj():
                return self._projection(term)
            case App(function, argument):
                return self._applied(function, argument, wish)
            case Cond():
                return self.choice(term, wish) if self.is_flat else self.outline(term, wish)
            case Prim() if id(term) in self.lines.direct:
                return self.direct(term, wish)
            case Prim():
                return self._primitive(term, wish)
        raise AssertionError(term)

    @property
    def is_flat(self) -> bool:
        """Whether another block may stand inside this one."""
        return self.at.depth < DEEPEST

    def _let(self, term: Let, wish: str, *, last: bool) -> Recursive[Value]:
        env = self.at.env
        before = {var.name: env[var.name] for var, _ in term.bindings if var.name in env}
        yield self.bindings(term.bindings)
        result: Value = yield self.value(term.body, wish, last=last)
        env.update(before)
        return result

    def bindings(self, bindings: Sequence[tuple[Var, Term]]) -> Recursive[None]:
        """The statements of a block, but for its result."""
        direct = self.lines.direct
        value: Value
        for var, bound in bindings:
            if id(bound) in direct:
                value = self.direct(bound, var.name)  # type: ignore[arg-type]
            else:
                value = yield self.value(bound, var.name)
                if type(bound) is Var:
                    share(value)
            self.bind(var, value)

    def _tuple(self, items: Sequence[Term], obj: Object, *, last: bool) -> Recursive[Value]:
        parts: list[Value] = yield self.values(items, last=last)
        return Bundle(tuple(parts), obj) if last else bundle(tuple(parts), obj)

    def _projection(self, term: Proj) -> Recursive[Value]:
        whole: Value = yield self.value(term.product)
        return self.component(whole, term.index, term.type)

    # Primitives.

    def direct(self, term: Prim, wish: str) -> Value:
        """A term made of a few primitives of tensors: most are, and this is the quickest way."""
        several = self.compound(term)
        if several is not None:
            return several.write(self, [self.operand(arg) for arg in several.args], wish)
        return self.tensor(term, [self.operand(arg) for arg in term.args], wish)

    def operand(self, term: Term) -> Value:
        """An operand of what is direct."""
        if type(term) is Var:
            return self.at.env[term.name]
        if type(term) is Prim:
            return self.direct(term, "t")
        assert isinstance(term, Const)
        return self.literal(term.literal)

    def line(self, term: Term) -> LineFact:
        """What is known of a primitive."""
        return self.lines.of.get(id(term), UNKNOWN)

    def values(self, terms: Sequence[Term], *, last: bool = False) -> Recursive[list[Value]]:
        """The values of several terms, in order."""
        found: list[Value] = []
        for term in terms:
            found.append((yield self.value(term, last=last)))
        return found

    def _primitive(self, term: Prim, wish: str) -> Step[Value]:
        primitive = term.operation.primitive
        if primitive is LOOP:
            return self.loop(term, wish) if self.is_flat else self.outline(term, wish)
        if primitive in _APPLIED:
            return self._applied(term.args[0], term.args[-1], wish)
        if primitive is structural.FIX.primitive:
            return self.recursive(term, wish) if self.is_flat else self.outline(term, wish)
        if primitive in (structural.REP.primitive, structural.DUAL.primitive):
            raise MissingRule(
                f"the {self.backend} backend has no rep-functions of functions that it is given",
                term.place,
            )
        is_zero = primitive is structural.ZEROS
        return self.zeros(term.type) if is_zero else self._of_values(term, wish)

    def _of_values(self, term: Prim, wish: str) -> Recursive[Value]:
        several = self.compound(term)
        args: list[Value] = yield self.values(term.args if several is None else several.args)
        if several is not None:
            return several.write(self, args, wish)
        primitive, obj = term.operation.primitive, term.type
        result: Value
        if primitive is structural.PACK:
            packed: Leaf = yield self.leaf(args[0])
            share(packed)
            return Leaf(packed.text, obj, packed.level)
        if primitive is structural.UNPACK:
            result = yield self.unpacked(args[0], obj, wish)
        elif primitive is structural.VECTOR:
            result = bundle(tuple(args), obj)
        elif primitive is structural.PLUS:
            result = yield self.plus(args[0], args[1], obj, wish, {})
        elif primitive in SUMS:
            result = yield self.of_sum(term, args[0], wish)
        else:
            result = self.tensor(term, args, wish)
        return result

    def tensor(self, term: Prim, args: Sequence[Value], wish: str) -> Value:
        """A primitive of tensors."""
        name, cod = term.operation.name, term.type
        if not isinstance(cod, Tensor):
            raise self.no_code(name, term)
        if name == "plus":
            return self.sum(args[0], args[1], cod, wish)
        if name in ROWS or name == "where":
            return self.elementwise(name, args, cod, wish, self.line(term))
        if name == "stop_gradient":
            share(args[0])
            return args[0]
        if name in CHECKS:
            return self.checked(term, args, wish)
        if name in MOVES and (moved := self._moved(args[0], name, cod)) is not None:
            return moved
        if name in ("put", "embed") and cod.shape:
            return self.placed(term, args)
        return self.arrays(term, args, wish)

    def no_code(self, name: str, term: Prim) -> MissingRule:
        """The error of a primitive that cannot be written."""
        return MissingRule(
            f"the {self.backend} backend has no code for the primitive {name}", term.place
        )

    def _moved(self, x: Value, name: str, cod: Tensor) -> Value | None:
        """A repetition, or a move of a number that is repeated, which wait; None of others."""
        if isinstance(x, Spread) and (name == "broadcast_to" or not x.inner_shape):
            return Spread(x.inner, cod) if cod.shape else x.inner
        if name != "broadcast_to" and tensor(x).shape:
            return None
        leaf = self.array(x)
        share(leaf)
        return leaf if tensor(leaf).shape == cod.shape else Spread(self.named(leaf), cod)

    def elementwise(
        self, name: str, args: Sequence[Value], cod: Tensor, wish: str, line: LineFact = UNKNOWN
    ) -> Value:
        """A primitive of numbers, element by element; of one that is repeated, once."""
        inners = [arg.inner if isinstance(arg, Spread) else arg for arg in args]
        shapes = [tensor(x).shape for x in inners]
        if not any(shapes):
            one = cod if not cod.shape else Tensor((), cod.dtype)
            number = self.elements(name, [self.array(x) for x in inners], one, wish, line)
            return Spread(self.named(number), cod) if cod.shape else number
        fits = np.broadcast_shapes(*shapes) == cod.shape
        operands = [self.array(x) for x in (inners if fits else args)]
        return self.elements(name, operands, cod, wish, line)

    # Functions: a λ is written once, called, and closed over what it captures.

    def _applied(self, function: Term, argument: Term, wish: str) -> Recursive[Value]:
        if isinstance(function, Prim) and function.operation == structural.FIX:
            found: Value | None = yield self.in_place(function, argument, wish)
            if found is not None:
                return found
        f: Value = yield self.value(function)
        x: Value = yield self.value(argument)
        result: Value = yield self.call(function, f, x, wish)
        return result

    def call(
        self, function: Term, f: Value, x: Value, wish: str, *, last: bool = False
    ) -> Recursive[Value]:
        """``f x``: written out where the λ stands here and nowhere else."""
        if isinstance(f, CapturedLam) and self.is_once(function):
            return self._inlined(f, x, wish, last=last)
        return self.called(f, x, wish)

    def _inlined(self, f: CapturedLam, x: Value, wish: str, *, last: bool) -> Recursive[Value]:
        outside, params = (self.at.env, self.at.uses), f.function.params
        self.at.env, self.at.uses = (dict(f.captured), VariableUses(f.function.body, self.captured))
        for index, var in enumerate(params):
            self.bind(var, x if len(params) == 1 else self.component(x, index, var.type))
        result: Value = yield self.value(f.function.body, wish, last=last)
        self.at.env, self.at.uses = outside
        return result

    def called(self, f: Value, x: Value, wish: str) -> Recursive[Value]:
        """A call of a function that stands elsewhere."""
        assert isinstance(f.type, Fun)
        name, args = yield self.callee(f)
        share(x)
        args += yield self.arguments(x, f.type.dom)
        return self._given_back(call(name, *args), f.type.cod, wish)

    def callee(self, f: Value) -> Recursive[tuple[str, list[Text]]]:
        """The name of a function, and what it captures as the first of its arguments."""
        leaf: Leaf
        if not isinstance(f, CapturedLam):
            leaf = yield self.leaf(f)
            return self.named(leaf, "f").text, []
        name: str = yield self._defined(f.function)
        texts: list[Text] = []
        for var, value in f.captured.items():
            share(value)
            leaf = yield self.leaf(value, var)
            texts.append(self.named(leaf, var).text)
        return name, texts

    def arguments(self, x: Value, dom: Object) -> Recursive[list[Text]]:
        """The argument of a function, as Python's arguments."""
        if self.recurses and is_apart(dom) and not isinstance(x, Bundle):
            # A call with a star would go by C's stack.
            x = self.taken_apart(self.named((yield self.leaf(x))))
        parts = x.parts if is_apart(dom) and isinstance(x, Bundle) else (x,)
        texts: list[Text] = []
        for part in parts:
            leaf: Leaf = yield self.leaf(part)
            is_whole = part is x and is_apart(dom)
            texts.append(f"*{self.named(leaf).text}" if is_whole else self.argument(leaf))
        return texts

    def _given_back(self, text: Text, obj: Object, wish: str) -> Value:
        """What a call gives, under names; a product of few components is taken apart."""
        if not isinstance(obj, Product) or not 1 < obj.width <= FEW:
            return self.opaque(obj, self.assign(text, wish))
        names = tuple(self.fresh(f"{wish}_{i}") for i in range(obj.width))
        self.at.body.append(Assign(names, text))
        return Bundle(tuple(map(self.opaque, obj.parts, names)), obj)

    def _defined(self, function: Lam) -> Recursive[str]:
        """The name of the function at the top of the module that a λ is."""
        if id(function) in self._functions:
            return self._functions[id(function)]
        name = self._functions[id(function)] = self.module.fresh(function.name or "step")
        captures = self.captured[id(function)]
        with self.function(function.body):
            params = self.parameters((*captures, *function.params), len(captures))
            value: Value = yield self.value(function.body, "result")
            self.give((yield self.text(value, "result")))
            types = [*(var.type for var in (*captures, *function.params)), value.type]
            is_first_order = all(isinstance(obj, Tensor) for obj in leaf_types(types))
            decorator = self.decorator if is_first_order else ""
            self.module.define(name, params, self.at.body, decorator=decorator)
        return name

    def parameters(self, params: Sequence[Var], captured: int = 0) -> tuple[str, ...]:
        """The parameters of the function that is written; the first may be ``captured``."""
        names = []
        for var in params:
            names.append(self.fresh(var.name))
            self.at.env[var.name] = self.opaque(var.type, names[-1])
        if len(params) - captured == 1 and is_apart(params[-1].type):
            names[-1] = f"*{names[-1]}"
        return tuple(names)

    def outline(self, term: Term, wish: str) -> Recursive[Value]:
        """A term that stands too deep, as a function of its free variables."""
        free, _ = captured(term, self.captured)
        env = {var.name: self.at.env[var.name] for var in free}
        return self.outlined(term, free, env, wish)

    def outlined(
        self, term: Term, free: tuple[Var, ...], env: Mapping[str, Value], wish: str
    ) -> Recursive[Value]:
        """A term, with these values of its ``free`` variables, as a function of them gives it."""
        if id(term) not in self._outlines:  # nodes are known by their ids
            self._outlines[id(term)] = Lam((), term, wish), term
        function, _ = self._outlines[id(term)]
        self.captured[id(function)] = free
        result: Value = yield self.called(
            CapturedLam(function, env), Bundle((), function.dom), wish
        )
        return result

    def zeros(self, obj: Object) -> Step[Value]:
        """The zero of a type; those without vectors are made once."""
        if id(obj) in self.zero_values:
            return self.zero_values[id(obj)]
        is_constant = not any(isinstance(leaf, Vector) for leaf in leaf_types([obj]))
        return self._zero(obj, self.zero_values if is_constant else {})

    def _zero(self, obj: Object, made: dict[int, Value]) -> Recursive[Value]:
        if id(obj) in made:
            return made[id(obj)]
        product = components(obj)
        value: Value = Leaf("None", obj)
        if isinstance(obj, Sum):
            value = yield self.zero_of_sum(obj)
        elif isinstance(obj, Mu):
            unrolled: Leaf = yield self.leaf((yield self._zero(unfolded(obj), made)))
            value = Leaf(unrolled.text, obj)
        elif product is not None:
            parts: list[Value] = []
            for part in product.parts:
                parts.append((yield self._zero(part, made)))
            value = bundle(tuple(parts), obj)
        elif isinstance(obj, Tensor):
            number = self.number_of(0.0 if obj.is_smooth else 0, obj)
            value = Spread(number, obj) if obj.shape else number
        elif isinstance(obj, Vector):
            item: Value = yield self._zero(obj.item, made)
            leaf: Leaf = yield self.leaf(item)
            text = f"({self.named(leaf).text},) * {obj.length}"
            value = Leaf(self.assign(text, "zeros"), obj)
        made[id(obj)] = value
        return value

    def unpacked(self, x: Value, obj: Object, wish: str) -> Recursive[Value]:
        """What was packed, or the zero of its type."""
        packed: Leaf = yield self.leaf(x)
        zero: Value
        if packed.text == "None" or obj is Tangent:
            zero = yield self.zeros(obj)
            return zero if packed.text == "None" else packed
        name = self.assign(packed.text, wish)
        with self.block() as body:
            zero = yield self.zeros(obj)
            body.append(Assign((name,), (yield self.text(zero))))
        self.at.body.append(Clause("if ", f"{name} is None", body))
        return self.opaque(obj, name)
