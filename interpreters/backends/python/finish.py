"""How a program ends: nans are looked at, and what is returned is nobody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Tensor
from interpreters.backends.python.frame import Frame
from interpreters.backends.python.numbers import Escalate
from interpreters.backends.python.values import Leaf, Value
from interpreters.backends.text.frame import Bundle
from interpreters.backends.text.layout import Block, Do, Text, several, tuple_of

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

SMALL = 4096
"""Up to how many elements ``vdot`` is the quickest look, before BLAS starts threads."""


def finished(
    emitter: Emitter, value: Value, obj: Object, at: Frame, again: Text
) -> Recursive[bool]:
    """Return the value; whether ``again`` is returned instead where there is a nan."""
    ending = _Ending(emitter, at, again)
    text: Text
    if isinstance(value, Bundle) and len(value.parts) > 1:
        texts: list[Text] = []
        for part in value.parts:
            texts.append((yield ending.own(part)))
        text = several(tuple(texts))
    else:
        text = yield ending.own(value)
    at.do(text, "return ")
    return ending.checks


class _Ending:
    """What has been returned so far."""

    def __init__(self, emitter: Emitter, at: Frame, again: Text) -> None:
        self.emitter, self.at, self.again = emitter, at, again
        self.checks = False
        self._roots: set[int] = set()
        self._whole: dict[int, tuple[Value, str]] = {}

    def own(self, value: Value) -> Recursive[Text]:
        """An expression of the value, that shares no buffer with anything."""
        if isinstance(value, Bundle):
            if id(value) in self._whole:
                return self._whole[id(value)][1]
            texts: list[Text] = []
            for part in value.parts:
                texts.append((yield self.own(part)))
            if len(texts) > 3 or any(not isinstance(text, str) for text in texts):
                name = self.at.assign(tuple_of(tuple(texts)), "result")
                self._whole[id(value)] = value, name
                return name
            return tuple_of(tuple(texts))
        leaf: Leaf = yield self.emitter.leaf(value, self.at, "result")
        if leaf.tainted:
            leaf = self.at.named(leaf, "result")
            self._check(leaf)
        if isinstance(leaf.type, Tensor) and leaf.type.shape:
            return self._array(leaf)
        if not isinstance(leaf.type, (Tensor, Fun)):
            return self._copied(leaf)
        return leaf.text

    def _array(self, leaf: Leaf) -> str:
        root = leaf.root
        if root is None or not root.fresh or id(root) in self._roots:
            return f"{leaf.text}.copy()"
        self._roots.add(id(root))
        self._whole[id(root)] = leaf, leaf.text
        return leaf.text

    def _copied(self, leaf: Leaf) -> str:
        return f"_copied({leaf.text})" if leaf.text not in ("None", "()") else leaf.text

    def _check(self, leaf: Leaf) -> None:
        if not isinstance(leaf.type, Tensor):
            raise Escalate
        self.checks = True
        name = leaf.text
        test = f"math.isnan({name})"
        if leaf.type.shape:
            # Either is nan where an element is; of inf and -inf the sum is too, which does no harm.
            small = leaf.type.size <= SMALL
            test = f"math.isnan({f'np.vdot({name}, {name})' if small else f'{name}.sum()'})"
            self.emitter.warns = True
        self.at.body.append(Block("if ", test, "", [Do(self.again, "return ")]))
