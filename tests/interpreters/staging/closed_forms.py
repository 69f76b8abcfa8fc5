"""Small programs with sums, recursive types and recursion, each with what it computes in Python."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from combinators.objects import Fun, Int, Mu, MuVar, Object, Product, Real, Sum, Unit
from combinators.primitives.loops import loop_term, looping
from combinators.primitives.structural import FIX
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.type_folds import unfolded
from tests.interpreters.backends.terms_of_recursion import NUMBERS, applied


def times(first: Term, *rest: Term) -> Term:
    return applied("multiply", first, times(*rest)) if rest else first


def plus(x: Term, y: Term) -> Term:
    return applied("add", x, y)


def case(s: Term, *branches: Callable[[Term], Term]) -> Term:
    """By which alternative a sum is; the last branch takes what is left."""
    made = branches[-1](applied("payload", s, index=len(branches) - 1))
    for index in reversed(range(len(branches) - 1)):
        test = applied("is_alternative", s, index=index)
        made = Cond(test, branches[index](applied("payload", s, index=index)), made)
    return made


def inject(of: Object, index: int, x: Term) -> Term:
    return applied("inject", x, of=of, index=index)


A, B, S, Z = Var("a", Real), Var("b", Real), Var("s", Real), Var("z", Real)
AREAS = Sum(circle=Real, box=Product(Real, Real))
ACTIONS = Sum(Fun(Real, Real), Real)


def chosen() -> Term:
    """A circle or a box, by the sign of a; its area."""
    s = Var("s", AREAS)
    box = Tuple((A, times(A, B)))
    made = Cond(
        applied("less", A, const(0.0)), inject(AREAS, 0, times(A, B)), inject(AREAS, 1, box)
    )
    area = case(s, lambda r: times(r, r, B), lambda q: times(Proj(0, q), Proj(1, q)))
    return Let(((s, made),), area)


def action() -> Term:
    """A function in a sum, which captures."""
    s = Var("s", ACTIONS)
    function = Lam((Z,), times(Z, Z, A, B))
    made = Cond(applied("less", A, const(0.0)), inject(ACTIONS, 0, function), inject(ACTIONS, 1, B))
    done = case(s, lambda f: times(App(f, B), App(f, A)), lambda r: times(r, r, A))
    return Let(((s, made),), done)


def called() -> Term:
    """A sum that a λ takes, twice, and one that it gives."""
    s, f = Var("s", AREAS), Var("f", Fun(AREAS, AREAS))
    turned = case(
        s,
        lambda r: inject(AREAS, 1, Tuple((r, times(r, A)))),
        lambda q: inject(AREAS, 0, Proj(1, q)),
    )
    twice = App(f, App(f, inject(AREAS, 0, times(A, B))))
    area = case(twice, lambda r: times(r, r), lambda q: times(Proj(0, q), B))
    return Let(((f, Lam((s,), turned)),), area)


def folded() -> Term:
    """A fold that carries a sum, whose alternative changes from round to round."""
    s, x = Var("s", AREAS), Var("x", Real)
    step = case(
        s,
        lambda r: inject(AREAS, 1, Tuple((times(r, x), A))),
        lambda q: inject(AREAS, 0, plus(times(Proj(0, q), Proj(1, q)), x)),
    )
    rows = applied("multiply", const(np.array([1.0, 2.0, 0.5])), B)
    last = loop_term(
        looping(carries=True, keeps=False), Lam((s, x), step), inject(AREAS, 0, A), rows
    )
    return case(last, lambda r: times(r, r), lambda q: times(Proj(0, q), Proj(1, q), B))


def listed() -> Term:
    """A list that is made and opened, without recursion."""
    nil = applied("roll", inject(unfolded(NUMBERS), 0, Tuple(())), of=NUMBERS)

    def cons(x: Term, rest: Term) -> Term:
        return applied("roll", inject(unfolded(NUMBERS), 1, Tuple((x, rest))), of=NUMBERS)

    def product(xs: Term, depth: int) -> Term:
        if not depth:
            return B
        opened = applied("unroll", xs)
        return case(
            opened,
            lambda _: A,
            lambda cell: times(Proj(0, cell), product(Proj(1, cell), depth - 1)),
        )

    chosen = Cond(applied("less", A, const(0.0)), nil, cons(times(A, B), nil))
    return product(cons(times(A, A), chosen), 3)


def _area(a: Any, b: Any) -> Any:
    return (a * b) ** 2 * b if a < 0 else a * (a * b)


def _action(a: Any, b: Any) -> Any:
    return (b * b * a * b) * (a * a * a * b) if a < 0 else b * b * a


def _folded(a: Any, b: Any) -> Any:
    r = (a * b) * a + 2 * b
    u, v = r * (0.5 * b), a
    return u * v * b


SUMS: dict[str, tuple[Term, Callable[[Any, Any], Any]]] = {
    "chosen": (chosen(), _area),
    "action": (action(), _action),
    "called": (called(), lambda a, b: (a * b * a) ** 2),
    "folded": (folded(), _folded),
    "listed": (listed(), lambda a, b: a * a * a if a < 0 else a * a * a * b * a),
}


# ---- recursion -----------------------------------------------------------------------------------


def fix(step: Lam) -> Prim:
    return Prim(FIX, (step,))


def less(x: Term, y: Any) -> Term:
    return applied("less", x, const(y))


def half(x: Term) -> Term:
    return applied("divide", x, const(2.0))


SELF, X = Var("itself", Fun(Real, Real)), Var("x", Real)


def powers() -> Term:
    """What a recursive function captures, and its argument."""
    body = Cond(less(X, 1.0), times(A, X), times(A, X, App(SELF, half(X))))
    return App(fix(Lam((SELF, X), body, "powers")), times(A, A, B, B, const(9.0)))


def _powers(a: Any, b: Any) -> Any:
    def powers(x: Any) -> Any:
        return a * x if x < 1 else a * x * powers(x / 2)

    return powers(a * a * b * b * 9)


def tree() -> Term:
    """Two calls of itself, one of the other's result."""
    inner = App(SELF, plus(half(App(SELF, half(X))), const(0.1)))
    body = Cond(less(X, 1.0), times(X, X, A), times(B, inner))
    return App(fix(Lam((SELF, X), body)), times(A, A, const(4.0)))


def _tree(a: Any, b: Any) -> Any:
    def tree(x: Any) -> Any:
        return x * x * a if x < 1 else b * tree(tree(x / 2) / 2 + 0.1)

    return tree(a * a * 4)


PAIR = Product(Real, Real)
STATE, WHILE = Var("s", PAIR), Var("again", Fun(PAIR, PAIR))


def loop() -> Term:
    """A tail call: while u < 9: u, v = 2 u + a a, v * b + a u."""
    u, v = Proj(0, STATE), Proj(1, STATE)
    after = Tuple((plus(times(const(2.0), u), times(A, A)), plus(times(v, B), times(A, u))))
    step = Lam((WHILE, STATE), Cond(less(u, 9.0), App(WHILE, after), STATE))
    last = Var("last", PAIR)
    return Let(
        ((last, App(fix(step), Tuple((times(B, B), A)))),), times(Proj(0, last), Proj(1, last))
    )


def _loop(a: Any, b: Any) -> Any:
    u, v = b * b, a
    while u < 9:
        u, v = 2 * u + a * a, v * b + a * u
    return u * v


def inner() -> Term:
    """A recursive function that captures another's own, and that one's argument."""
    y, other = Var("y", Real), Var("other", Fun(Real, Real))
    nested = Cond(less(y, 1.0), times(y, App(SELF, half(X)), B), App(other, half(y)))
    body = Cond(
        less(X, 1.0), times(X, X, A), App(fix(Lam((other, y), nested)), plus(X, times(A, A)))
    )
    return App(fix(Lam((SELF, X), body)), times(A, A))


def _inner(a: Any, b: Any) -> Any:
    def outer(x: Any) -> Any:
        def other(y: Any) -> Any:
            return y * outer(x / 2) * b if y < 1 else other(y / 2)

        return x * x * a if x < 1 else other(x + a * a)

    return outer(a * a)


ENDO = Fun(Real, Real)


def continued() -> Term:
    """A recursive function that takes a function, which grows with the calls."""
    k, both = Var("k", ENDO), Product(Real, ENDO)
    itself, given = Var("itself", Fun(both, Real)), Var("given", both)
    x, then = Proj(0, given), Proj(1, given)
    longer = Lam((Z,), App(k, times(Z, X, A)))
    again = App(itself, Tuple((half(X), longer)))
    body = Let(((X, x), (k, then)), Cond(less(X, 1.0), App(k, times(X, B)), again))
    first = Lam((Z,), times(Z, Z, B))
    return App(fix(Lam((itself, given), body)), Tuple((times(const(5.0), A, A), first)))


def _continued(a: Any, b: Any) -> Any:
    def itself(x: Any, k: Any) -> Any:
        return k(x * b) if x < 1 else itself(x / 2, lambda z: k(z * x * a))

    return itself(5 * a * a, lambda z: z * z * b)


def given() -> Term:
    """A recursive function that gives a function, called more than once."""
    itself = Var("itself", Fun(Real, ENDO))
    f, g = Var("f", ENDO), Var("g", ENDO)
    base = Lam((Z,), times(Z, X, B))
    more = Let(((f, App(itself, half(X))),), Lam((Z,), times(App(f, plus(Z, A)), App(f, X))))
    body = Cond(less(X, 1.0), base, more)
    made = App(fix(Lam((itself, X), body)), times(const(3.0), A, A))
    return Let(((g, made),), plus(App(g, B), App(g, A)))


def _given(a: Any, b: Any) -> Any:
    def itself(x: Any) -> Any:
        if x < 1:
            return lambda z: z * x * b
        f = itself(x / 2)
        return lambda z: f(z + a) * f(x)

    g = itself(3 * a * a)
    return g(b) + g(a)


def passed() -> Term:
    """A recursive function as a value: captured, chosen, given to a function, folded with."""
    f, h, c, n = Var("f", ENDO), Var("h", ENDO), Var("c", Real), Var("n", Real)
    body = Cond(less(X, 1.0), times(X, A), times(App(SELF, half(X)), B))
    chosen = Cond(less(B, 0.0), f, Lam((Z,), times(A, App(f, plus(Z, A)))))
    twice = Lam((h,), App(h, times(A, A, App(h, times(const(3.0), B, B)))))
    row = Lam((c, n), App(h, plus(times(c, c), n)))
    rows = const(np.array([1.0, 2.0, 0.25]))
    fold = loop_term(looping(carries=True, keeps=False), row, App(twice, h), rows)
    return Let(((f, fix(Lam((SELF, X), body))), (h, chosen)), fold)


def _passed(a: Any, b: Any) -> Any:
    def f(x: Any) -> Any:
        return x * a if x < 1 else f(x / 2) * b

    def h(z: Any) -> Any:
        return f(z) if b < 0 else a * f(z + a)

    c = h(a * a * h(3 * b * b))
    for n in (1, 2, 0.25):
        c = h(c * c + n)
    return c


def unknown() -> Term:
    """The fixed point of a step that a conditional chooses, and of one that a function takes."""
    kind = Fun(Product(ENDO, Real), Real)
    step, g = Var("step", kind), Var("g", kind)
    stop = less(X, 1.0)
    one = Lam((SELF, X), Cond(stop, times(X, A), times(App(SELF, half(X)), B)))
    other = Lam((SELF, X), Cond(stop, times(X, X), times(App(SELF, half(X)), A, X)))
    chosen = Cond(less(B, 0.0), one, other)
    of = Lam((step,), App(Prim(FIX, (step,)), times(const(7.0), A, A)))
    return Let(((g, chosen),), times(App(of, g), App(of, one), App(Prim(FIX, (g,)), B)))


def _unknown(a: Any, b: Any) -> Any:
    def one(x: Any) -> Any:
        return x * a if x < 1 else one(x / 2) * b

    def other(x: Any) -> Any:
        return x * x if x < 1 else other(x / 2) * a * x

    g = one if b < 0 else other
    return g(7 * a * a) * one(7 * a * a) * g(b)


def summed() -> Term:
    """A list made by recursion, and its weighted sum by another."""
    itself, down = Var("itself", Fun(NUMBERS, Real)), Var("down", Fun(Real, NUMBERS))
    xs = Var("xs", NUMBERS)
    cell = Tuple((times(X, A), App(down, half(X))))
    empty, longer = (inject(unfolded(NUMBERS), i, x) for i, x in ((0, Tuple(())), (1, cell)))
    made = applied("roll", Cond(less(X, 0.5), empty, longer), of=NUMBERS)
    total = case(
        applied("unroll", xs),
        lambda _: B,
        lambda cell: plus(
            times(Proj(0, cell), Proj(0, cell)), times(A, App(itself, Proj(1, cell)))
        ),
    )
    whole = App(fix(Lam((down, X), made)), times(const(2.0), B, B, A, A))
    return App(fix(Lam((itself, xs), total)), whole)


def _summed(a: Any, b: Any) -> Any:
    xs, x = [], 2 * b * b * a * a
    while x >= 0.5:
        xs.append(x * a)
        x = x / 2
    total = b
    for item in reversed(xs):
        total = item * item + a * total
    return total


STREAM = Mu("Stream", Product(Real, Fun(Unit, MuVar())))


def streamed() -> Term:
    """A list without end, of which each tail is a function."""
    start, s = Var("start", Fun(Real, STREAM)), Var("s", STREAM)
    tail = Lam((Var("u", Unit),), App(start, times(X, A)))
    step = Lam((start, X), applied("roll", Tuple((X, tail)), of=STREAM))

    def after(stream: Term) -> Term:
        return App(Proj(1, applied("unroll", stream)), Tuple(()))

    first, third = (Proj(0, applied("unroll", each)) for each in (s, after(after(s))))
    return Let(((s, App(fix(step), times(B, B))),), times(first, third))


def still() -> Term:
    """A recursive function that captures nothing."""
    body = Cond(less(X, 1.0), times(X, X), times(X, App(SELF, half(X))))
    return App(fix(Lam((SELF, X), body)), times(const(6.0), A, A, B, B))


def _still(a: Any, b: Any) -> Any:
    def f(x: Any) -> Any:
        return x * x if x < 1 else x * f(x / 2)

    return f(6 * a * a * b * b)


def counted() -> Term:
    """Recursion on an integer, with an argument besides."""
    n, both = Var("n", Int), Product(Int, Real)
    itself, given = Var("itself", Fun(both, Real)), Var("given", both)
    less_n = applied("subtract", n, const(1))
    again = times(B, App(itself, Tuple((less_n, applied("sin", times(X, A))))))
    body = Let(
        ((n, Proj(0, given)), (X, Proj(1, given))),
        Cond(applied("less", n, const(1)), times(X, A), again),
    )
    return App(fix(Lam((itself, given), body)), Tuple((const(5), B)))


def _counted(a: Any, b: Any) -> Any:
    x, y = b, 1
    for _ in range(5):
        x, y = mpmath.sin(x * a), y * b
    return x * a * y


RECURSIONS: dict[str, tuple[Term, Callable[[Any, Any], Any]]] = {
    "powers": (powers(), _powers),
    "tree": (tree(), _tree),
    "loop": (loop(), _loop),
    "inner": (inner(), _inner),
    "continued": (continued(), _continued),
    "given": (given(), _given),
    "passed": (passed(), _passed),
    "unknown": (unknown(), _unknown),
    "summed": (summed(), _summed),
    "still": (still(), _still),
    "streamed": (streamed(), lambda a, b: b**4 * a * a),
    "counted": (counted(), _counted),
}
