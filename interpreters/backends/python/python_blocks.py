"""Conditionals and loops as Python's statements.

Of a conditional only the branch that is taken is computed. A loop is a ``for`` loop with the body
written out: what is carried stands in a variable a leaf, and rows that are kept in a list. A scan
that carries ``(a, b)`` to ``(b, a * r)`` over an array, and keeps ``a``, is written as

    a = 0.0
    b = 1.0
    kept = []
    for r in xs.tolist():
        kept.append(a)
        a1 = a * r          what is still to be read is not overwritten
        a = b
        b = a1

An array that is carried is written into where a round made it and nobody else looks at it.
"""

from __future__ import annotations

from collections import Counter

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor, components
from combinators.objects import component as component_type
from combinators.primitives.loops import LoopTerm
from combinators.primitives.sums import IS
from combinators.terms import Cond, Prim, Term
from combinators.type_folds import row_of
from interpreters.backends.analysis.captures import OFTEN, VariableUses
from interpreters.backends.python.numpy_arrays import dtype_option, shape_text
from interpreters.backends.python.python_numbers import PYTHON, SHORT
from interpreters.backends.text.layout import (
    ATOM,
    CHOICE,
    Assign,
    Clause,
    Do,
    Statement,
    call,
    words,
)
from interpreters.backends.text.leaves import (
    MOST,
    Buffer,
    Bundle,
    CapturedLam,
    Leaf,
    Listed,
    Spread,
    Value,
    bundle,
    fresh_leaf,
    held,
    is_array,
    is_broad,
    leaves_of,
    nested,
    share,
)
from interpreters.backends.text.term_writer import Writer

MANY = 12
"""Of so many parts a component is one object where a branch ends."""


def choice(writer: Writer, term: Cond, wish: str) -> Recursive[Value]:
    """An ``if`` statement, or an expression where both branches are short.

    What branches in branches hand on is one object where it has many parts.
    """
    test: Value = yield writer.value(term.test)
    condition = writer.array(test)
    if not is_case(term.test):
        condition = writer.named(condition, "p")
    then_body, then, mine = yield _branch(writer, term.then)
    other_body, other, others = yield _branch(writer, term.other)
    if not then_body and not other_body and len(then) == 1 and then[0].text != other[0].text:
        text = f"{_tight(then[0])} if {_tight(condition)} else {_tight(other[0])}"
        if len(text) <= SHORT and not is_array(term.type):
            return _of_leaves([_joined(text, then[0], other[0], CHOICE)], term.type)
    leaves = []
    free = mine | others
    for a, b in zip(then, other, strict=True):
        if a.text == b.text:
            leaves.append(a)
            continue
        name = next((text for text in (a.text, b.text) if text in free), "")
        free.discard(name)
        name = name or writer.fresh(wish)
        for leaf, body in ((a, then_body), (b, other_body)):
            if leaf.text != name:
                body.append(Assign((name,), leaf.text))
        writer.at.chosen.append(name)
        leaves.append(_joined(name, a, b))
    if then_body:
        otherwise = Clause("else", "", other_body) if other_body else None
        writer.at.body.append(Clause("if ", condition.text, then_body, otherwise))
    elif other_body:
        writer.at.body.append(Clause("if ", negated(term.test, condition.text), other_body))
    return _of_leaves(leaves, term.type)


def is_case(test: Term) -> bool:
    """Whether a test is of the alternative that a value is, which is short and reads well."""
    return isinstance(test, Prim) and test.operation.primitive is IS


def negated(test: Term, text: str) -> str:
    """The opposite of a test that is written so."""
    return text.replace("==", "!=") if is_case(test) else f"not {text}"


def _branch(writer: Writer, term: Term) -> Recursive[tuple[list[Statement], list[Leaf], set[str]]]:
    """The statements of a branch, its leaves, and names in it that choices in it have given."""
    at = writer.at
    outside, before = at.uses, len(at.chosen)
    with writer.block() as body:
        at.uses = VariableUses(term, writer.captured)
        value: Value = yield writer.value(term)
        leaves: list[Leaf] = []
        for index, part in enumerate(_parts(term.type)):
            whole = writer.component(value, index, part) if part is not term.type else value
            leaves += yield flattened(writer, whole, part, MANY)
    at.uses = outside
    return body, leaves, set(at.chosen[before:])


def _parts(obj: Object) -> tuple[Object, ...]:
    product = components(obj)
    return (obj,) if product is None or is_broad(obj) else product.parts


def _of_leaves(leaves: list[Leaf], obj: Object) -> Value:
    """What a conditional gives."""
    parts, given = _parts(obj), iter(leaves)
    if parts == (obj,):
        return next(given)
    return Bundle(tuple([nested(given, part, MANY) for part in parts]), obj)


def flattened(writer: Writer, value: Value, obj: Object, most: int = MOST) -> Recursive[list[Leaf]]:
    """The leaves of a value, each as a Python object; what has ``most`` parts is a leaf."""
    product = components(obj)
    if product is None or is_broad(obj, most):
        return [(yield writer.leaf(value))]
    leaves: list[Leaf] = []
    for index, part in enumerate(product.parts):
        leaves += yield flattened(writer, writer.component(value, index, part), part, most)
    return leaves


def _tight(leaf: Leaf) -> str:
    return leaf.text if leaf.level > CHOICE else f"({leaf.text})"


def is_own(leaf: Leaf) -> bool:
    """Whether a block made the array that it ends with, and nothing else looks at it."""
    buffer = leaf.buffer
    return buffer is not None and buffer.fresh and not buffer.shared and buffer.uses < OFTEN


def _joined(text: str, a: Leaf, b: Leaf, level: int = ATOM) -> Leaf:
    buffer = Buffer(fresh=is_own(a) and is_own(b)) if is_array(a.type) else None
    if buffer is None or not buffer.fresh:
        share(a)
        share(b)
    return Leaf(text, a.type, level, buffer)


# Loops.


def loop(writer: Writer, term: Prim, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    types = LoopTerm(term).types
    for kind in (types.xs, term.type):
        if is_broad(kind):
            raise MissingRule(f"the Python backend writes no loop over so broad a type: {kind!r}")
    args: list[Value] = yield writer.values(term.args)
    f, xs, init = args[0], args[-1], args[1] if len(args) == 3 else None
    params = f.function.params if isinstance(f, CapturedLam) else ()
    start: list[Leaf] = []
    if init is not None:
        start = yield flattened(writer, init, init.type)
    stacks: list[Leaf] = yield flattened(writer, xs, xs.type)
    row, over = _rows(writer, xs, stacks, params[-1].name if params else "row", types.reverse)
    kept = (
        [(writer.fresh(f"{wish}s"), obj) for obj in leaves_of(types.stack)] if types.stack else []
    )
    carried = _Carried(writer, start, params[0].name if params else "carry")
    lists: list[Statement] = [Assign((name,), "[]") for name, _ in kept]
    if types.length:
        writer.at.rounds += 1
        with writer.block() as body:
            argument = row
            if init is not None:
                # A carried buffer stays its own: nothing is shared.
                before = nested(iter(carried.leaves), init.type)
                argument = Bundle((before, row), types.function.dom)
            result: Value = yield writer.call(term.args[0], f, argument, wish, last=True)
            cod, halves = types.function.cod, []
            for half, obj in zip(
                types.halves(result, lambda x, i: writer.component(x, i, component_type(cod, i))),
                (types.carry, types.item),
                strict=True,
            ):
                halves.append([] if obj is None else (yield flattened(writer, half, obj)))
            for (name, _), leaf in zip(kept, halves[1], strict=True):
                body.append(Do(f"{name}.{_kept(leaf, over, is_empty=not body)}"))
            carried.close(body, halves[0])
        writer.at.rounds -= 1
        targets, source = ", ".join(over) or "_", [*over.values()] or [f"range({types.length})"]
        header = source[0] if len(source) == 1 else call("zip", *source)
        writer.at.body += [*carried.before, *lists, Clause(f"for {targets} in ", header, body)]
        start = carried.results()
    else:
        writer.at.body += lists
    last = None if init is None else nested(iter(start), init.type)
    outs = (_stacked(writer, name, obj, types.length, types.reverse) for name, obj in kept)
    rows = None if types.stack is None else nested(outs, types.stack)
    whole: Value = types.joined(last, rows, lambda x, y: bundle((x, y), term.type))
    return whole


def _rows(
    writer: Writer, xs: Value, stacks: list[Leaf], wish: str, reverse: bool
) -> tuple[Value, dict[str, str]]:
    """The row of a round, and the variables that it is in, with what each runs over."""
    row: list[Value] = []
    over: dict[str, str] = {}
    for leaf, spread in zip(stacks, _spreads(xs), strict=True):
        obj = row_of(leaf.type)
        share(leaf)
        if spread is not None and not spread.inner_shape and isinstance(obj, Tensor):
            row.append(Spread(spread.inner, obj) if obj.shape else spread.inner)
            continue
        name = writer.fresh(wish)
        row.append(writer.opaque(obj, name))
        over[name] = f"{leaf.text}[::-1]" if reverse else leaf.text
        if leaf.rows is not None:
            over[name] = leaf.rows.backwards if reverse else leaf.rows.forwards
        elif is_array(leaf.type) and obj in PYTHON:
            over[name] = f"reversed({leaf.text}.tolist())" if reverse else f"{leaf.text}.tolist()"
    return nested(iter(row), row_of(xs.type)), over


def _spreads(xs: Value) -> list[Spread | None]:
    if isinstance(xs, Bundle) and components(xs.type) is not None:
        return [found for part in xs.parts for found in _spreads(part)]
    return [xs] if isinstance(xs, Spread) else [None] * len(leaves_of(xs.type))


def _kept(leaf: Leaf, over: dict[str, str], *, is_empty: bool) -> str:
    """How the row of a round is kept; a small part of a buffer does not keep the buffer."""
    share(leaf)
    size = leaf.type.size if isinstance(leaf.type, Tensor) else 0
    is_small = leaf.buffer is not None and leaf.buffer.size > 4 * size
    text = f"{leaf.text}.copy()" if is_small else leaf.text
    return f"extend([{text}])" if is_empty and text in over else f"append({text})"


def _stacked(writer: Writer, name: str, obj: Object, length: int, reverse: bool) -> Leaf:
    """One leaf of what a loop gives, from the list of its rows."""
    both = name, f"reversed({name})"
    rows = Listed(*(both[::-1] if reverse else both))
    listed = f"{name}[::-1]" if reverse else name
    if not isinstance(obj, Tensor):
        return Leaf(writer.assign(f"tuple({listed})", name), obj, rows=rows)
    function, source = ("array", listed) if length else ("empty", shape_text(obj.shape))
    text = call(f"np.{function}", source, *dtype_option(obj.dtype))
    leaf = fresh_leaf(writer.assign(text, name), obj)
    leaf.rows = rows
    return leaf


class _Carried:
    """The variables that a loop carries, and what happens to their buffers."""

    def __init__(self, writer: Writer, start: list[Leaf], wish: str) -> None:
        self.writer, self.start = writer, start
        self.leaves = [held(writer.fresh(wish), x.type, fresh=True) for x in start]
        self.before: list[Statement] = []
        self.own: set[str] = set()

    def close(self, body: list[Statement], after: list[Leaf]) -> None:
        """Assign at the end of the round, and before the first."""
        self.own = self._own(after)
        pairs = [(x, y) for x, y in zip(self.leaves, after, strict=True) if x.text != y.text]
        written = {x.text for x, _ in pairs}
        last: list[Statement] = []
        for x, y in pairs:
            text = y.text
            if x.buffer is not None and x.buffer.reused and x.text not in self.own:
                text = f"{text}.copy()"
            if written - {x.text} & set(words(text)) and len(pairs) > 1:
                temporary = self.writer.fresh(x.text)
                body.append(Assign((temporary,), text))
                text = temporary
            last.append(Assign((x.text,), text))
        body.extend(last)
        for x, first in zip(self.leaves, self.start, strict=True):
            text = first.text
            if x.buffer is not None and x.buffer.reused and not _is_free(first):
                text = f"{text}.copy()"
            elif first.buffer is not None:
                first.buffer.shared = True
            self.before.append(Assign((x.text,), text))

    def _own(self, after: list[Leaf]) -> set[str]:
        """The variables whose arrays a round makes anew, or has written into, each for itself."""
        mine = {id(x.buffer): x.buffer for x in self.leaves if x.buffer is not None}
        times = Counter(id(leaf.buffer) for leaf in after)
        own: set[str] = set()
        for x, leaf in zip(self.leaves, after, strict=True):
            buffer = mine.get(id(leaf.buffer))
            passed = buffer is not None and not buffer.reused
            if is_own(leaf) and not passed and times[id(leaf.buffer)] == 1:
                own.add(x.text)
        return own

    def results(self) -> list[Leaf]:
        """The variables after the loop."""
        reused = {x.text for x in self.leaves if x.buffer is not None and x.buffer.reused}
        return [held(x.text, x.type, fresh=x.text in reused | self.own) for x in self.leaves]


def _is_free(leaf: Leaf) -> bool:
    """Whether nothing else looks at the array that the loop starts from."""
    buffer = leaf.buffer
    if buffer is None or not buffer.fresh or buffer.shared:
        return False
    buffer.uses -= 1
    buffer.shared = True
    return buffer.uses <= 0
