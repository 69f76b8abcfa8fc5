"""Lets float to the top of their block, and no name captures another.

The judge is an evaluator by substitution, as naive as can be: it substitutes values, which are
closed, so that nothing can be captured.
"""

from collections.abc import Mapping

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives  # noqa: F401
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Real
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.translate import lift_lets, translate
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
def test_lifting_keeps_the_meaning(term: Term) -> None:
    assert value(lift_lets(term)) == value(term)


@given(programs)
def test_translation_keeps_the_meaning(term: Term) -> None:
    mode = Primal(NumPy())
    arrow = translate([Var(name, obj) for name, obj in START], term)
    assert mode.value(interpret(arrow, mode), (np.float64(3.0), np.float64(-2.0))) == value(term)


@given(programs)
def test_after_lifting_no_let_stands_in_an_argument(term: Term) -> None:
    for node in distinct_nodes(lift_lets(term)):
        match node:
            case App(a, b):
                parts = (a, b)
            case Tuple(items) | Prim(_, items):
                parts = items
            case Proj(_, product):
                parts = (product,)
            case Cond(test):
                parts = (test,)
            case Let(bindings):
                parts = tuple(bound for _, bound in bindings)
            case _:
                parts = ()
        assert not any(isinstance(part, Let) for part in parts)


@given(programs)
def test_what_is_lifted_stays(term: Term) -> None:
    once = lift_lets(term)
    assert lift_lets(once) == once


x, y = Var("x", Real), Var("y", Real)


def test_a_let_that_would_capture_is_renamed() -> None:
    inner = Let(((x, const(1.0)),), x)
    assert repr(lift_lets(Prim(ADD, (inner, x)))) == "let x1 = 1 in x1 + x"
    assert repr(lift_lets(Lam((x,), Prim(ADD, (inner, x))))) == "λx. let x1 = 1 in x1 + x"
    assert repr(lift_lets(Lam((y,), Prim(ADD, (inner, x))))) == "λy. let x1 = 1 in x1 + x"


def test_a_new_name_is_nowhere_else() -> None:
    x1 = Var("x1", Real)
    inner = Let(((x, const(1.0)),), App(Lam((x1,), Prim(ADD, (x, x1))), const(2.0)))
    lifted = lift_lets(Prim(ADD, (inner, x)))
    assert repr(lifted) == "let x2 = 1 in (λx1. x2 + x1) 2 + x"


def test_a_term_in_order_is_returned_as_it_is() -> None:
    term = Let(((y, Prim(ADD, (x, x))),), Lam((x,), Let(((Var("z", Real), y),), x)))
    assert lift_lets(term) is term
    assert lift_lets(x) is x
    assert isinstance(lift_lets(const(1.0)), Const)
