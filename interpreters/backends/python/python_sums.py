"""Sums as Python's tuples ``(tag, value)``, and their tangents, of which ``None`` is zero.

Of ``case s of nil → 0; cons (x, rest) → x + total rest`` this writes

    if s[0] == 0:
        return 0.0
    x, rest = s[1]
    return x + total(rest)

A value of a recursive type is what that unfolds to.
"""

from __future__ import annotations

from combinators.kit.recursion import Recursive
from combinators.objects import Bool, Sum, components
from combinators.primitives.sums import INJECT, IS, TAG, UNTAG
from combinators.terms import Prim
from interpreters.backends.python.python_numbers import SHORT
from interpreters.backends.text.layout import CHOICE, COMPARED, Assign, Clause, Text, flat, tuple_of
from interpreters.backends.text.leaves import Leaf, Value, share
from interpreters.backends.text.term_writer import Writer


def of_sum(writer: Writer, term: Prim, x: Value, wish: str) -> Recursive[Value]:
    """What makes or opens a value of a sum or of a recursive type."""
    primitive, index = term.operation.primitive, term.operation.keywords.get("index")
    share(x)
    if primitive in (INJECT, TAG):
        text = tuple_of((str(index), (yield writer.text(x))))
        short = flat(text)
        return Leaf(short if len(short) <= SHORT else writer.assign(text, wish), term.type)
    whole: Leaf = yield writer.leaf(x, wish)
    if index is None:
        return Leaf(whole.text, term.type, whole.level)
    if whole.text == "None":
        zero: Value = yield writer.zeros(term.type)
        return zero
    whole = writer.named(whole, "s")
    if primitive is IS:
        return Leaf(f"{whole.text}[0] == {index}", Bool, COMPARED)
    if primitive is UNTAG:
        opened: Value = yield _untagged(writer, term, whole, wish)
        return opened
    return writer.opaque(term.type, f"{whole.text}[1]")


def _untagged(writer: Writer, term: Prim, whole: Leaf, wish: str) -> Recursive[Value]:
    """The tangent of an alternative, or its zero."""
    with writer.block() as body:
        zero: Value = yield writer.zeros(term.type)
        text: Text = yield writer.text(zero)
    inside, is_zero = f"{whole.text}[1]", f"{whole.text} is None"
    short = f"{flat(text)} if {is_zero} else {inside}"
    if not body and len(short) <= SHORT:
        is_number = components(term.type) is None
        return Leaf(short if is_number else writer.assign(short, wish), term.type, CHOICE)
    name = writer.fresh(wish)
    body.append(Assign((name,), text))
    other = Clause("else", "", [Assign((name,), inside)])
    writer.at.body.append(Clause("if ", is_zero, body, other))
    return writer.opaque(term.type, name)


def zero_of_sum(writer: Writer, obj: Sum) -> Value:
    """No tangent of any alternative."""
    return Leaf("None", obj)
