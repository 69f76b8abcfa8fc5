"""Conditionals: ``lax.cond``, which runs the branch taken, and only that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Tensor
from combinators.terms import Cond, Const, Term, Tuple, Var
from interpreters.backends.text.calls import as_it_is
from interpreters.backends.text.layout import Text, call
from interpreters.backends.text.values import Bundle
from interpreters.backends.xla.elementwise import elementwise
from interpreters.backends.xla.frame import Frame
from interpreters.backends.xla.functions import DEEPEST, local, outlined
from interpreters.backends.xla.values import Leaf, Value, check_first_order

if TYPE_CHECKING:
    from interpreters.backends.xla.emitter import Emitter


def choice(emitter: Emitter, term: Cond, at: Frame, wish: str) -> Recursive[Value]:
    """A conditional; where both branches are there already, one is selected."""
    check_first_order("a conditional", term.type, place=term.place)
    test: Value = yield emitter.value(term.test, at)
    p = emitter.array(test, at)
    if _is_there(term.then) and _is_there(term.other):
        then: Value = yield emitter.value(term.then, at)
        other: Value = yield emitter.value(term.other, at)
        return _selected(emitter, at.named(p, "p"), then, other, at)
    condition: Leaf = yield emitter.leaf(p, at)
    texts: list[Text] = [condition.text]
    for branch, name in ((term.then, "then"), (term.other, "other")):
        text: Text
        if at.depth < DEEPEST:
            text = yield local(emitter, (), branch, at, name, as_it_is)
        else:
            text = yield outlined(emitter, branch, at)
        texts.append(text)
    return Leaf(at.assign(call("lax.cond", *texts), wish), term.type)


def _is_there(branch: Term) -> bool:
    """Whether nothing has to be computed for a branch."""
    todo = [branch]
    while todo:
        here = todo.pop()
        if isinstance(here, Tuple):
            todo += here.items
        elif not isinstance(here, Var | Const) or not isinstance(here.type, Tensor):
            return False
    return True


def _selected(emitter: Emitter, p: Leaf, then: Value, other: Value, at: Frame) -> Value:
    if isinstance(then, Bundle):
        assert isinstance(other, Bundle)
        pairs = zip(then.parts, other.parts, strict=True)
        return Bundle(tuple(_selected(emitter, p, a, b, at) for a, b in pairs), then.type)
    assert isinstance(then.type, Tensor)
    if then is other:
        return then
    return elementwise(emitter, "where", (p, then, other), then.type, at)
