"""Random terms of the core language of 003, well typed, of small whole numbers."""

import math
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

import diffcurry as dc
from papers.dual_numbers.core_language import Form, form, names_of, term, var

INPUTS = (("x", ()), ("a", (3,)), ("b", (2, 3)))
SCOPE = tuple(var(name, *shape) for name, shape in INPUTS)
SHAPES = ((), (2,), (3,), (2, 3), (3, 2))
POLYNOMIAL = {"add": 2, "subtract": 2, "multiply": 2, "negative": 1}


@st.composite
def core_terms(draw: Any, shape: Any = (), depth: int = 4, build: bool = True) -> Form:
    """Terms of reals; with ``build`` there are ``build1``s."""
    names = count()

    def fresh(wish: str, *shape: int, of: Any = float) -> Form:
        return var(f"{wish}{next(names)}", *shape, of=of)

    def real(shape: tuple[int, ...], scope: tuple[Form, ...], depth: int) -> Form:
        leaves = [x for x in scope if x.of is var("_", *shape).of]
        if depth == 0:
            if leaves and draw(st.booleans()):
                return draw(st.sampled_from(leaves))
            return term(np.full(shape, float(draw(st.integers(-2, 2)))))
        ways = ["op", "op", "let", "cond", "index", "index", "sum", "leaf"]
        if shape:
            ways += ["stack", "replicate", "tr", "reshape", "gather", "scatter"]
            ways += ["build1"] * 6 if build else []
        down = depth - 1
        match draw(st.sampled_from(ways)):
            case "op":
                name = draw(st.sampled_from(sorted(POLYNOMIAL)))
                return form(
                    "op", name, *(real(shape, scope, down) for _ in range(POLYNOMIAL[name]))
                )
            case "let":
                x = fresh("s", *draw(st.sampled_from(SHAPES)))
                u = real(x.of.shape, scope, down)
                return form("let", x, u, real(shape, (*scope, x), down))
            case "cond":
                test = form("op", "less", integer(scope, 1), integer(scope, 1))
                return form("cond", test, real(shape, scope, down), real(shape, scope, down))
            case "index":
                outer = draw(st.sampled_from([(2,), (3,), (2, 3)]))
                head = real((*outer, *shape), scope, down)
                return head[tuple(within(scope, n) for n in outer)]
            case "sum":
                return form("sumOuter", real((draw(st.integers(1, 3)), *shape), scope, down))
            case "stack":
                return form("[]", tuple(real(shape[1:], scope, down) for _ in range(shape[0])))
            case "replicate":
                return form("replicate", shape[0], real(shape[1:], scope, down))
            case "tr":
                axes = draw(st.permutations(range(len(shape))))
                return form(
                    "tr",
                    tuple(axes),
                    real(tuple(shape[axes.index(n)] for n in range(len(shape))), scope, down),
                )
            case "reshape":
                size = math.prod(shape)
                other = draw(st.sampled_from([(size,), (1, size), (size, 1)]))
                return form("reshape", shape, real(other, scope, down))
            case "gather":
                source = draw(st.sampled_from([(2,), (3,)]))
                i = fresh("i", of=int)
                below = real((*source, *shape[1:]), scope, down)
                return form(
                    "gather", shape, below, (i,), tuple(within((*scope, i), n) for n in source)
                )
            case "scatter":
                n = draw(st.integers(1, 3))
                i = fresh("i", of=int)
                below = real((n, *shape[1:]), scope, down)
                return form("scatter", shape, below, (i,), (within((*scope, i), shape[0]),))
            case "build1":
                i = fresh("i", of=int)
                return form("build1", shape[0], i, real(shape[1:], (*scope, i), down))
        return draw(st.sampled_from(leaves)) if leaves else real(shape, scope, 0)

    def integer(scope: tuple[Form, ...], depth: int) -> Form:
        known = [x for x in scope if x.of.dtype == "int64"]
        if depth and draw(st.integers(0, 2)):
            name = draw(st.sampled_from(["add", "subtract", "multiply"]))
            return form("op", name, integer(scope, depth - 1), integer(scope, depth - 1))
        if known and draw(st.integers(0, 3)):
            return draw(st.sampled_from(known))
        return term(draw(st.integers(0, 2)))

    def within(scope: tuple[Form, ...], n: int) -> Form:
        """An index below ``n``."""
        return form("op", "mod", integer(scope, 1), term(n))

    return real(shape, SCOPE, depth)


@st.composite
def points(draw: Any) -> dict[str, Any]:
    """Values of ``INPUTS``."""
    sizes = {name: math.prod(shape) for name, shape in INPUTS}
    small = st.integers(-3, 3).map(float)
    return {
        name: np.array(draw(st.lists(small, min_size=sizes[name], max_size=sizes[name]))).reshape(
            shape
        )
        for name, shape in INPUTS
    }


def in_the_house(t: Form, env: Mapping[str, Any]) -> Any:
    """A term of the core language, run on traced arrays."""

    def at(part: Form, names: Any = (), values: Any = ()) -> Any:
        return in_the_house(part, {**env, **dict(zip(names_of(names), values, strict=True))})

    def taken(array: Any, ix: Any) -> Any:
        return reduce(lambda a, i: dc.index(a, i), ix, array)

    match t:
        case Form("c", (literal,)):
            return literal.array[()]
        case Form("x", (name,)):
            return env[name]
        case Form("let", (x, u, v)):
            return at(v, x, (at(u),))
        case Form("cond", (b, u, v)):
            return np.where(at(b), at(u), at(v))
        case Form("op", (name, *args)):
            return getattr(np, name)(*map(at, args))
        case Form("index", (below, ix)):
            return taken(at(below), map(at, ix))
        case Form("sumOuter", (below,)):
            return np.sum(at(below), axis=0)
        case Form("gather", (sh, below, names, ix)):
            array = at(below)
            return dc.build(
                sh[: len(names)], lambda *n: taken(array, [at(i, names, n) for i in ix])
            )
        case Form("scatter", (sh, below, names, ix)):
            array = at(below)

            def arriving(*where: Any) -> Any:
                made = 0.0
                for n in np.ndindex(*np.shape(array)[: len(names)]):
                    place = [at(i, names, n) for i in ix]
                    pairs = zip(place, where, strict=False)
                    here = reduce(np.logical_and, (np.equal(p, w) for p, w in pairs))
                    row = taken(array, n)
                    made = made + np.where(here, row, np.zeros(np.shape(row)))
                return made

            return dc.build(sh[: len(ix)], arriving)
        case Form("[]", (items,)):
            return np.stack([at(item) for item in items])
        case Form("replicate", (k, below)):
            return np.stack([at(below)] * k)
        case Form("tr", (axes, below)):
            array = at(below)
            return np.transpose(array, (*axes, *range(len(axes), np.ndim(array))))
        case Form("reshape", (sh, below)):
            return np.reshape(at(below), sh)
        case Form("build1", (k, i, below)):
            return dc.build(k, lambda n: at(below, i, (n,)))
    raise TypeError(t)


def house_function(t: Form, names: tuple[str, ...]) -> Callable[..., Any]:
    """The term as a function of arrays."""
    return lambda *args: in_the_house(t, dict(zip(names, args, strict=True)))
