"""fold, scan and map of the naive interpreter, over vectors of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Object, Product, Real, Tensor
from combinators.type_folds import row_of
from tests.laws.bugs.arrows import Arrow, Rep, derived
from tests.laws.bugs.cotangents import Cotangents


class Loops(Cotangents):
    """Each round is a call of ``eval``."""

    def fold(self, dom: Any, cod: Object, *, reverse: bool = False) -> Arrow:
        step, shape = self.eval(dom.parts[0]), numbers(dom.parts[2])

        def rep(x: Any) -> Rep:
            function, carry, xs = x
            reps: dict[int, Rep] = {}
            for i in self.rounds(shape[0], reverse):
                reps[i] = step.rep((function, (carry, xs[i])))
                carry = reps[i].value
            return derived(
                list(reps.values()),
                self.folded(carry, reps),
                lambda g: self.pulled_fold(reps, g, shape[0]),
                lambda v: self.pushed_fold(reps, v),
            )

        return Arrow(dom, cod, rep)

    def reduce(self, dom: Any, cod: Object, *, reverse: bool = False) -> Arrow:
        return self.fold(dom, cod, reverse=reverse)

    def rounds(self, length: int, reverse: bool) -> range:
        return range(length)[::-1] if reverse else range(length)

    def folded(self, carry: Any, reps: dict[int, Rep]) -> Any:
        return carry

    def pulled_fold(self, reps: dict[int, Rep], g: Any, length: int) -> Any:
        function, rows = None, {}
        for i in reversed(reps):
            own, argument = reps[i].pullback(g) or (None, None)
            function = self.called_again(function, own)
            g, rows[i] = argument or (None, None)
        return function, self.initial(g), self.row_cotangents(rows, length)

    def called_again(self, function: Any, own: Any) -> Any:
        """The cotangent of a function that one more round calls."""
        return self.both(function, own)

    def initial(self, g: Any) -> Any:
        return g

    def row_cotangents(self, rows: dict[int, Any], length: int) -> Any:
        return self.stacked([rows.get(i) for i in range(length)], Real)

    def pushed_fold(self, reps: dict[int, Rep], v: Any) -> Any:
        moved, start, along = v or (None, None, None)
        for i, rep in reps.items():
            start = rep.pushforward((moved, (start, row(along, i))))
        return start

    def scan(self, dom: Any, cod: Any, *, reverse: bool = False) -> Arrow:
        step, shape = self.eval(dom.parts[0]), numbers(dom.parts[2])
        item = row_of(cod.parts[1])
        numbers(cod.parts[1])

        def rep(x: Any) -> Rep:
            function, carry, xs = x
            reps: dict[int, Rep] = {}
            for i in self.rounds(shape[0], reverse):
                reps[i] = step.rep((function, (carry, xs[i])))
                carry = reps[i].value[0]
            ys = self.outputs([reps[i].value[1] for i in sorted(reps)])
            return derived(
                list(reps.values()),
                (carry, self.stacked(ys, item)),
                lambda g: self.pulled_scan(reps, g, shape[0]),
                lambda v: self.pushed_scan(reps, v, item),
            )

        return Arrow(dom, cod, rep)

    def scanl(self, dom: Any, cod: Any) -> Arrow:
        return self.scan(dom, cod)

    def scanr(self, dom: Any, cod: Any, *, reverse: bool) -> Arrow:
        return self.scan(dom, cod, reverse=reverse)

    def outputs(self, ys: list[Any]) -> list[Any]:
        return ys

    def pulled_scan(self, reps: dict[int, Rep], g: Any, length: int) -> Any:
        carry, ys = g or (None, None)
        function, rows = None, {}
        for i in reversed(reps):
            own, argument = reps[i].pullback((carry, row(ys, i))) or (None, None)
            function = self.called_again(function, own)
            carry, rows[i] = argument or (None, None)
        return function, self.initial(carry), self.row_cotangents(rows, length)

    def pushed_scan(self, reps: dict[int, Rep], v: Any, item: Object) -> Any:
        moved, carry, along = v or (None, None, None)
        ys = {}
        for i, rep in reps.items():
            carry, ys[i] = rep.pushforward((moved, (carry, row(along, i)))) or (None, None)
        return carry, self.stacked([ys[i] for i in sorted(ys)], item)

    def map(self, dom: Any, cod: Object) -> Arrow:
        step, shape = self.eval(dom.parts[0]), numbers(dom.parts[1])
        item = row_of(cod)
        numbers(cod)

        def rep(x: Any) -> Rep:
            function, xs = x
            reps = {i: step.rep((function, xs[i])) for i in range(shape[0])}
            return derived(
                list(reps.values()),
                self.stacked([r.value for r in reps.values()], item),
                lambda g: self.pulled_map(reps, g, shape[0]),
                lambda v: self.pushed_map(reps, v, item),
            )

        return Arrow(dom, cod, rep)

    def pulled_map(self, reps: dict[int, Rep], g: Any, length: int) -> Any:
        function, rows = None, {}
        for i, rep in reps.items():
            own, rows[i] = rep.pullback(row(g, i)) or (None, None)
            function = self.called_again(function, own)
        return function, self.row_cotangents(rows, length)

    def pushed_map(self, reps: dict[int, Rep], v: Any, item: Object) -> Any:
        moved, along = v or (None, None)
        return self.stacked([reps[i].pushforward((moved, row(along, i))) for i in reps], item)

    def stacked(self, items: list[Any], item: Tensor) -> Any:
        array = np.empty((len(items), *item.shape), dtype=object)
        for i, x in enumerate(items):
            array[i] = self.dense(x, item)
        return array


def row(xs: Any, i: int) -> Any:
    return None if xs is None else xs[i]


def numbers(obj: Object) -> tuple[int, ...]:
    """The shape of the tensor of floats that a loop runs over."""
    if isinstance(obj, Product) or not isinstance(obj, Tensor) or not obj.is_smooth:
        raise MissingRule("the naive interpreter loops over tensors of floats")
    return obj.shape
