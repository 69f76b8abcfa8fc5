"""Random terms of the core language of 003, well typed, of small whole numbers."""

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from hypothesis import strategies as st

import diffcurry as dc
from papers.dual_numbers.core_language import Form, form, lam, term, var

INPUTS = (("x", ()), ("a", (3,)), ("b", (2, 3)))
SCOPE = tuple(var(name, *shape) for name, shape in INPUTS)
SHAPES = ((), (2,), (3,), (2, 3), (3, 2))
POLYNOMIAL = {"add": 2, "subtract": 2, "multiply": 2, "negative": 1}


@st.composite
def core_terms(draw: Any, shape: Any = (), depth: int = 4, build: bool = True) -> Form:
    """Terms of reals; with ``build`` there are ``build1``s. Few names hide and would capture."""

    def bound(*shape: int, of: Any = float) -> Form:
        return var(draw(st.sampled_from(["i", "i′", "i1", "a"])), *shape, of=of)

    def below(scope: tuple[Form, ...], x: Form) -> tuple[Form, ...]:
        return (*(y for y in scope if y.args != x.args), x)

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
                x = bound(*draw(st.sampled_from(SHAPES)))
                u = real(x.of.shape, scope, down)
                return form("let", u, lam(x, real(shape, below(scope, x), down)))
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
                i = bound(of=int)
                array = real((*source, *shape[1:]), scope, down)
                ix = tuple(within(below(scope, i), n) for n in source)
                return form("gather", shape, array, lam((i,), ix))
            case "scatter":
                n = draw(st.integers(1, 3))
                i = bound(of=int)
                array = real((n, *shape[1:]), scope, down)
                ix = (within(below(scope, i), shape[0]),)
                return form("scatter", shape, array, lam((i,), ix))
            case "build1":
                i = bound(of=int)
                return form("build1", shape[0], lam(i, real(shape[1:], below(scope, i), down)))
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


def in_the_house(t: Any, env: Mapping[str, Any], *values: Any) -> Any:
    """A term of the core language, run on traced arrays."""

    def at(part: Any, *values: Any) -> Any:
        return in_the_house(part, env, *values)

    def taken(array: Any, ix: Any) -> Any:
        return reduce(lambda a, i: dc.index(a, i), ix, array)

    match t:
        case tuple():
            return [at(part) for part in t]
        case Form("λ", (xs, body)):
            return in_the_house(
                body, {**env, **dict(zip((x.args[0] for x in xs), values, strict=True))}
            )
        case Form("c", (literal,)):
            return literal.array[()]
        case Form("x", (name,)):
            return env[name]
        case Form("let", (u, f)):
            return at(f, at(u))
        case Form("cond", (b, u, v)):
            return np.where(at(b), at(u), at(v))
        case Form("op", (name, *args)):
            return getattr(np, name)(*map(at, args))
        case Form("index", (below, ix)):
            return taken(at(below), at(ix))
        case Form("sumOuter", (below,)):
            return np.sum(at(below), axis=0)
        case Form("gather", (sh, below, f)):
            array = at(below)
            return dc.build(sh[: len(f.args[0])], lambda *n: taken(array, at(f, *n)))
        case Form("scatter", (sh, below, f)):
            array = at(below)

            def arriving(*where: Any) -> Any:
                made = 0.0
                for n in np.ndindex(*np.shape(array)[: len(f.args[0])]):
                    pairs = zip(at(f, *n), where, strict=False)
                    here = reduce(np.logical_and, (np.equal(p, w) for p, w in pairs))
                    row = taken(array, n)
                    made = made + np.where(here, row, np.zeros(np.shape(row)))
                return made

            return dc.build(sh[: len(f.args[1])], arriving)
        case Form("[]", (items,)):
            return np.stack(at(items))
        case Form("replicate", (k, below)):
            return np.stack([at(below)] * k)
        case Form("tr", (axes, below)):
            array = at(below)
            return np.transpose(array, (*axes, *range(len(axes), np.ndim(array))))
        case Form("reshape", (sh, below)):
            return np.reshape(at(below), sh)
        case Form("build1", (k, f)):
            return dc.build(k, lambda n: at(f, n))
    raise TypeError(t)


def house_function(t: Form, names: tuple[str, ...]) -> Callable[..., Any]:
    """The term as a function of arrays."""
    return lambda *args: in_the_house(t, dict(zip(names, args, strict=True)))
