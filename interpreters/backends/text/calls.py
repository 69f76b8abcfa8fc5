"""Functions: each written once, and what is passed to them and given back.

A function value takes one Python argument a component where its one argument is a product of
several (or none), else one argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Product
from combinators.terms import Lam, Var
from interpreters.backends.text.code import Assign
from interpreters.backends.text.emitter import Emitter, F
from interpreters.backends.text.frame import Frame, L, V
from interpreters.backends.text.layout import Split, Text, several
from interpreters.backends.text.values import Bundle

FEW = 3
"""Of how many components a result is taken apart where it is given."""


def is_apart(obj: Object) -> bool:
    """Whether a function of ``obj`` takes an argument a component."""
    return isinstance(obj, Product) and obj.width != 1


def as_it_is(text: Text) -> Text:
    """A tuple that is returned needs no parentheses."""
    if isinstance(text, Split) and text.open == "(" and len(text.items) > 1:
        return several(text.items)
    return text


def defined(emitter: Emitter[V, L, F], function: Lam, wish: str) -> Recursive[str]:
    """The name of the function at the top of the module that a λ is."""
    if id(function) not in emitter.functions:
        name = emitter.module.fresh(function.name or wish)
        emitter.functions[id(function)] = name
        yield emitter.define(name, function)
    return emitter.functions[id(function)]


def parameters(
    emitter: Emitter[V, L, F], captured: Iterable[Var], params: tuple[Var, ...], at: F
) -> tuple[str, ...]:
    """The parameters of a function that is written into ``at``, what it captures first."""
    names = []
    for var in (*captured, *params):
        names.append(at.fresh(var.name))
        at.env[var.name] = emitter.opaque(var.type, names[-1])
    if len(params) == 1 and is_apart(params[0].type):
        names[-1] = f"*{names[-1]}"
    return tuple(names)


def matched(emitter: Emitter[V, L, F], params: tuple[Var, ...], argument: V) -> list[tuple[Var, V]]:
    """The parameters of a λ that is written out, and what each is of its argument."""
    if len(params) == 1:
        return [(params[0], argument)]
    return [(x, emitter.component(argument, i, x.type)) for i, x in enumerate(params)]


def passed(
    emitter: Emitter[V, L, F], captured: Iterable[tuple[str, V]], at: F
) -> Recursive[list[Text]]:
    """What a function captures, as arguments."""
    texts: list[Text] = []
    for name, value in captured:
        leaf: L = yield emitter.leaf(value, at, name)
        texts.append(at.named(leaf, name).text)
    return texts


def arguments(emitter: Emitter[V, L, F], x: V, dom: Object, at: F) -> Recursive[list[Text]]:
    """The argument of a function, as Python's arguments."""
    leaf: L
    if not is_apart(dom):
        leaf = yield emitter.leaf(x, at)
        return [at.argument(leaf)]
    if not isinstance(x, Bundle):
        leaf = yield emitter.leaf(x, at)
        return [f"*{at.named(leaf).text}"]
    texts: list[Text] = []
    for part in x.parts:
        leaf = yield emitter.leaf(part, at)
        texts.append(at.argument(leaf))
    return texts


def given_back(
    text: Text, obj: Object, at: Frame[Any, L], wish: str, leaf: Callable[[Object, str], L]
) -> L | Bundle[L]:
    """What a call gives, under names; a product of few components is taken apart."""
    if not isinstance(obj, Product) or not 1 < obj.width <= FEW:
        return leaf(obj, at.assign(text, wish))
    names = tuple(at.fresh(f"{wish}_{i}") for i in range(obj.width))
    at.body.append(Assign(names, text))
    return Bundle(tuple(map(leaf, obj.parts, names)), obj)
