"""Names are places in a context: no name captures another, wherever a let stands.

The judge is an evaluator by substitution, as naive as can be: it substitutes values, which are
closed, so that nothing can be captured.
"""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives  # noqa: F401
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Real
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal

ADD, MUL, LESS = (Operation(named(name)) for name in ("add", "multiply", "less"))
FUN = Fun(Real, Real)
NAMES = ("x", "y", "x1", "f")
TWO_LETS = 2

# --- the naive evaluator


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    def sub(part: Term, hidden: tuple[str, ...] = ()) -> Term:
        return substitute(part, {k: v for k, v in values.items() if k not in hidden})

    match term:
        case Var(name):
            return values.get(name, term)
        case Lam(params, body):
            return Lam(params, sub(body, tuple(p.name for p in params)))
        case App(function, argument):
            return App(sub(function), sub(argument))
        case Let(bindings, body):
            new, hidden = [], ()
            for var, bound in bindings:
                new.append((var, sub(bound, hidden)))
                hidden = (*hidden, var.name)
            return Let(tuple(new), sub(body, hidden))
        case Tuple(items, names):
            return Tuple(tuple(map(sub, items)), names)
        case Proj(index, product):
            return Proj(index, sub(product))
        case Prim(operation, args):
            return Prim(operation, tuple(map(sub, args)))
        case Cond(test, then, other):
            return Cond(sub(test), sub(then), sub(other))
        case _:
            return term


def evaluate(term: Term) -> Term:
    match term:
        case App(function, argument):
            f, x = evaluate(function), evaluate(argument)
            return evaluate(substitute(f.body, {f.params[0].name: x}))
        case Let((), body):
            return evaluate(body)
        case Let(((var, bound), *rest), body):
            return evaluate(substitute(Let(tuple(rest), body), {var.name: evaluate(bound)}))
        case Tuple(items):
            return Tuple(tuple(map(evaluate, items)))
        case Proj(index, product):
            return evaluate(product).items[index]
        case Prim(operation, args):
            x, y = (evaluate(arg).literal.array for arg in args)
            function = {"add": np.add, "multiply": np.multiply, "less": np.less}[operation.name]
            return const(function(x, y))
        case Cond(test, then, other):
            return evaluate(then if evaluate(test).literal.array else other)
        case _:
            return term


# --- terms whose names clash on purpose

Context = tuple[tuple[str, Object], ...]


@st.composite
def terms(draw, context: Context, obj: Object, depth: int) -> Term:
    def below(wanted: Object, inside: Context = context) -> Term:
        return draw(terms(inside, wanted, depth - 1))

    def bind(name: str, bound: Object) -> Context:
        return (*((n, o) for n, o in context if n != name), (name, bound))

    known = [Var(name, o) for name, o in context if o is obj]
    name = draw(st.sampled_from(NAMES))
    if depth <= 0:
        leaf = const(float(draw(st.integers(-2, 2)))) if obj is Real else identity()
        return draw(st.sampled_from([*known, leaf]))
    shapes = ["leaf", "let", "let", "tuple", "cond"]
    shapes += ["add", "multiply", "apply"] if obj is Real else ["lambda", "lambda"]
    match draw(st.sampled_from(shapes)):
        case "leaf":
            return draw(terms(context, obj, 0))
        case "let":
            bound = draw(st.sampled_from([Real, FUN]))
            return Let(((Var(name, bound), below(bound)),), below(obj, bind(name, bound)))
        case "tuple":
            other = draw(st.sampled_from([Real, FUN]))
            return Proj(0, Tuple((below(obj), below(other))))
        case "cond":
            return Cond(Prim(LESS, (below(Real), below(Real))), below(obj), below(obj))
        case "lambda":
            return Lam((Var(name, Real),), below(Real, bind(name, Real)))
        case "apply":
            return App(below(FUN), below(Real))
        case operation:
            return Prim({"add": ADD, "multiply": MUL}[operation], (below(Real), below(Real)))


def identity() -> Term:
    return Lam((Var("x", Real),), Var("x", Real))


START = (("x", Real), ("y", Real))
programs = terms(START, Real, 5)


def value(term: Term, x: float = 3.0, y: float = -2.0) -> float:
    return evaluate(substitute(term, {"x": const(x), "y": const(y)})).literal.array.item()


@given(programs)
def test_translation_keeps_the_meaning(term: Term) -> None:
    mode = Primal(NumPy())
    arrow = translate([Var(name, obj) for name, obj in START], term)
    assert mode.value(interpret(arrow, mode), (np.float64(3.0), np.float64(-2.0))) == value(term)


x, y = Var("x", Real), Var("y", Real)
INNER = Let(((x, const(1.0)),), x)
X1 = Var("x1", Real)


@pytest.mark.parametrize(
    "term",
    [
        Prim(ADD, (INNER, x)),
        Prim(ADD, (x, INNER)),
        App(Lam((x,), Prim(ADD, (INNER, x))), y),
        App(Lam((y,), Prim(ADD, (INNER, x))), y),
        Prim(ADD, (Let(((x, const(1.0)),), App(Lam((X1,), Prim(ADD, (x, X1))), x)), x)),
        Let(((x, INNER), (y, Prim(ADD, (x, y)))), Prim(ADD, (INNER, y))),
    ],
    ids=repr,
)
def test_a_let_in_an_argument_captures_nothing(term: Term) -> None:
    mode = Primal(NumPy())
    arrow = translate((x, y), term)
    assert mode.value(interpret(arrow, mode), (np.float64(3.0), np.float64(-2.0))) == value(term)


def test_a_let_in_an_argument_extends_the_context_of_that_argument() -> None:
    assert repr(translate((x,), Prim(ADD, (INNER, x)))) == "⟨extend(const 1) >> π1, π0⟩ >> (+)"
