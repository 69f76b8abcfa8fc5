"""What a loop carries from round to round, and whether its buffers may be written into."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from combinators.objects import Tensor
from interpreters.backends.python.branches import is_own
from interpreters.backends.python.frame import Frame
from interpreters.backends.python.rounds import EmittedLoop, Round
from interpreters.backends.python.values import (
    Leaf,
    Root,
)
from interpreters.backends.text.layout import Assign, Statement, words

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter


class Carried:
    """The variables that a loop carries, and what happens to their buffers."""

    def __init__(self, emitter: Emitter, loop: EmittedLoop, start: list[Leaf], at: Frame) -> None:
        self.emitter, self.at, self.start = emitter, at, start
        lam = loop.lam
        wish = lam.params[0].name if lam is not None else "carry"
        self.names = [at.fresh(wish) for _ in start]
        key = id(lam if lam is not None else loop.term)
        known = emitter.carried.setdefault(key, [False] * len(start))
        self.taints = known
        for index, leaf in enumerate(start):
            known[index] = known[index] or leaf.tainted
        self.roots: list[Root | None] = []
        self.before: list[Statement] = []
        self.own: set[str] = set()

    def leaves(self) -> list[Leaf]:
        """The variables as a round finds them."""
        self.roots = [
            Root(fresh=True) if isinstance(x.type, Tensor) and x.type.shape else None
            for x in self.start
        ]
        return [
            Leaf(name, x.type, root=root, tainted=tainted)
            for name, x, root, tainted in zip(
                self.names, self.start, self.roots, self.taints, strict=True
            )
        ]

    def settle(self, done: Round) -> bool:
        """Whether a variable holds what was not expected, and the round is written again."""
        changed = False
        for index, leaf in enumerate(done.carry):
            if leaf.tainted and not self.taints[index]:
                self.taints[index] = changed = True
        return changed

    def finish(self, done: Round) -> None:
        """Assign at the end of the round, and before the first."""
        pairs = list(zip(self.names, self.roots, done.carry, strict=True))
        changed = [(name, root, leaf) for name, root, leaf in pairs if leaf.text != name]
        written = {name for name, _, _ in changed}
        self.own = self._own(done)
        last: list[Statement] = []
        for name, root, leaf in changed:
            text = leaf.text
            if root is not None and root.reused and name not in self.own:
                text = f"{text}.copy()"
            if written - {name} & set(words(text)) and len(changed) > 1:
                temporary = self.at.fresh(name)
                done.body.append(Assign((temporary,), text))
                text = temporary
            last.append(Assign((name,), text))
        done.body.extend(last)
        for (name, root, _), leaf in zip(pairs, self.start, strict=True):
            text = leaf.text
            if root is not None and root.reused and not self._is_free(leaf):
                text = f"{text}.copy()"
            elif leaf.root is not None:
                leaf.root.shared = True
            self.before.append(Assign((name,), text))

    def _own(self, done: Round) -> set[str]:
        """The variables whose arrays a round makes anew, or has written into, each for itself."""
        mine = {id(root): root for root in self.roots if root is not None}
        times = Counter(id(leaf.root) for leaf in done.carry)
        own: set[str] = set()
        for name, leaf in zip(self.names, done.carry, strict=True):
            root = mine.get(id(leaf.root))
            passed = root is not None and not root.reused
            if is_own(leaf) and not passed and times[id(leaf.root)] == 1:
                own.add(name)
        return own

    def _is_free(self, leaf: Leaf) -> bool:
        """Whether nothing else looks at the array that the loop starts from."""
        root = leaf.root
        if root is None or not root.fresh or root.shared:
            return False
        root.uses -= 1
        free = root.uses <= 0
        root.shared = True
        return free

    def results(self) -> list[Leaf]:
        """The variables after the loop."""
        return [
            Leaf(
                name,
                leaf.type,
                root=None if root is None else Root(fresh=root.reused or name in self.own),
                tainted=tainted,
            )
            for name, leaf, root, tainted in zip(
                self.names, self.start, self.roots, self.taints, strict=True
            )
        ]
