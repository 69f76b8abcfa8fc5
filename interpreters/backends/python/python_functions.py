"""Function values, and functions that call themselves, as Python's own.

A function that a program makes while it runs is a ``functools.partial`` of one at the top of the
module. In a program that recurses it is a ``def`` or a ``lambda`` where it stands, and so are those
that call themselves: Python calls them without C's stack, as deep as there is memory. With ``f x =
if x < 1 then a * x else a * x * f (x / 2)`` a gradient is

    def f(x):
        ax = a * x
        if x < 1.0:
            return ax, lambda g: (g * x, g * a)
        y, pullback = f(x / 2.0)
        ...

A function that calls itself only where it ends, is a loop:

    def f(x, y):
        while True:
            if x < 1.0:
                return y
            x, y = x / 2.0, y + 1.0

What a loop assigns to, no function made inside it may look at later. So one that is made there is
the result of a function of what it captures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Product, Tangent
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis.captures import VariableUses, calls_where_it_ends, ending
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
    env: Mapping[str, Value] = yield _settled(writer, known.captured)
    with _inside(writer, env, function.body) as body:
        names, x = _parameters(writer, function.params, function.body)
        if writer.stands_first(function):
            yield _returned(writer, function.body, None)
        else:
            yield _given(writer, CapturedLam(function, env), x)
    match body:
        case [Do(result, "return ")] if isinstance(result, str) or result.open:
            short = f"lambda {', '.join(names)}: ".replace(" :", ":") + flat(result)
            if len(short) <= LONG:
                return Leaf(short, known.type, CHOICE)
    return Leaf(_defined(writer, writer.fresh(wish), names, body), known.type)


def recursive(writer: Writer, term: Prim, wish: str) -> Recursive[Value]:
    """The function that calls itself; in a loop, it is made by a function of what it captures."""
    if writer.at.rounds:
        made: Value = yield writer.outline(term, wish)
        return made
    (step,), obj = term.args, term.type
    assert isinstance(obj, Fun)
    f: Value = yield writer.value(step)
    function = f.function if isinstance(f, CapturedLam) else None
    if function is None or not writer.is_once(step) or not writer.stands_first(function):
        function = None
    env: Mapping[str, Value] = {"": f}
    if isinstance(f, CapturedLam):
        env = f.captured
    env = yield _settled(writer, env)
    itself = (function.name or function.params[0].name) if function is not None else wish
    name = writer.fresh(itself)
    body = Tuple(()) if function is None else function.body
    with _inside(writer, env, body, name) as written:
        me = Leaf(name, obj)
        if function is None:
            writer.deep.append(name)
            names, x = _parameters(writer, (Var("x", obj.dom),), body)
            f = CapturedLam(f.function, env) if isinstance(f, CapturedLam) else env[""]
            yield _given(writer, f, Bundle((me, x), step.type.dom))  # type: ignore[attr-defined]
        else:
            names = yield _repeated(writer, function, me)
    return Leaf(_defined(writer, name, names, written), obj)


def _repeated(writer: Writer, function: Lam, me: Leaf) -> Recursive[Sequence[str]]:
    """The body of a function of itself and an argument; a loop, where it ends with its calls."""
    params, body = function.params, function.body
    if len(params) == 1:
        (both,) = params
        assert isinstance(me.type, Fun)
        writer.deep.append(me.text)
        names, x = _parameters(writer, (Var("x", me.type.dom),), Tuple(()))
        writer.at.env[both.name] = Bundle((me, x), both.type)
        yield _returned(writer, body, None)
        return names
    itself, rest = params
    writer.at.env[itself.name] = me
    names, x = _parameters(writer, (rest,), body)
    again = calls_where_it_ends(itself.name, body, writer.captured)
    if not again:
        writer.deep.append(me.text)
        yield _returned(writer, body, None)
        return names
    targets = [name.removeprefix("*") for name in names]
    writer.at.rounds += 1
    with writer.block() as round_:
        yield _returned(writer, body, _Again(again, targets, rest.type))
    writer.at.body.append(Clause("while ", "True", round_))
    return names


# ---- functions inside functions ------------------------------------------------------------------


@contextmanager
def _inside(
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


def _defined(writer: Writer, name: str, names: Sequence[str], body: list[Statement]) -> str:
    """A function with this body, as a statement."""
    writer.at.body.append(Clause("def ", Bracketed(f"{name}(", tuple(names), ")"), body))
    return name


def _given(writer: Writer, f: Value, x: Value) -> Recursive[None]:
    """``f x`` is returned."""
    result: Value = yield writer.called(f, x, "result")
    writer.give((yield writer.text(result, "result")))


def _parameters(writer: Writer, params: Sequence[Var], body: Term) -> tuple[Sequence[str], Value]:
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


def _settled(writer: Writer, env: Mapping[str, Value]) -> Recursive[dict[str, Value]]:
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
            case Leaf(text):
                yield from words(text)
            case Bundle(parts):
                todo += parts
            case CapturedLam(captured=inner):
                todo += inner.values()
            case Spread(inner) | Placed(inner=inner):
                todo.append(inner)


# ---- how a function ends -------------------------------------------------------------------------


class _Again(NamedTuple):
    """A loop in place of the calls with which a function ends."""

    inside: frozenset[int]
    """The ids of the terms that end with one, or are one."""
    targets: Sequence[str]
    """The function's parameters."""
    dom: Object


def _returned(writer: Writer, term: Term, again: _Again | None) -> Recursive[None]:
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
                yield _returned(writer, first, again)
            at.env = env
            clause = Clause("if ", header, body)
            at.body.append(clause)
            at.uses, term = VariableUses(last, writer.captured), last
            if id(first) in inside:
                with writer.block() as other:
                    yield _returned(writer, last, again)
                clause.next = Clause("else", "", other)
                return
        elif id(term) in inside and isinstance(term, App) and again is not None:
            x: Value = yield writer.value(term.argument)
            share(x)
            texts = yield writer.arguments(x, again.dom)
            pairs = [(a, b) for a, b in zip(again.targets, texts, strict=True) if a != b]
            if pairs:
                targets, given = zip(*pairs, strict=True)
                writer.at.body.append(
                    Assign(targets, several(given) if len(given) > 1 else given[0])
                )
            return
        else:
            value: Value = yield writer.value(term, "result")
            writer.give((yield writer.text(value, "result")))
            return


def in_depth(writer: Writer) -> str:
    """What lets the functions of a program call each other as deep as there is memory."""
    names = {*writer.deep} - {writer.module.name}
    name = names.pop() if len(names) == 1 else writer.module.name
    return f'_deep_calls("{name}")'
