"""Functions: written once, called, and closed over what they capture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from combinators.free import captured
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object
from combinators.terms import Lam, Term
from interpreters.backends.python.frame import Frame, Uses, bundle, share
from interpreters.backends.python.values import Known, Leaf, Value
from interpreters.backends.text.emitter import (
    arguments,
    as_it_is,
    defined,
    given_back,
    parameters,
    passed,
)
from interpreters.backends.text.frame import Bundle
from interpreters.backends.text.layout import ATOM, Do, Text, call

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter


def applied(
    emitter: Emitter, function: Term, argument: Term, at: Frame, wish: str
) -> Recursive[Value]:
    """``f x``: written out where the λ stands here and nowhere else."""
    f: Value = yield emitter.value(function, at)
    x: Value = yield emitter.value(argument, at)
    result: Value
    if isinstance(function, Lam) and isinstance(f, Known) and emitter.is_once(function):
        result = yield emitter.inlined(f, x, at, wish)
    else:
        result = yield called(emitter, f, x, at, wish)
    return result


def called(emitter: Emitter, f: Value, x: Value, at: Frame, wish: str) -> Recursive[Value]:
    """A call of a function that stands elsewhere."""
    assert isinstance(f.type, Fun)
    emitter.doubt(x)
    args: list[Text] = []
    if isinstance(f, Known):
        emitter.doubt(f)
        name: str = yield defined(emitter, f.function, "step")
        args = yield _captured(emitter, f, at)
        tainted = emitter.tainted_results.get(id(f.function), False)
    else:
        leaf: Leaf = yield emitter.leaf(f, at)
        name, tainted = at.named(leaf, "f").text, emitter.level < 2
    share(x)
    args += yield arguments(emitter, x, f.type.dom, at)

    def given(obj: Object, name: str) -> Leaf:
        leaf = emitter.opaque(obj, name)
        leaf.tainted = leaf.tainted or tainted
        return leaf

    return given_back(call(name, *args), f.type.cod, at, wish, given)


def _captured(emitter: Emitter, f: Known, at: Frame) -> Recursive[list[Text]]:
    texts: list[Text] = yield passed(emitter, _shared(f), at)
    return texts


def _shared(f: Known) -> Iterator[tuple[str, Value]]:
    for name, value in f.captured.items():
        share(value)
        yield name, value


def define(emitter: Emitter, name: str, function: Lam) -> Recursive[None]:
    """Write a λ at the top of the module."""
    at = Frame(emitter.module.name)
    params = parameters(emitter, emitter.captured[id(function)], function.params, at)
    at.uses = Uses(function.body, emitter.captured)
    value: Value = yield emitter.value(function.body, at, "result")
    leaf: Leaf = yield emitter.leaf(value, at, "result")
    at.do(as_it_is(at.unnamed(leaf.text)) if isinstance(value, Bundle) else leaf.text, "return ")
    emitter.module.define(name, params, at.body)
    emitter.tainted_results[id(function)] = leaf.tainted


def closure(emitter: Emitter, known: Known, at: Frame, wish: str) -> Recursive[Leaf]:
    """A function value: the function itself, or a λ over what it captures."""
    emitter.doubt(known)
    function = known.function
    name: str = yield defined(emitter, function, "step")
    if not known.captured:
        return Leaf(name, function.type, ATOM)
    if id(function) not in emitter.closers:
        emitter.closers[id(function)] = _closer(emitter, function, name)
    args: list[Text] = yield _captured(emitter, known, at)
    text = call(emitter.closers[id(function)], *args)
    return Leaf(at.assign(text, wish), function.type, ATOM)


def _closer(emitter: Emitter, function: Lam, name: str) -> str:
    """A function that gives the λ, so that what it captures is fixed."""
    at = Frame(emitter.module.name)
    params = parameters(emitter, emitter.captured[id(function)], function.params, at)
    given = params[: len(emitter.captured[id(function)])]
    rest = params[len(given) :]
    closer = emitter.module.fresh(f"close_{name.lstrip('_')}")
    function_text = call(
        f"lambda {', '.join(rest)}: {name}" if rest else f"lambda: {name}", *params
    )
    emitter.module.define(closer, given, [Do(function_text, "return ")])
    return closer


def outlined(emitter: Emitter, term: Term, at: Frame, wish: str) -> Recursive[Value]:
    """A term that stands too deep, as a function of its free variables."""
    free, _ = captured(term)
    function = emitter.keep(Lam(free, term, wish), ())
    values = tuple(at.env[var.name] for var in free)
    x = values[0] if len(values) == 1 else bundle(values, function.dom)
    result: Value = yield called(emitter, Known(function, {}), x, at, wish)
    return result
