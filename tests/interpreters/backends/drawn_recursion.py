"""Random programs of two numbers: sums, lists, functions in sums, recursion, reduces and scans."""

import random
from collections.abc import Sequence

from combinators.objects import Fun, Int, Mu, MuVar, Object, Product, Real, Sum, Tensor, Unit
from combinators.primitives.loops import looping
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.type_folds import unfolded
from tests.interpreters.backends.terms_of_recursion import applied, fixed

PAIR = Product(Real, Real)
EITHER = Sum(a=Real, b=PAIR)
CHOSEN = Sum(Fun(Real, Real), Real)
REALS = Mu("Reals", Sum(nil=Unit, cons=Product(Real, MuVar())))
BOTH = Product(Real, EITHER)
VECTOR = Tensor((3,))
FUNCTION = Fun(Real, Real)
TYPES: list[Object] = [Real, EITHER, REALS, FUNCTION, BOTH, VECTOR, CHOSEN]
CARRIED: list[Object] = [Real, EITHER, REALS, BOTH, FUNCTION, VECTOR]
A, B = Var("a", Real), Var("b", Real)

Env = Sequence[Var]


class Drawing:
    """One program, drawn by a seed; names are used once."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.calls: dict[str, Var] = {}
        """How often each recursive function may still be called, by its name."""

    def program(self, cod: Object) -> Lam:
        return Lam((A, B), self.term(cod, (A, B), self.random.randint(4, 7)))

    def var(self, wish: str, obj: Object) -> Var:
        self.count += 1
        return Var(f"{wish}{self.count}", obj)

    def term(self, obj: Object, env: Env, deep: int) -> Term:
        known = [var for var in env if var.type is obj]
        if known and (deep <= 0 or self.random.random() < 0.15):
            return self.random.choice(known)
        if deep <= 0:
            return self.smallest(obj)
        below = deep - 1
        kind = self.random.choice(
            ["let", "cond", "case", "fix", "call", "again", "again", *["made"] * 4]
        )
        match kind:
            case "let" | "call":
                var = self.var("x", self.random.choice(TYPES))
                bound, body = self.term(var.type, env, below), self.term(obj, (*env, var), below)
                return (
                    Let(((var, bound),), body) if kind == "let" else App(Lam((var,), body), bound)
                )
            case "cond":
                test = applied("less", self.term(Real, env, below), self.term(Real, env, below))
                return Cond(test, self.term(obj, env, below), self.term(obj, env, below))
            case "case":
                return self.case(obj, env, below)
            case "fix":
                return self.recursion(obj, env, below)
        again = [var for var in env if var.name in self.calls and var.type.cod is obj]
        if kind == "again" and again:
            return self.call(self.random.choice(again), env, below)
        return self.made(obj, env, below)

    def case(self, obj: Object, env: Env, deep: int) -> Term:
        of = self.random.choice([EITHER, CHOSEN, REALS])
        given = self.term(of, env, deep)
        s = self.var("s", unfolded(of) if isinstance(of, Mu) else of)
        branches = []
        for index, part in enumerate(s.type.parts):
            inside = self.var("p", part)
            lines = [(inside, applied("payload", s, index=index))]
            if isinstance(part, Product):
                for at, one in enumerate(part.parts):
                    lines.append((self.var("q", one), Proj(at, inside)))
            branches.append(Let(tuple(lines), self.term(obj, (*env, *[v for v, _ in lines]), deep)))
        opened = applied("unroll", given) if isinstance(of, Mu) else given
        first = applied("is_alternative", s, index=0)
        return Let(((s, opened),), Cond(first, *branches))

    def recursion(self, obj: Object, env: Env, deep: int) -> Term:
        n, x = self.var("n", Int), self.var("x", self.random.choice(CARRIED))
        nx = self.var("nx", Product(Int, x.type))
        itself = self.var("f", Fun(nx.type, obj))
        self.calls[itself.name] = n
        ends = self.term(obj, (*env, x), deep - 1)
        if self.random.random() < 0.4:
            again = self.call(itself, (*env, x), deep)
        else:
            again = self.term(obj, (*env, itself, n, x), deep)
        body = Let(
            ((n, Proj(0, nx)), (x, Proj(1, nx))),
            Cond(applied("less_equal", n, const(0)), ends, again),
        )
        rounds = const(self.random.randint(0, 3))
        return App(fixed(itself, nx, body), Tuple((rounds, self.term(x.type, env, deep))))

    def call(self, f: Var, env: Env, deep: int) -> Term:
        _, dom = f.type.dom.parts
        fewer = applied("subtract", self.calls[f.name], const(1))
        return App(f, Tuple((fewer, self.term(dom, env, deep))))

    def combined(self, env: Env, deep: int, *, keeps: bool) -> Term:
        """A reduce, or a scan from either end, by ``c + x + t·c·x``, for a t that it captures."""
        cx = self.var("c", Real), self.var("x", Real)
        t = applied("tanh", self.term(Real, env, deep - 1))
        product = applied("multiply", t, applied("multiply", *cx))
        made = applied("add", applied("add", *cx), product)
        reverse = keeps and self.random.random() < 0.5
        loop = looping(keeps=keeps, reverse=reverse, sequential=False)
        step = Lam(cx, Tuple((made, made)) if keeps else made)
        return Prim(loop, (step, const(0.0), self.term(VECTOR, env, deep)))

    def smallest(self, obj: Object) -> Term:
        if obj is Real:
            return const(round(self.random.uniform(-2.0, 2.0), 2))
        if obj is VECTOR:
            return const([round(self.random.uniform(-1.0, 1.0), 2) for _ in range(3)])
        if obj is REALS:
            return applied(
                "roll", applied("inject", Tuple(()), of=unfolded(REALS), index=0), of=obj
            )
        return self.made(obj, (), 0)

    def made(self, obj: Object, env: Env, deep: int) -> Term:
        def of(*types: Object) -> list[Term]:
            return [self.term(one, env, deep) for one in types]

        if obj is Real:
            numbers: list[tuple[str, ...]] = [("sin",), ("tanh",), ("add", ""), ("multiply", "")]
            name, *more = self.random.choice([*numbers, ("sum",), ("reduce",), ("apply",)])
            if name == "sum":
                return applied("sum", *of(VECTOR), axis=(0,), keepdims=False)
            if name == "reduce":
                return self.combined(env, deep, keeps=False)
            if name == "apply":
                return App(*of(FUNCTION, Real))
            return applied(name, *of(*[Real] * (1 + len(more))))
        if obj is VECTOR:
            if self.random.random() < 0.5:
                return Proj(1, self.combined(env, deep, keeps=True))
            if self.random.random() < 0.5:
                return applied("multiply", *of(VECTOR, VECTOR))
            return applied("broadcast_to", *of(Real), shape=(3,))
        if obj is FUNCTION:
            z = self.var("z", Real)
            return Lam((z,), self.term(Real, (*env, z), deep))
        if obj is BOTH or obj is PAIR:
            return Tuple(tuple(of(*obj.parts)))  # type: ignore[attr-defined]  # a product
        if obj is REALS:
            cell = Tuple(tuple(of(Real, REALS)))
            return applied("roll", applied("inject", cell, of=unfolded(REALS), index=1), of=obj)
        index = self.random.randrange(2)
        (inside,) = of(obj.parts[index])  # type: ignore[attr-defined]  # a sum
        return applied("inject", inside, of=obj, index=index)


def drawn(seed: int, cod: Object) -> Lam:
    """The program of a seed."""
    return Drawing(seed).program(cod)
