"""Depth is not a limit, and every pass is linear: counted, not timed."""

import copy
import gc
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Product, Real
from combinators.operation import Operation, named
from combinators.terms import App, Lam, Let, Prim, Term, Tuple, Var
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback

ADD, SIN = Operation(named("add")), Operation(named("sin"))
x = Var("x", Real)
DEEP = 50_000


def traced(function: Callable[..., Any], *types: Object) -> Lam:
    return Definition(function, types).specialise(types, tuple(map(face_of, types))).lam


def chain(n: int) -> Lam:
    def f(x):
        for _ in range(n // 2):
            x = x + np.sin(x)
        return x

    return traced(f, Real)


def applications(n: int) -> Lam:
    h = Definition(lambda t: np.sin(t))

    def f(x):
        for _ in range(n):
            x = h(x)
        return x

    return traced(f, Real)


def closures(n: int) -> Lam:
    """Each λ captures the one before, and calls it."""

    def f(x):
        g = Definition(lambda t: t * x, (Real,))
        for _ in range(n):
            g = Definition(lambda t, h=g: h(t) + 1.0, (Real,))
        return g(x)

    return traced(f, Real)


def nested(n: int) -> Lam:
    term: Term = x
    for _ in range(n):
        term = Prim(SIN, (term,))
    return Lam((x,), term)


def nested_right(n: int) -> Lam:
    term: Term = x
    for _ in range(n):
        term = Prim(ADD, (x, term))
    return Lam((x,), term)


def lets_in_bodies(n: int) -> Lam:
    term: Term = x
    for _ in range(n):
        term = Let(((x, Prim(SIN, (x,))),), term)
    return Lam((x,), term)


def lets_in_bindings(n: int) -> Lam:
    term: Term = x
    for _ in range(n):
        term = Let(((x, term),), Prim(SIN, (x,)))
    return Lam((x,), term)


def wide(n: int) -> Lam:
    """A context of n variables."""

    def f(*xs):
        total = xs[0]
        for each in xs:
            total = total + each
        return total

    return traced(f, *[Real] * n)


def functions_in_functions(n: int) -> Lam:
    """λs nested n deep, each capturing the outermost variable."""
    term: Term = x
    for i in range(n):
        v = Var(f"v{i}", Real)
        term = App(Lam((v,), Prim(ADD, (v, term))), x)
    return Lam((x,), term)


def tower(n: int) -> Lam:
    """``f_n(x) = f_{n-1}(f_{n-1}(x))``, every f one shared closed λ."""
    f = Lam((x,), Prim(SIN, (x,)))
    for _ in range(n):
        f = Lam((x,), App(f, App(f, x)))
    return f


PROGRAMS = [
    (chain, DEEP),
    (applications, DEEP),
    (closures, DEEP),
    (nested, DEEP),
    (nested_right, DEEP),
    (lets_in_bodies, DEEP),
    (lets_in_bindings, DEEP),
    (wide, 10_000),
    (functions_in_functions, 500),
]
programs = pytest.mark.parametrize("make", [p for p, _ in PROGRAMS], ids=lambda p: p.__name__)


@pytest.fixture(autouse=True)
def without_collector():
    """Millions of nodes that stay alive: the collector would only look at them again."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def arrow_of(lam: Lam) -> Morphism:
    return translate(lam.params, lam.body)


def size(node) -> int:
    return sum(1 for _ in distinct_nodes(node))


def assert_passes_go_deep(node: Any, n: int) -> None:
    """Printing, copying, pickling, comparing and hashing."""
    assert len(repr(node)) <= 120
    assert len(str(node)) < 2000 * n
    assert copy.deepcopy(node) is node
    written = pickle.dumps(node)
    assert len(written) < 1500 * n
    again = pickle.loads(written)
    assert again is not node
    assert again == node
    assert hash(again) == hash(node)
    assert size(again) == size(node)


BEYOND_PYTHON = 2_000
"""Python's own limit of recursion is half of that."""


@programs
def test_every_pass_goes_deeper_than_python(make: Callable[[int], Lam]) -> None:
    assert_every_pass_goes_deep(make, min(BEYOND_PYTHON, dict(PROGRAMS)[make]))


@pytest.mark.slow
@pytest.mark.parametrize(("make", "n"), PROGRAMS, ids=lambda p: getattr(p, "__name__", str(p)))
def test_every_pass_goes_deep(make: Callable[[int], Lam], n: int) -> None:
    assert_every_pass_goes_deep(make, n)


def assert_every_pass_goes_deep(make: Callable[[int], Lam], n: int) -> None:
    lam = make(n)
    arrow = arrow_of(lam)
    assert_passes_go_deep(lam, n)
    assert_passes_go_deep(arrow, n)
    values = tuple(np.float64(0.5) for _ in lam.params)
    value = Primal(NumPy()).value(interpret(arrow, Primal(NumPy())), values)
    forward = Pushforward(NumPy())
    ones = tuple(np.float64(1.0) for _ in values)
    pushed, tangent = forward.push(interpret(arrow, forward), values, ones)
    assert pushed == value
    for mode in (Dependent(NumPy()), Pullback(NumPy())):
        if isinstance(mode, Pullback) and make in (closures, functions_in_functions):
            continue  # it runs a call again for every call round it
        result, pullback = mode.rep(interpret(arrow, mode), values)
        assert result == value
        assert sum(pullback(np.float64(1.0)).values()) == pytest.approx(tangent, 1e-9)


def test_the_simple_form_at_a_fixed_nesting_of_functions() -> None:
    arrow = arrow_of(closures(10))
    modes = Dependent(NumPy()), Pullback(NumPy())
    gradients = [
        mode.rep(interpret(arrow, mode), (np.float64(3.0),))[1](np.float64(1.0)) for mode in modes
    ]
    assert gradients == [{0: 6.0}, {0: 6.0}]


# --- linear


def lines(work: Callable[[], object]) -> int:
    """How many lines of Python ``work`` runs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def run(arrow: Morphism, width: int) -> None:
    values = (np.float64(0.5),) * width
    mode = Dependent(NumPy())
    _, pullback = mode.rep(interpret(arrow, mode), values)
    pullback(np.float64(1.0))


PASSES = {
    "translate": arrow_of,
    "equal": lambda lam: lam == pickle.loads(pickle.dumps(lam)),
    "hash": hash,
    "print": str,
    "pickle": lambda lam: pickle.loads(pickle.dumps(lam)),
}
ARROW_PASSES = {
    "run": lambda arrow: run(arrow, arrow.dom.width),
    "equal": lambda arrow: arrow == pickle.loads(pickle.dumps(arrow)),
    "hash": hash,
    "print": str,
    "pickle": lambda arrow: pickle.loads(pickle.dumps(arrow)),
}


def assert_linear(passes: dict[str, Callable[[Any], object]], make: Callable[[int], Any]) -> None:
    for name, work in passes.items():
        short, long = (make(n) for n in (150, 300))
        ratio = lines(lambda: work(long)) / lines(lambda: work(short))  # noqa: B023
        assert ratio < 2.15, f"{name}: {ratio:.2f} times the work for twice the program"


@programs
def test_every_pass_over_terms_is_linear(make: Callable[[int], Lam]) -> None:
    assert_linear(PASSES, make)


@programs
def test_every_pass_over_arrows_is_linear(make: Callable[[int], Lam]) -> None:
    assert_linear(ARROW_PASSES, lambda n: arrow_of(make(n)))


@programs
def test_tracing_is_linear(make: Callable[[int], Lam]) -> None:
    make(10)
    assert lines(lambda: make(300)) < 2.15 * lines(lambda: make(150))


@programs
def test_text_and_pickles_are_linear(make: Callable[[int], Lam]) -> None:
    for as_written in (str, pickle.dumps):
        for build in (make, lambda n: arrow_of(make(n))):
            assert len(as_written(build(600))) < 2.2 * len(as_written(build(300)))


def test_a_repr_reads_no_further_than_it_prints() -> None:
    for make in (chain, applications, closures, nested, nested_right, tower):
        short, long = make(50), make(100)
        assert len(repr(long)) <= 120
        short_arrow, long_arrow = arrow_of(short), arrow_of(long)
        assert lines(lambda: repr(long_arrow)) < 1.1 * lines(lambda: repr(short_arrow)) + 100  # noqa: B023


class Counting:
    """A category that counts how often each combinator is asked for."""

    def __init__(self) -> None:
        self.calls = 0

    def __getattr__(self, name: str) -> Callable[..., None]:
        def combinator(*arguments: object) -> None:
            self.calls += 1

        return combinator


def test_a_tower_of_shared_functions_is_linear() -> None:
    sizes, texts, calls = [], [], []
    for n in (100, 200):
        f = tower(n)
        arrow = arrow_of(Lam((x,), App(f, x)))
        category = Counting()
        interpret(arrow, category)
        calls.append(category.calls)
        sizes.append(size(arrow))
        texts.append((len(str(f)), len(str(arrow)), len(pickle.dumps(arrow))))
        assert f == tower(n)
        assert hash(f) == hash(tower(n))
        assert f != tower(n + 1)
    assert calls[1] < 2.1 * calls[0] < 5000
    assert sizes[1] < 2.1 * sizes[0]
    assert all(long < 2.3 * short for short, long in zip(*texts, strict=True))


def test_a_traced_tower_is_shared_too() -> None:
    f = Definition(lambda t: np.sin(t))
    for _ in range(30):
        f = Definition(lambda t, g=f: g(g(t)), (Real,))
    lam = traced(lambda t: f(t), Real)
    assert size(lam) < 300
    assert size(arrow_of(lam)) < 700
    assert len(str(lam)) < 3000


def test_types_go_deep() -> None:
    obj: Object = Real
    for _ in range(DEEP):
        obj = Product(obj, Real)
    assert len(repr(obj)) <= 1000
    assert pickle.loads(pickle.dumps(obj)) is obj
    assert copy.deepcopy(obj) is obj
    doubled: Object = Real
    for _ in range(64):
        doubled = Product(doubled, doubled)
    assert len(repr(doubled)) <= 1000
    assert len(pickle.dumps(doubled)) < 10_000


def test_shared_parts_of_a_hand_built_term_are_compared_once() -> None:
    def doubled() -> Term:
        term: Term = x
        for _ in range(64):
            term = Tuple((term, term))
        return term

    assert doubled() == doubled()
    assert hash(doubled()) == hash(doubled())
    assert len(repr(doubled())) <= 120
    assert size(pickle.loads(pickle.dumps(doubled()))) == size(doubled())
