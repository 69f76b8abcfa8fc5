"""Programs that recurse, as terms: the tests of both backends run them."""

from typing import Any

from combinators.objects import Fun, Int, Mu, MuVar, Object, Product, Real, Sum, Unit
from combinators.operation import Operation, named
from combinators.primitives.structural import FIX
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.type_folds import unfolded

NUMBERS = Mu("Numbers", Sum(nil=Unit, cons=Product(Real, MuVar())))


def cells(items: list[float]) -> tuple[Any, ...]:
    """A list as emitted code has it."""
    found: tuple[Any, ...] = (0, ())
    for item in reversed(items):
        found = (1, (item, found))
    return found


def applied(name: str, *args: Term, **said: object) -> Prim:
    return Prim(Operation(named(name), tuple(said.items())), args)


def fixed(itself: Var, x: Var, body: Term) -> Prim:
    return Prim(FIX, (Lam((itself, x), body),))


def function(name: str, dom: Object, cod: Object) -> Var:
    return Var(name, Fun(dom, cod))


def powers() -> Lam:
    """``(a, x) ↦ f x`` with ``f x = a * x * (1 if x < 1 else f (x / 2))``."""
    a, x, itself, ax = (
        Var("a", Real),
        Var("x", Real),
        function("powers", Real, Real),
        Var("ax", Real),
    )
    again = App(itself, applied("divide", x, const(2.0)))
    ends = applied("less", x, const(1.0))
    chosen = Cond(ends, ax, applied("multiply", ax, again))
    body = Let(((ax, applied("multiply", a, x)),), chosen)
    return Lam((a, x), App(fixed(itself, x, body), x))


def squares() -> Lam:
    """The sum of the squares of a list."""
    xs, itself = Var("xs", NUMBERS), function("total", NUMBERS, Real)
    s, cell = Var("s", unfolded(NUMBERS)), Var("cell", Product(Real, NUMBERS))
    head = Proj(0, cell)
    total = applied("add", applied("multiply", head, head), App(itself, Proj(1, cell)))
    longer = Let(((cell, applied("payload", s, index=1)),), total)
    empty = applied("is_alternative", s, index=0)
    body = Let(((s, applied("unroll", xs)),), Cond(empty, const(0.0), longer))
    return Lam((xs,), App(fixed(itself, xs, body), xs))


def halvings() -> Lam:
    """How often a number is halved until it is less than 1: a call that ends the function."""
    nx, n, x = Var("nx", Product(Int, Real)), Var("n", Int), Var("x", Real)
    itself = function("count", nx.obj, Int)
    more = Tuple((applied("add", n, const(1)), applied("divide", x, const(2.0))))
    body = Let(
        ((n, Proj(0, nx)), (x, Proj(1, nx))),
        Cond(applied("less", x, const(1.0)), n, App(itself, more)),
    )
    return Lam((x,), App(fixed(itself, nx, body), Tuple((const(0), x))))


def depth() -> Lam:
    """``n ↦ f n`` with ``f n = 0 if n <= 0 else 1 + f (n - 1)``."""
    n, itself = Var("n", Int), function("down", Int, Real)
    below = App(itself, applied("subtract", n, const(1)))
    ends = applied("less_equal", n, const(0))
    body = Cond(ends, const(0.0), applied("add", const(1.0), below))
    return Lam((n,), App(fixed(itself, n, body), n))


def summed() -> Lam:
    """The sum of the whole numbers up to ``n``, carried on."""
    nk, n, k = Var("nk", Product(Int, Int)), Var("n", Int), Var("k", Int)
    itself = function("add_up", nk.obj, Int)
    more = Tuple((applied("subtract", n, const(1)), applied("add", k, n)))
    body = Let(
        ((n, Proj(0, nk)), (k, Proj(1, nk))),
        Cond(applied("less", n, const(1)), k, App(itself, more)),
    )
    return Lam((n,), App(fixed(itself, nk, body), Tuple((n, const(0)))))


def composed() -> Lam:
    """``n, x ↦ f n (λy. y) x`` with ``f n g = g if n <= 0 else f (n - 1) (λy. g y + n)``."""
    n, x, y, z = Var("n", Int), Var("x", Real), Var("y", Real), Var("z", Real)
    g, ng = function("g", Real, Real), Var("ng", Product(Int, Fun(Real, Real)))
    itself = function("compose", ng.obj, g.obj)
    longer = Lam((z,), applied("add", App(g, z), applied("convert", n, dtype="float64")))
    more = Tuple((applied("subtract", n, const(1)), longer))
    body = Let(
        ((n, Proj(0, ng)), (g, Proj(1, ng))),
        Cond(applied("less_equal", n, const(0)), g, App(itself, more)),
    )
    made = App(fixed(itself, ng, body), Tuple((n, Lam((y,), y))))
    return Lam((n, x), App(made, x))


def climbing() -> Lam:
    """``x ↦ f x`` with ``f x = x if x > 9 else 0 if x < 0 else f (2 x)``: two ends, one call."""
    x, itself = Var("x", Real), function("climb", Real, Real)
    again = App(itself, applied("multiply", const(2.0), x))
    lower = Cond(applied("less", x, const(0.0)), const(0.0), again)
    return Lam((x,), App(fixed(itself, x, Cond(applied("greater", x, const(9.0)), x, lower)), x))


def chain(*, ends: bool) -> Lam:
    """``(a, n, x) ↦ f n x`` with ``f n x = x if n <= 0 else f (n - 1) (a * sin x)``.

    Where the call does not end the function, ``x`` is added to it.
    """
    a, n, x = Var("a", Real), Var("n", Int), Var("x", Real)
    nx = Var("nx", Product(Int, Real))
    itself = function("chain", nx.obj, Real)
    after = applied("multiply", a, applied("sin", x))
    again: Term = App(itself, Tuple((applied("subtract", n, const(1)), after)))
    if not ends:
        again = applied("add", x, again)
    body = Let(
        ((n, Proj(0, nx)), (x, Proj(1, nx))),
        Cond(applied("less_equal", n, const(0)), x, again),
    )
    return Lam((a, n, x), App(fixed(itself, nx, body), Tuple((n, x))))
