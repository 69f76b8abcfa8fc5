"""Conditionals: the branch taken is computed, and only that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor, components
from combinators.terms import Cond, Term
from interpreters.backends.python import calls
from interpreters.backends.python.frame import OFTEN, Frame, Uses, share
from interpreters.backends.python.numbers import SHORT
from interpreters.backends.python.values import Leaf, Root, Value, nested
from interpreters.backends.text.frame import is_broad
from interpreters.backends.text.layout import CHOICE, Assign, Block, Statement

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

DEEPEST = 4
"""How many blocks stand inside each other; what is deeper becomes a function of its own."""


def choice(emitter: Emitter, term: Cond, at: Frame, wish: str) -> Recursive[Value]:
    """An ``if`` statement, or an expression where both branches are short."""
    if at.depth >= DEEPEST:
        outlined: Value = yield calls.outlined(emitter, term, at, wish)
        return outlined
    test: Value = yield emitter.value(term.test, at)
    condition: Leaf = yield emitter.leaf(test, at)
    condition = at.named(condition, "p")
    then_body, then = yield _branch(emitter, term.then, at)
    other_body, other = yield _branch(emitter, term.other, at)
    if not then_body and not other_body and len(then) == 1 and then[0].text != other[0].text:
        text = f"{_tight(then[0])} if {_tight(condition)} else {_tight(other[0])}"
        if len(text) <= SHORT and not _is_array(term.type):
            return nested(iter((_joined(text, then[0], other[0], CHOICE),)), term.type)
    leaves = []
    for a, b in zip(then, other, strict=True):
        if a.text == b.text:
            leaves.append(a)
            continue
        name = at.fresh(wish)
        then_body.append(Assign((name,), a.text))
        other_body.append(Assign((name,), b.text))
        leaves.append(_joined(name, a, b))
    if then_body or other_body:
        otherwise = Block("else", "", "", other_body)
        at.body.append(Block("if ", condition.text, "", then_body, otherwise))
    return nested(iter(leaves), term.type)


def _branch(
    emitter: Emitter, term: Term, at: Frame
) -> Recursive[tuple[list[Statement], list[Leaf]]]:
    outside = at.uses
    with at.block() as body:
        at.uses = Uses(term, emitter.captured)
        value: Value = yield emitter.value(term, at)
        leaves: list[Leaf] = yield flattened(emitter, value, term.type, at)
    at.uses = outside
    return body, leaves


def flattened(emitter: Emitter, value: Value, obj: Object, at: Frame) -> Recursive[list[Leaf]]:
    """The leaves of a value, each as a Python object."""
    product = components(obj)
    if product is None or is_broad(obj):
        leaf: Leaf = yield emitter.leaf(value, at)
        return [leaf]
    leaves: list[Leaf] = []
    for index, part in enumerate(product.parts):
        leaves += yield flattened(emitter, emitter.component(value, index, part), part, at)
    return leaves


def _tight(leaf: Leaf) -> str:
    return leaf.text if leaf.level > CHOICE else f"({leaf.text})"


def _is_array(obj: Object) -> bool:
    return isinstance(obj, Tensor) and bool(obj.shape)


def is_own(leaf: Leaf) -> bool:
    """Whether a block made the array that it ends with, and nothing else looks at it."""
    root = leaf.root
    return root is not None and root.fresh and not root.shared and root.uses < OFTEN


def _joined(text: str, a: Leaf, b: Leaf, level: Any = None) -> Leaf:
    root = Root(fresh=is_own(a) and is_own(b)) if _is_array(a.type) else None
    if root is None or not root.fresh:
        share(a)
        share(b)
    bounds = min(a.bounds[0], b.bounds[0]), max(a.bounds[1], b.bounds[1])
    joined = Leaf(text, a.type, root=root, bounds=bounds, tainted=a.tainted or b.tainted)
    if level is not None:
        joined.level = level
    return joined
