"""Conditionals and function values: of a conditional only the branch that is taken is computed."""

from __future__ import annotations

from combinators.kit.recursion import Recursive
from combinators.objects import Object, components
from combinators.terms import Cond, Term
from interpreters.backends.analysis.captures import OFTEN, VariableUses
from interpreters.backends.python.python_numbers import SHORT
from interpreters.backends.text.layout import ATOM, CHOICE, Assign, Clause, Statement, call
from interpreters.backends.text.leaves import (
    MOST,
    Buffer,
    Bundle,
    CapturedLam,
    Leaf,
    Value,
    is_apart,
    is_array,
    is_broad,
    nested,
    share,
)
from interpreters.backends.text.term_writer import Writer

MANY = 12
"""Of so many parts a component is one object where a branch ends."""


def closure(
    writer: Writer, known: CapturedLam, wish: str, *, whole: bool = False
) -> Recursive[Leaf]:
    """A function value: the function itself, or a λ over what it captures.

    One that a user gets takes the ``whole`` of a product as one argument, where its λ does.
    """
    name, args = yield writer.callee(known)
    params = known.function.params
    if args:
        name = writer.assign(call("functools.partial", name, *args), wish)
    if whole and len(params) == 1 and is_apart(params[0].type):
        name = writer.assign(call("_of_one", name), wish)
    return writer.remember(known, Leaf(name, known.type))


def choice(writer: Writer, term: Cond, wish: str) -> Recursive[Value]:
    """An ``if`` statement, or an expression where both branches are short.

    What branches in branches hand on is one object where it has many parts.
    """
    test: Value = yield writer.value(term.test)
    condition = writer.named(writer.array(test), "p")
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
        otherwise = Clause("else", "", "", other_body) if other_body else None
        writer.at.body.append(Clause("if ", condition.text, "", then_body, otherwise))
    elif other_body:
        writer.at.body.append(Clause("if not ", condition.text, "", other_body))
    return _of_leaves(leaves, term.type)


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
