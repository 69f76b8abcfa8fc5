"""Sums and functions that call themselves, as far as XLA has them: tags, and ``while_loop``.

XLA's values have one layout each. So a sum is a tuple of a tag and a value where all alternatives
are of one type, and the zero of its tangents has the tag -1. A function that calls itself where it
ends, and nowhere else, is a loop: where each round tests first, one over its argument, else over
whether to go on, its argument and its result.

    f (x, y) = if x < 1 then y else f (x / 2, y + 1)

    lax.while_loop(lambda xy: ~(xy[0] < 1), lambda xy: (xy[0] / 2, xy[1] + 1), (x, y))[1]

What calls itself elsewhere needs a stack, and recursive data needs memory that grows.
"""

from __future__ import annotations

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.objects import Bool, Fun, Int, Object, Sum
from combinators.operation import named
from combinators.primitives.sums import INJECT, IS, TAG
from combinators.terms import (
    App,
    Cond,
    Lam,
    Let,
    Prim,
    Proj,
    Term,
    Tuple,
    Var,
    captured,
    const,
    let,
)
from interpreters.backends.analysis.captures import calls_where_it_ends, ending, rounds_of
from interpreters.backends.text.layout import (
    COMPARED,
    Assign,
    Bracketed,
    Clause,
    Do,
    Statement,
    Text,
    call,
    flat,
    several,
)
from interpreters.backends.text.leaves import Bundle, CapturedLam, Leaf, Value, is_apart
from interpreters.backends.text.term_writer import Writer
from interpreters.backends.xla.jax_forms import check_first_order, local
from interpreters.backends.xla.jax_numbers import number


def of_sum(writer: Writer, term: Prim, x: Value, wish: str) -> Recursive[Value]:
    """What makes or opens a value of a sum."""
    primitive, index = term.operation.primitive, term.operation.keywords.get("index")
    check_first_order("a case", term.type, x.type, place=term.place)
    if primitive in (INJECT, TAG):
        return Bundle((number(index, "int64"), x), term.type)
    at = 0 if primitive is IS else 1
    if isinstance(x, Bundle):
        part = x.parts[at]
    else:
        whole: Leaf = yield writer.leaf(x)
        part = writer.opaque(
            Int if primitive is IS else term.type, f"{writer.named(whole).text}[{at}]"
        )
    return part if at else Leaf(f"{writer.array(part).text} == {index}", Bool, COMPARED)


def zero_of_sum(writer: Writer, obj: Sum) -> Recursive[Value]:
    """The zero of the tangents of a sum, of no alternative."""
    check_first_order("a zero", obj)
    inside: Value = yield writer.zeros(obj.parts[0])
    return Bundle((number(-1, "int64"), inside), obj)


def in_place(writer: Writer, fixed: Prim, argument: Term, wish: str) -> Recursive[Value | None]:
    """``fix step x`` as ``while_loop(test, body, x)``, where a round tests, then calls or ends."""
    (step,) = fixed.args
    found = rounds_of(step, writer.captured)
    if found is None or any(not isinstance(bound, Proj) for _, bound in found.lines):
        return None
    assert isinstance(step, Lam)
    (_, x), lines = step.params, tuple(found.lines)
    check_first_order("a loop", x.type, found.end.type, place=fixed.place)
    f: CapturedLam = yield writer.value(step)
    given: Value = yield writer.value(argument)
    start: Leaf = yield writer.leaf(given)
    after: Term = yield _after(found.again, found.calls)
    test = found.test if found.holds else Prim(named("logical_not").plain, (found.test,))
    texts: list[Text] = []
    for term, name in ((test, "test"), (after, "round")):
        one = Lam((x,), let(lines, term))
        writer.captured.update(captured(one, writer.captured)[1])
        writer.kept.append(one)
        texts.append((yield local(writer, CapturedLam(one, f.captured), name, whole=True)))
    last = writer.assign(call("lax.while_loop", *texts, start.text), x.name)
    outside, writer.at.env = writer.at.env, {**f.captured, x.name: writer.opaque(x.type, last)}
    result: Value = yield writer.value(let(lines, found.end), wish)
    writer.at.env = outside
    return result


def _after(term: Term, calls: frozenset[int]) -> Recursive[Term]:
    """A term that ends with calls, with what they are given in their places."""
    if isinstance(term, Let):
        lines, last = ending(term)
        return let(tuple(lines), (yield _after(last, calls)))
    if isinstance(term, Cond):
        then: Term = yield _after(term.then, calls)
        return Cond(term.test, then, (yield _after(term.other, calls)), term.place)
    assert isinstance(term, App)
    return term.argument


def recursive(writer: Writer, term: Prim, wish: str) -> Recursive[Value]:
    """A function that calls itself where it ends, as a loop."""
    (step,), obj = term.args, term.type
    assert isinstance(obj, Fun)
    f: Value = yield writer.value(step)
    known = f if isinstance(f, CapturedLam) and len(f.function.params) == 2 else None
    name = "a function" if known is None else known.function.name or known.function.params[0].name
    again = frozenset[int]()
    if known is not None:
        itself = known.function.params[0]
        again = calls_where_it_ends(itself.name, known.function.body, writer.captured)
    if known is None or not again:
        raise MissingRule(
            f"XLA has loops, not recursion, and {name} goes on after it has called itself, as the "
            "gradient of a loop does; end with the call, carrying on what is computed, take jvp or "
            "jacfwd for grad, or run this on the Python backend",
            term.place,
        )
    check_first_order(f"the loop {name}", obj.dom, obj.cod, place=term.place)
    round_: Lam = yield _round(known.function, again, obj.cod)
    writer.captured.update(captured(round_, writer.captured)[1])
    writer.kept.append(round_)
    inside: Text = yield local(writer, CapturedLam(round_, known.captured), f"{name}_round")
    body = writer.named(Leaf(flat(inside), round_.type), f"{name}_round").text
    zero: Value = yield writer.zeros(obj.cod)
    last: Leaf = yield writer.leaf(zero)
    one, found = "*x" if is_apart(obj.dom) else "x", writer.fresh(name)
    loop = ("lambda state: state[0]", f"lambda state: {body}(*state)", "start")
    statements: list[Statement] = [
        Assign(("start",), several(("jnp.bool_(True)", "x", last.text))),
        Do(f"{flat(call('lax.while_loop', *loop))}[2]", "return "),
    ]
    writer.at.body.append(Clause("def ", Bracketed(f"{found}(", (one,), ")"), statements))
    return Leaf(found, obj)


def _round(function: Lam, again: frozenset[int], cod: Object) -> Recursive[Lam]:
    """From whether to go on, the argument and the result so far, to the next."""
    _, x = function.params
    going, result = Var("going", Bool), Var("so_far", cod)

    def at(term: Term) -> Recursive[Term]:
        if isinstance(term, Let):
            lines, last = ending(term)
            return let(tuple(lines), (yield at(last)))
        if isinstance(term, Cond):
            return Cond(term.test, (yield at(term.then)), (yield at(term.other)), term.place)
        if isinstance(term, App) and id(term) in again:
            return Tuple((const(True), term.argument, result))
        return Tuple((const(False), x, term))

    return Lam((going, x, result), (yield at(function.body)))
