"""Functions that call themselves, as Python's own.

With ``f x = if x < 1 then a * x else a * x * f (x / 2)`` a program is

    def f(x):
        ax = a * x
        if x < 1.0:
            return ax
        t = f(x / 2.0)
        return ax * t

A function that calls itself only where it ends is a loop; one that is called where it stands, and
of which each round is a test first, is no function at all:

    def f(x, y):                           while not x < 1.0:
        while True:                            x, y = x / 2.0, y + 1.0
            if x < 1.0:
                return y
            x, y = x / 2.0, y + 1.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from combinators.kit.recursion import Recursive
from combinators.objects import Fun
from combinators.terms import Lam, Prim, Term, Tuple, Var
from interpreters.backends.analysis.captures import VariableUses, calls_where_it_ends, rounds_of
from interpreters.backends.python.python_blocks import negated
from interpreters.backends.python.python_functions import (
    Again,
    assign_all,
    define,
    give_call,
    named_parameters,
    nested,
    returned,
    settled,
)
from interpreters.backends.text.layout import NOT, Clause
from interpreters.backends.text.leaves import Bundle, CapturedLam, Leaf, Value, share
from interpreters.backends.text.term_writer import Writer


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
    env = yield settled(writer, env)
    itself = (function.name or function.params[0].name) if function is not None else wish
    name = writer.fresh(itself)
    body = Tuple(()) if function is None else function.body
    with nested(writer, env, body, name) as written:
        me = Leaf(name, obj)
        if function is None:
            writer.deep.append(name)
            names, x = named_parameters(writer, (Var("x", obj.dom),), body)
            f = CapturedLam(f.function, env) if isinstance(f, CapturedLam) else env[""]
            yield give_call(writer, f, Bundle((me, x), step.type.dom))  # type: ignore[attr-defined]
        else:
            names = yield _repeated(writer, function, me)
    return Leaf(define(writer, name, names, written), obj)


def in_place(writer: Writer, fixed: Prim, argument: Term, wish: str) -> Recursive[Value | None]:
    """``fix step x`` as ``while test: x = …``, where a round tests, and then calls or ends."""
    (step,), at = fixed.args, writer.at
    found = rounds_of(step, writer.captured)
    if found is None or not writer.is_once(step) or not writer.is_flat:
        return None
    assert isinstance(step, Lam)
    first, other, rest = found.again, found.end, step.params[1]
    outside, known = (at.env, at.uses), writer.at.env
    at.env = {var.name: known[var.name] for var in writer.captured[id(step)]}
    names, _ = named_parameters(writer, (rest,), step.body)
    with writer.block() as before:
        yield writer.bindings(found.lines)
        test: Value = yield writer.value(found.test)
        condition = writer.array(test)
    header = condition.text
    if not found.holds:
        header = negated(found.test, f"({header})" if condition.level < NOT else header)
    if before or any(name.startswith("*") for name in names):
        at.env, at.uses = outside
        return None
    writer.stands_first(step)
    env, at.env = at.env, known
    x: Value = yield writer.value(argument)
    share(x)
    texts = yield writer.arguments(x, rest.type)
    assign_all(writer, names, texts)
    at.env = env
    at.rounds += 1
    with writer.block() as body:
        at.uses = VariableUses(first, writer.captured)
        yield returned(writer, first, Again(found.calls, names, rest.type))
    at.rounds -= 1
    at.body.append(Clause("while ", header, body))
    at.uses = VariableUses(other, writer.captured)
    result: Value = yield writer.value(other, wish)
    at.env, at.uses = outside
    return result


def _repeated(writer: Writer, function: Lam, me: Leaf) -> Recursive[Sequence[str]]:
    """The body of a function of itself and an argument; a loop, where it ends with its calls."""
    params, body = function.params, function.body
    if len(params) == 1:
        (both,) = params
        assert isinstance(me.type, Fun)
        writer.deep.append(me.text)
        names, x = named_parameters(writer, (Var("x", me.type.dom),), Tuple(()))
        writer.at.env[both.name] = Bundle((me, x), both.type)
        yield returned(writer, body, None)
        return names
    itself, rest = params
    writer.at.env[itself.name] = me
    names, x = named_parameters(writer, (rest,), body)
    again = calls_where_it_ends(itself.name, body, writer.captured)
    if not again:
        writer.deep.append(me.text)
        yield returned(writer, body, None)
        return names
    targets = [name.removeprefix("*") for name in names]
    writer.at.rounds += 1
    with writer.block() as round_:
        yield returned(writer, body, Again(again, targets, rest.type))
    writer.at.body.append(Clause("while ", "True", round_))
    return names
