"""J is Figure 1 of 004, with flat contexts: exact combinators for small terms."""

import inspect

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.errors import Place, TypeMismatch, UnboundVariable
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import (
    Choice,
    Constant,
    Curry,
    Eval,
    Extend,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
    compose,
    interpret,
)
from combinators.objects import Bool, Fun, Int, Product, Real, Record, Unit
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.tracing.cases import cond
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal

x, y, z, p = Var("x", Real), Var("y", Real), Var("z", Real), Var("p", Bool)
f = Var("f", Fun(Real, Real))
TWO = Product(Real, Real)
ADD, MUL, SIN = (Operation(named(name)) for name in ("add", "multiply", "sin"))


def pi(index: int, *context: Var) -> Morphism:
    return Projection(Product(*(var.type for var in context)), index)


# --- the rules of Figure 1, one by one


def test_a_term_that_shares_without_a_let_is_refused_where_it_would_take_for_ever():
    term = Var("x", Real)
    for _ in range(64):
        term = Prim(Operation(named("add")), (term, term))
    with pytest.raises(TypeMismatch, match="name what is used again"):
        translate((Var("x", Real),), term)


def test_a_variable_is_a_projection() -> None:
    assert translate((x, p, y), p) == pi(1, x, p, y)


def test_a_constant_ignores_the_context() -> None:
    assert translate((x,), const(2.0)) == Constant(Product(Real), const(2.0).literal)


def test_a_primitive_comes_after_the_pair_of_its_arguments() -> None:
    pair = Prod(TWO, (pi(1, x, y), pi(0, x, y)))
    assert translate((x, y), Prim(ADD, (y, x))) == pair >> Primitive(ADD, (Real, Real))
    assert translate((x, y), Prim(SIN, (y,))) == pi(1, x, y) >> Primitive(SIN, (Real,))


def test_a_tuple_is_a_pairing_and_a_record_is_one_with_names() -> None:
    pair = Prod(TWO, (pi(1, x, y), pi(0, x, y)))
    assert translate((x, y), Tuple((y, x))) == pair
    named_pair = Tuple((y, x), ("a", "b"))
    assert translate((x, y), named_pair) == pair >> Relabel(TWO, Record(a=Real, b=Real))


def test_a_projection_comes_after_its_product() -> None:
    a = Var("a", TWO)
    assert translate((x, a), Proj(1, a)) == pi(1, x, a) >> Projection(TWO, 1)


def test_an_application_is_eval_after_the_pair() -> None:
    pair = Prod(Product(f.type, Real), (pi(0, f, x), pi(1, f, x)))
    assert translate((f, x), App(f, x)) == pair >> Eval(Fun(Real, Real))


def test_a_function_is_curry_out_of_exactly_its_free_variables() -> None:
    body = Prod(Product(Real, Real), (pi(0, z, y), pi(1, z, y))) >> Primitive(MUL, (Real, Real))
    selected = Prod(Product(Real, Bool, Real), (pi(2, x, p, z),))
    assert translate((x, p, z), Lam((y,), Prim(MUL, (z, y)))) == selected >> Curry(body)


def test_a_closed_function_captures_nothing() -> None:
    arrow = translate((x,), Lam((y,), y))
    assert arrow == Prod(Product(Real), ()) >> Curry(pi(0, y))
    assert arrow.arrows[1].dom is Unit


def test_a_function_of_several_takes_its_argument_apart() -> None:
    arrow = translate((), Lam((x, y), Prim(ADD, (y, x))))
    whole = Product(TWO)
    first, second = whole.snoc(Real), whole.snoc(Real).snoc(Real)
    body = compose(
        Extend(Projection(whole, 0) >> Projection(TWO, 0)),
        Extend(Projection(first, 0) >> Projection(TWO, 1)),
        Prod(second, (Projection(second, 2), Projection(second, 1))),
        Primitive(ADD, (Real, Real)),
    )
    assert arrow == Prod(Unit, ()) >> Curry(body)
    assert arrow.cod is Fun(TWO, Real)


def test_let_extends_the_context_and_is_no_call() -> None:
    arrow = translate((x,), Let(((y, Prim(SIN, (x,))),), Tuple((x, y))))
    bound = pi(0, x) >> Primitive(SIN, (Real,))
    assert arrow == Extend(bound) >> Prod(TWO, (pi(0, x, y), pi(1, x, y)))
    assert not any(isinstance(node, (Curry, Eval)) for node in distinct_nodes(arrow))


def test_a_conditional_runs_one_branch_in_what_both_capture() -> None:
    arrow = translate((x, p, y), Cond(p, y, const(1.0)))
    context = Product(Real, Bool, Real)
    choice = Choice(pi(0, y), Constant(Product(Real), const(1.0).literal))
    selected = Prod(context, (pi(2, x, p, y),))
    assert arrow == Prod(context, (pi(1, x, p, y), selected)) >> choice


PRINTED = [
    (
        (x, y),
        Prim(ADD, (Prim(MUL, (x, y)), Prim(SIN, (x,)))),
        "⟨⟨π0, π1⟩ >> (*), π0 >> sin⟩ >> (+)",
    ),
    ((x,), Let(((y, x), (z, y)), z), "extend(π0) >> extend(π1) >> π2"),
    ((x,), Prim(SIN, (Let(((y, x),), y),)), "extend(π0) >> π1 >> sin"),
    ((x,), App(Lam((y,), x), x), "⟨⟨π0⟩ >> curry(π0), π0⟩ >> eval"),
    (
        (x, y),
        Lam((x,), Lam((z,), Prim(ADD, (x, y)))),
        "⟨π1⟩ >> curry(⟨π1, π0⟩ >> curry(⟨π0, π1⟩ >> (+)))",
    ),
]


@pytest.mark.parametrize(("context", "term", "line"), PRINTED, ids=[line for *_, line in PRINTED])
def test_the_combinators_of_a_term(context: tuple[Var, ...], term: Term, line: str) -> None:
    arrow = translate(context, term)
    assert repr(arrow) == line
    assert arrow.dom is Product(*(var.type for var in context))
    assert arrow.cod is term.type


# --- scoping


def run(context: tuple[Var, ...], term: Term, *values: float) -> object:
    mode = Primal(NumPy())
    return mode.value(interpret(translate(context, term), mode), tuple(map(np.float64, values)))


def test_the_innermost_binder_counts() -> None:
    assert run((x,), Let(((x, const(1.0)), (x, Prim(ADD, (x, x)))), x), 5.0) == 2.0
    assert run((x,), App(Lam((x,), x), const(7.0)), 5.0) == 7.0
    assert run((x,), Let(((f, Lam((y,), x)), (x, const(1.0))), App(f, x)), 5.0) == 5.0
    assert run((x,), Cond(const(True), Let(((x, const(1.0)),), x), x), 5.0) == 1.0
    assert run((x, x), x, 1.0, 2.0) == 2.0


def test_a_name_may_have_another_type_inside() -> None:
    flag = Var("x", Bool)
    assert run((x,), Let(((flag, const(True)),), Cond(flag, const(1.0), const(2.0))), 5.0) == 1.0


def test_a_function_made_before_a_branch_is_not_taken_from_its_sibling() -> None:
    """A Python function first called in one branch is called in the other one too."""

    def program(x):
        g = Definition(lambda t: t * x)
        return cond(x > 0.0, lambda: g(1.0) + g(2.0), lambda: g(3.0) - g(4.0))

    lam = Definition(program).specialise((Real,), (face_of(Real),)).lam
    assert run(lam.params, lam.body, 2.0) == 6.0
    assert run(lam.params, lam.body, -2.0) == 2.0


# --- what cannot be translated


def test_an_unbound_variable() -> None:
    place = Place(__file__, inspect.currentframe().f_lineno + 2)
    with pytest.raises(UnboundVariable) as caught:
        translate((x, p), Prim(SIN, (y,)))
    says = "y : Real is not bound by the context (x : Real, p : Bool)"
    assert str(caught.value) == f"{place}: {says}"
    assert isinstance(caught.value, NameError)


def test_a_long_context_is_not_listed_in_full() -> None:
    context = [Var(f"v{i}", Real) for i in range(1000)]
    with pytest.raises(UnboundVariable, match=r"v7 : Real, …\)"):
        translate(context, y)


def test_a_variable_bound_at_another_type() -> None:
    n = Var("x", Int)
    with pytest.raises(UnboundVariable, match="x : Int is not bound by the context"):
        translate((x,), n)
    with pytest.raises(UnboundVariable, match="x : Int is not bound, and x : Real is"):
        translate((), Lam((x,), n))
    with pytest.raises(UnboundVariable, match="x : Int is not bound, and x : Real is"):
        translate((x,), Let(((y, Prim(SIN, (x,))),), Tuple((x, n))))


def test_a_term_of_an_unknown_form() -> None:
    class Other(Term):
        type = Real

        def arguments(self) -> tuple[object, ...]:
            return ()

    with pytest.raises(TypeMismatch, match="Other is no term that J translates"):
        translate((), Other())
