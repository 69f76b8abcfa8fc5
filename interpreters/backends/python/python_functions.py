"""Function values as Python's own: a function of the module, or one that knows what it captures.

A function that a program makes while it runs is a ``functools.partial`` of one at the top of the
module. In a program that recurses it is a ``def`` or a ``lambda`` where it stands, which Python
calls without C's stack, as deep as there is memory:

    def f(x):
        y, pullback = f(x / 2.0)
        return a * x * y, lambda g: (g * a * y, ...)

What a loop assigns to, no function made inside it may look at later. So one that is made there is
the result of a function of what it captures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Product, Tangent
from combinators.terms import App, Cond, Let, Proj, Term, Var
from interpreters.backends.analysis.captures import VariableUses, ending
from interpreters.backends.python.python_blocks import is_case, negated
from interpreters.backends.python.python_numbers import LONG, SHORT
from interpreters.backends.text.language import Frame
from interpreters.backends.text.layout import (
    CHOICE,
    NOT,
    Assign,
    Bracketed,
    Clause,
    Do,
    Statement,
    Text,
    call,
    flat,
    several,
    words,
)
from interpreters.backends.text.leaves import (
    Bundle,
    CapturedLam,
    Leaf,
    Placed,
    Spread,
    Value,
    is_apart,
    is_broad,
    share,
)
from interpreters.backends.text.term_writer import Writer

MOST = 8
"""How many components of its argument a function names."""
DEEPEST = 16
"""How many blocks stand inside each other where a function ends."""


def closure(
    writer: Writer, known: CapturedLam, wish: str, *, whole: bool = False
) -> Recursive[Leaf]:
    """A function value: the function itself, or one that knows what it captures.

    One that a user gets takes the ``whole`` of a product as one argument, where its λ does.
    """
    function, leaf = known.function, Leaf("", known.type)
    named = function.name or (wish if wish != "t" else _usual_name(function.body.type))
    if not writer.recurses or not known.captured:
        name, args = yield writer.callee(known)
        if args:
            name = writer.assign(call("functools.partial", name, *args), wish)
        leaf = Leaf(name, known.type)
    elif writer.at.rounds or not writer.is_flat:
        free = writer.captured[id(function)]
        made: Value = yield writer.outlined(function, free, known.captured, named)
        leaf = yield writer.leaf(made)
    else:
        leaf = yield _made(writer, known, named)
    if whole and len(function.params) == 1 and is_apart(function.params[0].type):
        name = writer.assign(call("_of_one", leaf.text), wish)
        leaf = Leaf(name, known.type)
    return writer.remember(known, leaf)


def _usual_name(cod: Object) -> str:
    """What a function without a name is called, by what it gives."""
    parts = cod.parts if isinstance(cod, Product) else ()
    return "pullback" if parts and parts[0] is Tangent else "function"


def _made(writer: Writer, known: CapturedLam, wish: str) -> Recursive[Leaf]:
    """A function that is made where it stands: a short one is a ``lambda``."""
    function = known.function
    writer.deep.append(writer.module.name)  # it may call one that was made before, and that another
    env: Mapping[str, Value] = yield settled(writer, known.captured)
    with nested(writer, env, function.body) as body:
        names, x = named_parameters(writer, function.params, function.body)
        if writer.stands_first(function):
            yield returned(writer, function.body, None)
        else:
            yield give_call(writer, CapturedLam(function, env), x)
    match body:
        case [Do(result, "return ")] if isinstance(result, str) or result.open:
            short = f"lambda {', '.join(names)}: ".replace(" :", ":") + flat(result)
            if len(short) <= LONG:
                return Leaf(short, known.type, CHOICE)
    return Leaf(define(writer, writer.fresh(wish), names, body), known.type)


# ---- functions inside functions ------------------------------------------------------------------


@contextmanager
def nested(
    writer: Writer, env: Mapping[str, Value], body: Term, *known: str
) -> Iterator[list[Statement]]:
    """Write a function that stands inside the one that is written, and sees ``env``."""
    outside, frame = writer.at, Frame(writer.module, body)
    for name in {*known, *_words(env)}:
        frame.names.fresh(name)
    frame.env, frame.uses = dict(env), VariableUses(body, writer.captured)
    frame.depth = outside.depth + 1
    writer.at = frame
    yield frame.body
    writer.at = outside


def define(writer: Writer, name: str, names: Sequence[str], body: list[Statement]) -> str:
    """A function with this body, as a statement."""
    writer.at.body.append(Clause("def ", Bracketed(f"{name}(", tuple(names), ")"), body))
    return name


def give_call(writer: Writer, f: Value, x: Value) -> Recursive[None]:
    """``f x`` is returned."""
    result: Value = yield writer.called(f, x, "result")
    writer.give((yield writer.text(result, "result")))


def named_parameters(
    writer: Writer, params: Sequence[Var], body: Term
) -> tuple[Sequence[str], Value]:
    """The names of a function's parameters, and its argument; of a product, its components."""
    obj = params[0].type if len(params) == 1 else None
    if not isinstance(obj, Product) or not is_apart(obj) or obj.width > MOST:
        names = writer.parameters(params)
        values = [writer.at.env[var.name] for var in params]
        types = Product(*[var.type for var in params])
        return names, values[0] if len(values) == 1 else Bundle(tuple(values), types)
    (var,) = params
    wishes = {i: f"{var.name}_{i}" for i in range(obj.width)}
    while isinstance(body, Let):  # the names that its components have there
        for one, bound in body.bindings:
            if isinstance(bound, Proj) and bound.product == var:
                wishes[bound.index] = one.name
        body = body.body
    names = tuple([writer.fresh(wishes[i]) for i in range(obj.width)])
    x = Bundle(tuple(map(writer.opaque, obj.parts, names)), obj)
    writer.at.env[var.name] = x
    return names, x


def settled(writer: Writer, env: Mapping[str, Value]) -> Recursive[dict[str, Value]]:
    """Captured values, each computed, under a name, and not to be overwritten."""
    made: dict[int, Value] = {}

    def at(value: Value, wish: str) -> Recursive[Value]:
        if id(value) not in made:
            result: Value = value
            match value:
                case Bundle(parts, obj) if not is_broad(obj):
                    inside = []
                    for part in parts:
                        inside.append((yield at(part, wish)))
                    result = Bundle(tuple(inside), obj)
                case CapturedLam(function, inner):
                    known = {}
                    for name, one in inner.items():
                        known[name] = yield at(one, name)
                    result = CapturedLam(function, known)
                case Spread(inner, obj):
                    share(inner)
                    result = Spread(writer.named(inner, wish), obj)
                case _:
                    leaf: Leaf = yield writer.leaf(value, wish)
                    share(leaf)
                    result = writer.named(leaf, wish)
            made[id(value)] = result
        return made[id(value)]

    found = {}
    for name, value in env.items():
        found[name] = yield at(value, name or "step")
    return found


def _words(env: Mapping[str, Value]) -> Iterator[str]:
    """The names that stand in the texts of values."""
    todo, seen = list(env.values()), set[int]()
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        match value:
            case Leaf(text, rows=rows):
                for one in (text, *(rows or ())):
                    yield from words(one)
            case Bundle(parts):
                todo += parts
            case CapturedLam(captured=inner):
                todo += inner.values()
            case Spread(inner) | Placed(inner=inner):
                todo.append(inner)


# ---- how a function ends -------------------------------------------------------------------------


class Again(NamedTuple):
    """A loop in place of the calls with which a function ends."""

    inside: frozenset[int]
    """The ids of the terms that end with one, or are one."""
    targets: Sequence[str]
    """The function's parameters."""
    dom: Object


def returned(writer: Writer, term: Term, again: Again | None) -> Recursive[None]:
    """The statements that end a function with the value of a term, or go round once more."""
    at, inside = writer.at, again.inside if again is not None else frozenset()
    while True:
        if isinstance(term, Let):
            lines, term = ending(term)
            yield writer.bindings(lines)
        elif isinstance(term, Cond) and at.depth < DEEPEST:
            test: Value = yield writer.value(term.test)
            condition = writer.array(test)
            if not is_case(term.test) and (len(condition.text) > SHORT or condition.level < NOT):
                condition = writer.named(condition, "p")
            first, last, header = term.then, term.other, condition.text
            if id(first) in inside and id(last) not in inside:
                first, last, header = last, first, negated(term.test, condition.text)
            env = dict(at.env)
            with writer.block() as body:
                at.uses = VariableUses(first, writer.captured)
                yield returned(writer, first, again)
            at.env = env
            clause = Clause("if ", header, body)
            at.body.append(clause)
            at.uses, term = VariableUses(last, writer.captured), last
            if id(first) in inside:
                with writer.block() as other:
                    yield returned(writer, last, again)
                clause.next = Clause("else", "", other)
                return
        elif id(term) in inside and isinstance(term, App) and again is not None:
            x: Value = yield writer.value(term.argument)
            share(x)
            texts = yield writer.arguments(x, again.dom)
            assign_all(writer, again.targets, texts)
            return
        else:
            value: Value = yield writer.value(term, "result")
            writer.give((yield writer.text(value, "result")))
            return


def assign_all(writer: Writer, names: Sequence[str], texts: Sequence[Text]) -> None:
    """Give each of the names its text, all at once."""
    pairs = [(a, b) for a, b in zip(names, texts, strict=True) if a != b]
    if pairs:
        targets, given = zip(*pairs, strict=True)
        writer.at.body.append(Assign(targets, several(given) if len(given) > 1 else given[0]))


def in_depth(writer: Writer) -> str:
    """What lets the functions of a program call each other as deep as there is memory."""
    names = {*writer.deep} - {writer.module.name}
    name = names.pop() if len(names) == 1 else writer.module.name
    return f'_deep_calls("{name}")'
