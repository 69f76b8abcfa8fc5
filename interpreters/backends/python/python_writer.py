"""From terms to statements: one walk over a λ, into one Python function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Real, Tangent, Tensor, Vector, components
from combinators.primitives.building import IOTA
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import (
    DUAL,
    OVERRIDE,
    PACK,
    PLUS,
    RECOMPUTE,
    REP,
    UNPACK,
    ZEROS,
)
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis.captures import Occurrences, VariableUses
from interpreters.backends.analysis.facts import ProgramFacts
from interpreters.backends.python import for_loops, indices, tensors
from interpreters.backends.python import numpy_arrays as arrays
from interpreters.backends.python import python_functions as functions
from interpreters.backends.python.compounds import compound
from interpreters.backends.python.python_values import (
    CapturedLam,
    Leaf,
    Placed,
    PythonEmitter,
    PythonFrame,
    Value,
    bundle,
    share,
)
from interpreters.backends.python.scalars import real, reals
from interpreters.backends.text.emitter import (
    Bundle,
    Spread,
    are_added_apart,
    leaf_types,
    matched,
    zeros,
)
from interpreters.backends.text.emitter import plus as summed
from interpreters.backends.text.layout import Assign, Clause, call, flat, tuple_of
from interpreters.backends.text.module import Module

_APPLIED = (OVERRIDE.primitive, RECOMPUTE.primitive)


class PythonWriter(PythonEmitter):
    """Writes the functions of one program into a module, quick or careful."""

    def __init__(
        self,
        module: Module,
        survey: Occurrences,
        lines: ProgramFacts,
        *,
        careful: bool,
        absorbs: bool,
    ) -> None:
        """The functions of the program that was surveyed, and of which these lines are known."""
        super().__init__(module, survey, lines, careful=careful, absorbs=absorbs)
        self.reals = reals(self)
        self._numbers: dict[float, Leaf] = {}
        self._made: dict[int, Value] = {}
        self._zeros: dict[int, str] = {}

    def value(
        self, term: Term, at: PythonFrame, wish: str = "t", *, last: bool = False
    ) -> Recursive[Value]:
        """The value of a term, after the statements that compute it.

        Of what a block ends with, ``last``, each component is asked for once.
        """
        result: Value
        match term:
            case Var(name):
                return at.env[name]
            case Const(literal):
                return self.literal(literal)
            case Lam():
                return CapturedLam(term, {v.name: at.env[v.name] for v in self.captured[id(term)]})
            case Let():
                result = yield self._let(term, at, wish, last=last)
            case Tuple(items):
                parts = []
                for item in items:
                    parts.append((yield self.value(item, at, last=last)))
                return Bundle(tuple(parts), term.type) if last else bundle(tuple(parts), term.type)
            case Proj(index, product):
                whole: Value = yield self.value(product, at)
                return self.component(whole, index, term.type)
            case App(function, argument):
                result = yield functions.applied(self, function, argument, at, wish)
            case Cond():
                result = yield functions.choice(self, term, at, wish)
            case Prim():
                if id(term) in self.lines.direct:
                    return self._direct(term, at, wish)
                result = yield self._primitive(term, at, wish)
            case _:
                raise AssertionError(term)
        return result

    def _let(self, term: Let, at: PythonFrame, wish: str, *, last: bool) -> Recursive[Value]:
        before = {var.name: at.env[var.name] for var, _ in term.bindings if var.name in at.env}
        direct = self.lines.direct
        value: Value
        for var, bound in term.bindings:
            if id(bound) in direct:
                assert isinstance(bound, Prim)
                value = self._direct(bound, at, var.name)
            else:
                value = yield self.value(bound, at, var.name)
                if type(bound) is Var:
                    share(value)
            at.bind(var, value)
        result: Value = yield self.value(term.body, at, wish, last=last)
        at.env.update(before)
        return result

    def inlined(
        self, known: CapturedLam, argument: Value, at: PythonFrame, wish: str, *, last: bool = False
    ) -> Recursive[Value]:
        """The body of a λ, written here; ``last`` in a block."""
        function = known.function
        outside = at.env, at.uses
        at.env, at.uses = dict(known.captured), VariableUses(function.body, self.captured)
        for param, part in matched(self, function.params, argument):
            at.bind(param, part)
        result: Value = yield self.value(function.body, at, wish, last=last)
        at.env, at.uses = outside
        return result

    def define(self, name: str, function: Lam) -> Recursive[None]:
        """Write a λ at the top of the module."""
        return functions.define(self, name, function)

    def leaf(self, value: Value, at: PythonFrame, wish: str = "t") -> Recursive[Leaf]:
        """The value as one Python object."""
        if isinstance(value, Leaf):
            return value
        found = at.find(value)
        if found is not None:
            return found
        if isinstance(value, CapturedLam):
            made: Leaf = yield functions.closure(self, value, at, wish)
            return at.remember(value, made)
        if not isinstance(value, Bundle):
            return self.array(value, at, wish)
        if id(value) in self._zeros and any(isinstance(part, Bundle) for part in value.parts):
            return Leaf((yield self._zero(value)), value.type)
        texts = []
        for part in value.parts:
            leaf: Leaf = yield self.leaf(part, at)
            share(leaf)
            texts.append(at.named(leaf).text)
        name = at.assign(tuple_of(tuple(texts)), wish) if texts else "()"
        return at.remember(value, Leaf(name, value.type))

    def array(self, value: Value, at: PythonFrame, wish: str = "t") -> Leaf:
        """A tensor under a name, or as a number."""
        match value:
            case Leaf():
                return value
            case Spread():
                return tensors.filled_out(value, at, wish)
            case Placed():
                return indices.placed(value, at, wish)
            case _:
                raise AssertionError(value)

    # Primitives.

    def _direct(self, term: Prim, at: PythonFrame, wish: str) -> Value:
        """A term made of a few primitives of tensors: most are, and this is the quickest way."""
        if term.type is Real:
            name = term.operation.primitive.name
            form = self.reals.get(name)
            if form is not None:
                leaves: list[Leaf] = []
                for arg in term.args:
                    value: Value
                    if type(arg) is Var:
                        value = at.env[arg.name]
                    elif arg.type is not Real:
                        break
                    else:
                        value = self._operand(arg, at)
                    if type(value) is not Leaf or value.type is not Real:
                        break
                    leaves.append(value)
                else:
                    return real(self, name, form, leaves, at)
        several = compound(term)
        if several is not None:
            parts = [self._operand(arg, at) for arg in several.args]
            return several.write(self, parts, at, wish)
        return self._of_tensors(term, [self._operand(arg, at) for arg in term.args], at, wish)

    def _operand(self, term: Term, at: PythonFrame) -> Value:
        if type(term) is Prim:
            return self._direct(term, at, "t")
        if type(term) is Var:
            return at.env[term.name]
        assert isinstance(term, Const)
        if term.type is not Real:
            return self.literal(term.literal)
        number = term.literal.array.item()
        found = self._numbers.get(number)
        if found is None:
            found = self.number_of(number, Real)
            if number:  # zeros of two signs are equal
                self._numbers[number] = found
        return found

    def _of_tensors(self, term: Prim, args: Sequence[Value], at: PythonFrame, wish: str) -> Value:
        operation = term.operation
        if operation.primitive is IOTA:
            return self.literal(Literal(np.arange(operation.keywords["length"])))
        if operation.primitive is PLUS:
            assert isinstance(term.type, Tensor)
            return self._sum(args[0], args[1], term.type, at, wish)
        return tensors.tensor(self, operation, args, term.type, at, wish, self.line(term))

    def _primitive(self, term: Prim, at: PythonFrame, wish: str) -> Recursive[Value]:
        """A primitive, of any arguments."""
        primitive = term.operation.primitive
        result: Value
        if primitive is LOOP:
            result = yield for_loops.loop(self, term, at, wish)
            return result
        if primitive in _APPLIED:
            result = yield functions.applied(self, term.args[0], term.args[-1], at, wish)
            return result
        if primitive in (REP.primitive, DUAL.primitive):
            raise MissingRule("the Python backend has no rep-functions of functions it is given")
        if primitive is ZEROS:
            result = yield self._zeros_of(term.operation.keywords["of"], at)
            return result
        several = compound(term)
        args: list[Value] = []
        for arg in term.args if several is None else several.args:
            args.append((yield self.value(arg, at)))
        if several is not None:
            return several.write(self, args, at, wish)
        if primitive is PACK:
            packed: Leaf = yield self.leaf(args[0], at)
            share(packed)
            return Leaf(packed.text, term.type, packed.level)
        if primitive is UNPACK:
            result = yield self._unpacked(args[0], term.type, at, wish)
            return result
        if primitive is PLUS and not isinstance(term.type, Tensor):
            result = yield self._plus(args[0], args[1], term.type, at, wish)
            return result
        return self._of_tensors(term, args, at, wish)

    def _zeros_of(self, obj: Object, at: PythonFrame) -> Recursive[Value]:
        """The zero of a type; those of products are made once, and remembered as such."""
        if id(obj) in self._made:
            return self._made[id(obj)]
        is_constant = not any(isinstance(leaf, Vector) for leaf in leaf_types([obj]))
        made = self._made if is_constant else dict[int, Value]()
        result: Value = yield zeros(self, obj, at, made)
        if is_constant:
            self._zeros.update((id(x), "") for x in made.values() if isinstance(x, Bundle))
        return result

    def _zero(self, value: Bundle[Value]) -> Recursive[str]:
        """The name of a zero that stands at the top of the module: no branch makes it anew."""
        if not self._zeros[id(value)]:
            texts: list[str] = []
            for part in value.parts:
                if isinstance(part, Bundle):
                    texts.append((yield self._zero(part)))
                elif isinstance(part, Spread):
                    array = arrays.filled(part.inner.text, part.inner.literal, part.type)
                    texts.append(flat(array))
                else:
                    assert isinstance(part, Leaf)
                    texts.append(part.text)
            name = self.module.zero(value.type, flat(tuple_of(tuple(texts))))
            self._zeros[id(value)] = name
        return self._zeros[id(value)]

    # Cotangents; the zero ``Tangent`` is ``None``, and what is packed stands as it is.

    def _unpacked(self, x: Value, obj: Object, at: PythonFrame, wish: str) -> Recursive[Value]:
        """What was packed, or the zero of its type."""
        packed: Leaf = yield self.leaf(x, at)
        zero: Value
        if packed.text == "None" or obj is Tangent:
            zero = yield self._zeros_of(obj, at)
            return zero if packed.text == "None" else packed
        name = at.assign(packed.text, wish)
        with at.block() as body:
            zero = yield self._zeros_of(obj, at)
            leaf: Leaf = yield self.leaf(zero, at)
            at.body.append(Assign((name,), leaf.text))
        at.body.append(Clause("if ", f"{name} is None", "", body))
        return self.opaque(obj, name)

    def _plus(
        self, x: Value, y: Value, obj: Object, at: PythonFrame, wish: str
    ) -> Recursive[Value]:
        """The sum of two cotangents of one type, by components."""

        def as_one(x: Value, y: Value, obj: Object) -> Recursive[Value | None]:
            product = components(obj)
            if product is not None and not product.width:
                return x
            if isinstance(obj, Tensor):
                return self._sum(x, y, obj, at, wish)
            if are_added_apart(x, y, obj):
                return None
            a: Leaf = yield self.leaf(x, at)
            b: Leaf = yield self.leaf(y, at)
            share(a)
            share(b)
            return Leaf(at.assign(call("_plus", at.named(a).text, at.named(b).text), wish), obj)

        result: Value = yield summed(self, x, y, obj, as_one, {})
        return result

    def _sum(self, x: Value, y: Value, obj: Tensor, at: PythonFrame, wish: str) -> Value:
        """The sum of two tensors, one of which may be zero but in some places."""
        if isinstance(y, Placed):
            return indices.added(self, x, y, at, wish)
        if isinstance(x, Placed):
            return indices.added(self, y, x, at, wish)
        return tensors.elementwise(self, "plus", (x, y), obj, at, wish)
