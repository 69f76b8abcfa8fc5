"""Random programs in the array language of 003, Fig. 7: all its formers, at static shapes.

A program is drawn while it is traced: ``choose(n)`` gives a number below ``n``, hypothesis's or
that of a random generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

import diffcurry as dc
from combinators.objects import Int, Object, Tensor
from combinators.terms import Lam
from diffcurry.decorator import fun

Shape = tuple[int, ...]
Choose = Callable[[int], int]

PARAMETERS: tuple[Object, ...] = (
    Tensor((3,)),
    Tensor((2, 3)),
    Tensor((3, 2)),
    Tensor((3,), "int64"),
    Tensor((2, 2), "bool"),
    Tensor((0,)),
    Tensor(()),
)
"""What the programs take."""


def _given(x: Any, _: int) -> Any:
    return x


@dataclass
class Drawing:
    """One program as it is drawn."""

    choose: Choose
    smooth: bool = False
    wide: bool = False
    known: list[Any] = field(default_factory=list)

    def term(self, shape: Shape, kind: str, depth: int) -> Any:
        """A term of this shape and element type."""
        formers = self._leaves(shape, kind)
        if depth > 0:
            formers += [former for former in self._formers(shape, kind) for _ in (0, 1)]
        return formers[self.choose(len(formers))](depth - 1)

    @contextmanager
    def _knowing(self, *values: Any) -> Iterator[None]:
        """Terms that are drawn inside may use these values too."""
        self.known += values
        yield
        del self.known[-len(values) :]

    def _leaves(self, shape: Shape, kind: str) -> list[Callable[[int], Any]]:
        found = [x for x in self.known if x.shape == shape and x.dtype == kind]
        leaves: list[Callable[[int], Any]] = [partial(_given, x) for x in found]
        return [*leaves, *leaves, lambda _: self._constant(shape, kind)]

    def _constant(self, shape: Shape, kind: str) -> Any:
        values = [self.choose(7) - 2 for _ in range(int(np.prod(shape)))]
        array = np.array(values, dtype="int64").reshape(shape)
        return array % 2 == 0 if kind == "bool" else array.astype(kind)

    def _formers(self, shape: Shape, kind: str) -> list[Callable[[int], Any]]:
        formers = [
            lambda d: self._let(shape, kind, d),
            lambda d: self._cond(shape, kind, d),
            lambda d: self._op(shape, kind, d),
            lambda d: self._index(shape, kind, d),
            lambda d: self._part(shape, kind, d),
        ]
        if kind != "bool":
            formers.append(lambda d: np.sum(self.term((self._extent(), *shape), kind, d), axis=0))
        if shape:
            formers += [
                lambda d: self._build(shape, kind, d),
                lambda d: self._build(shape, kind, d),
                lambda d: dc.replicate(shape[0], self.term(shape[1:], kind, d)),
                lambda d: self._moved(dc.gather, shape, kind, d),
            ]
            if shape[0]:
                formers.append(lambda d: self._stack(shape, kind, d))
            if kind != "bool":
                formers.append(lambda d: self._moved(dc.scatter, shape, kind, d))
        if len(shape) > 1:
            formers.append(lambda d: np.transpose(self.term(shape[::-1], kind, d)))
        if int(np.prod(shape)) > 1:
            formers.append(lambda d: self._reshape(shape, kind, d))
        return [*formers, *self._others(shape, kind)] if self.wide else formers

    def _others(self, shape: Shape, kind: str) -> list[Callable[[int], Any]]:
        """What the language has besides Fig. 7's."""
        formers = [lambda d: self._fold(shape, kind, d), lambda d: self._call(shape, kind, d)]
        if shape:
            formers += [
                lambda d: self._scan(shape, kind, d),
                lambda d: self._map(shape, kind, d),
                lambda d: self._whole(shape, kind, d)[::-1],
                lambda d: self._whole((2 * shape[0] + 1, *shape[1:]), kind, d)[1::2],
                lambda d: np.concatenate(
                    [self._whole(shape, kind, d), self._whole(shape, kind, d)]
                )[: shape[0]],
            ]
        if shape and kind != "bool":
            formers.append(
                lambda d: np.cumsum(self._whole(shape, kind, d), axis=self.choose(len(shape)))
            )
        if kind == "float64":
            formers.append(lambda d: np.max(self._whole((2, *shape), kind, d), axis=0))
            if len(shape) == 2:
                formers.append(
                    lambda d: (
                        self._whole((shape[0], 3), kind, d) @ self._whole((3, shape[1]), kind, d)
                    )
                )
        return formers

    def _whole(self, shape: Shape, kind: str, depth: int) -> Any:
        return self._traced_like(self.term(shape, kind, depth))

    def _fold(self, shape: Shape, kind: str, depth: int) -> Any:
        rows = self._whole((self._extent(), *shape), kind, depth)

        def step(carry: Any, row: Any) -> Any:
            with self._knowing(carry, row):
                result = self.term(shape, kind, min(depth, 1))
            return np.where(carry == row, row, result)

        return dc.fold(step, self._whole(shape, kind, depth), rows)

    def _scan(self, shape: Shape, kind: str, depth: int) -> Any:
        rows = self._whole((shape[0], 2), "int64", depth)

        def step(carry: Any, row: Any) -> Any:
            with self._knowing(carry, row):
                result = self.term(shape[1:], kind, min(depth, 1))
            return carry + row[0], result

        return dc.scan(step, self._whole((), "int64", depth), rows)[1]

    def _call(self, shape: Shape, kind: str, depth: int) -> Any:
        def body(x: Any, i: Any) -> Any:
            with self._knowing(x, i):
                result = self.term(shape, kind, depth)
            return np.where(x == x, result, x)

        function = fun(body, Tensor(shape, kind), Int)
        return function(self._whole(shape, kind, depth), self._whole((), "int64", depth))

    def _map(self, shape: Shape, kind: str, depth: int) -> Any:
        def body(x: Any, y: Any) -> Any:
            with self._knowing(x, y["i"]):
                result = self.term(shape[1:], kind, depth)
            return {"result": result, "row": x}

        first = self._whole((shape[0], 2), "float64", min(depth, 1))
        second = {"i": self._whole((shape[0],), "int64", min(depth, 1))}
        return dc.map(body, first, second)["result"]

    def _extent(self) -> int:
        return (2, 3, 1, 0)[self.choose(4)]

    def _let(self, shape: Shape, kind: str, depth: int) -> Any:
        """A value that may be used again."""
        inner = ((), (2,), (3,), (2, 3))[self.choose(4)]
        with self._knowing(self._traced(self.term(inner, self._kind(), depth))):
            return self.term(shape, kind, depth)

    def _traced(self, value: Any) -> Any:
        return value if hasattr(value, "variable") else value + self.zero

    def _kind(self) -> str:
        return ("float64", "int64", "float64")[self.choose(3)]

    def _cond(self, shape: Shape, kind: str, depth: int) -> Any:
        test = self._traced_bool(depth)
        values = [self.term(shape, kind, depth) for _ in (0, 1)]
        if self.choose(2):
            return np.where(test, *values)
        return dc.cond(test, lambda: values[0], lambda: self.term(shape, kind, depth - 1))

    def _traced_bool(self, depth: int) -> Any:
        return self.term((), "int64", depth) < self.term((), "int64", depth) + self.zero

    def _op(self, shape: Shape, kind: str, depth: int) -> Any:
        x = self.term(shape, kind, depth)
        which = self.choose(5)
        if kind == "bool":
            y = self.term(shape, kind, depth)
            return np.logical_and(x, y) if which % 2 else np.logical_not(y)
        if which == 0:
            return -x
        if kind == "float64" and which == 1:
            return np.sin(x) if not self.smooth or self.choose(2) else np.exp(-x * x)
        y = self.term(shape, kind, depth)
        if kind == "int64" and which == 1:
            return self._traced(x) // y
        return (x + y, x - y, x * y)[which - 2]

    def _at(self, depth: int) -> Any:
        """An index, which may lie outside."""
        return self._traced(self.term((), "int64", depth))

    def _index(self, shape: Shape, kind: str, depth: int) -> Any:
        count = 1 + self.choose(2)
        whole = (*(self._extent() for _ in range(count)), *shape)
        x = self._whole(whole, kind, depth)
        return x[tuple(self._at(min(depth, 1)) for _ in range(count))]

    def _part(self, shape: Shape, kind: str, depth: int) -> Any:
        """An element, a window or some rows, known while tracing."""
        ends = (self.choose(3), 1 + self.choose(2))
        x = self._whole((3, *shape), kind, depth)
        if not shape or not self.choose(2):
            return x[ends[0]]
        n = shape[0]
        x = self._whole((2, 2 * n + 3, *shape[1:]), kind, depth)
        row = x[self.choose(2)]
        if self.choose(2):
            return row[ends[0] : ends[0] + ends[1] * n : ends[1]]
        return row[np.array([self.choose(2 * n + 3) for _ in range(n)], dtype=int)]

    def _traced_like(self, x: Any) -> Any:
        if hasattr(x, "variable"):
            return x
        return np.logical_or(x, self.zero > 0) if x.dtype == bool else x + self.zero.astype(x.dtype)

    def _build(self, shape: Shape, kind: str, depth: int) -> Any:
        def row(i: Any) -> Any:
            with self._knowing(i):
                return self.term(shape[1:], kind, depth)

        return dc.build(shape[0], row)

    def _moved(self, move: Callable[..., Any], shape: Shape, kind: str, depth: int) -> Any:
        """A ``gather`` or a ``scatter``, at indices of one axis."""

        def at(i: Any) -> Any:
            with self._knowing(i):
                return self._at(min(depth, 1))

        x = self._whole((self._extent(), *shape[1:]), kind, depth)
        return move(shape, x, at)

    def _stack(self, shape: Shape, kind: str, depth: int) -> Any:
        return np.stack([self._whole(shape[1:], kind, depth) for _ in range(shape[0])])

    def _reshape(self, shape: Shape, kind: str, depth: int) -> Any:
        size = int(np.prod(shape))
        shapes = [(size,), (1, size), shape[::-1], (size, 1)]
        return np.reshape(self._whole(shapes[self.choose(4)], kind, depth), shape)

    def program(self, *args: Any) -> Any:
        """The function that is traced."""
        self.known = list(args)
        self.zero = args[3][0] * 0
        shape = ((3,), (2, 3), (), (2,), (0,), (2, 2))[self.choose(6)]
        kind = "float64" if self.smooth else self._kind()
        made = self._build(shape, kind, 4) if shape else self.term(shape, kind, 4)
        return np.sum(made) if self.smooth else made


def drawn(choose: Choose, *, smooth: bool = False, wide: bool = False) -> Lam:
    """A random program, as a closed λ of ``PARAMETERS``."""
    drawing = Drawing(choose, smooth, wide)

    def program(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> Any:
        return drawing.program(a, b, c, d, e, f, g)

    return fun(program, *PARAMETERS).program().lam


def random_program(seed: int, *, smooth: bool = False, wide: bool = False) -> Lam:
    """The random program of this number; a ``wide`` one has loops and calls, too."""
    random = Random(seed)
    return drawn(random.randrange, smooth=smooth, wide=wide)


@st.composite
def array_programs(draw: Any, *, smooth: bool = False) -> Lam:
    """Random programs of Fig. 7's language."""
    return drawn(lambda n: draw(st.integers(0, n - 1)), smooth=smooth)


def arguments(seed: int = 0) -> tuple[Any, ...]:
    """Arguments of ``PARAMETERS``, indices among them that lie outside."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for obj in PARAMETERS:
        assert isinstance(obj, Tensor)
        if obj.dtype == "int64":
            found.append(rng.integers(-2, 4, obj.shape))
        elif obj.dtype == "bool":
            found.append(rng.integers(0, 2, obj.shape) == 1)
        else:
            found.append(rng.normal(size=obj.shape))
    return tuple(found)
