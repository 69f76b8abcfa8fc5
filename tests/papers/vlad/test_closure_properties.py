"""Sections 3 to 5 of 001: J, its laws, its costs, and the examples; and four ways to err."""

import math

import pytest

from combinators.errors import TypeMismatch, UnboundVariable
from papers.vlad import syntax, transform
from papers.vlad.evaluator import SECTION_5, Vlad
from papers.vlad.syntax import Lambda
from papers.vlad.values import show
from tests.papers.vlad.in_vlad import numbers

F = "(define f (lambda (a) (((lambda (b) (lambda (c) b)) a) 1)))"


def run(*texts):
    session = Vlad()
    for text in texts[:-1]:
        session.run(text)
    return numbers(session.run(texts[-1]))


# ---- section 3 -----------------------------------------------------------------------------------


def test_the_running_example_of_section_3_gives_4_and_1():
    assert run(F, "(*j-inverse (car ((*j f) (*j 4))))") == 4.0
    assert run(F, "((gradient f) 4)") == 1.0


def assigned_once():
    """What is assigned again keeps the backpropagator that it had: D exp(x²) = 2x exp(x²)."""
    return run("((gradient (lambda (x) (let ((y (* x x)) (y (* y y))) y))) 2)") == 32.0


def closed():
    """A transform refers to what the λ refers to, transformed, and to σ0."""
    session = Vlad()
    e = session.run(f"{F} f").code
    allowed = {*session, "'()", *[f"{x}↼" for x in e.free]}
    return set(transform.transformed(e).free) <= allowed


def environments():
    """Sensitivities reach what a closure captured: D ((λb λc b) a) 1 = 1."""
    return run(F, "((gradient f) 4)") == 1.0


def fanout():
    """What is used twice gains twice, in one application too: D x² = 2x."""
    return run("((gradient (lambda (x) (* x x))) 3)") == 6.0


LAWS = [assigned_once, closed, environments, fanout]


def several_assignments(patch):
    """Straight-line code with :=, of which backpropagators are overwritten."""

    class Overwriting(syntax.Names):
        def fresh(self, wish):
            return super().fresh(wish) if wish[0] in "tp" else wish

    patch(syntax, "Names", Overwriting)


def unbound_sensitivities(patch):
    """Lines II and IV: nothing binds the sensitivities of free variables."""
    right = transform.backpropagator

    def wrong(e):
        head, parameter, (let, bindings, both) = right(e)
        bound = {f"{x}↽" for x in e.base_free}
        kept = [[x, v] for x, v in bindings if v[0] != "zero" or x not in bound]
        return [head, parameter, [let, kept, both]]

    patch(transform, "backpropagator", wrong)


def forgotten_environments(patch):
    """Lines V and VI: they are bound to zeros, and go nowhere."""
    right = transform.phases

    def wrong(x, form):
        phi, rho = right(x, form)
        return phi, [["list"], f"{x}↽"] if isinstance(form, Lambda) else rho

    patch(transform, "phases", wrong)


def one_variable_once(patch):
    """``(↽xj, ↽xk) ⊕= …`` where j = k, and one of the two is lost."""
    right = transform.accumulated

    def wrong(summed, pattern, gain):
        if len(pattern) == 3 and pattern[1] == pattern[2]:
            pattern = [pattern[0], "nobody", pattern[2]]
        return right(summed, pattern, gain)

    patch(transform, "accumulated", wrong)


@pytest.mark.parametrize(
    ("stage", "law"),
    [
        (several_assignments, assigned_once),
        (unbound_sensitivities, closed),
        (forgotten_environments, environments),
        (one_variable_once, fanout),
    ],
)
def test_a_law_finds_the_stage_of_section_3_that_is_incorrect(stage, law, monkeypatch):
    assert all(law() for law in LAWS)
    stage(monkeypatch.setattr)
    assert not law()


def test_an_unbound_sensitivity_is_named(monkeypatch):
    unbound_sensitivities(monkeypatch.setattr)
    with pytest.raises(UnboundVariable, match="↽ is unbound"):
        environments()


def test_a_forgotten_environment_gives_0_where_it_should_be_1(monkeypatch):
    forgotten_environments(monkeypatch.setattr)
    assert run(F, "((gradient f) 4)") == 0.0


# ---- section 4 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["3", "'()", "(cons 1 2)", "(*j 3)", "sin", "zero", "plus", "*j"])
def test_j_inverse_is_the_inverse_of_j(value):
    session = Vlad()
    assert show(session.run(f"(*j-inverse (*j {value}))")) == show(session.run(value))


@pytest.mark.parametrize("f", ["(*j-inverse (*j f))", "(*j-inverse (*j-inverse (*j (*j f))))"])
def test_j_inverse_of_a_function_is_that_function(f):
    session = Vlad()
    session.run(F)
    assert session.run(f).code is session.run("f").code
    assert session.run(f"({f} 4)") == 4.0
    assert session.run("(*j-inverse (*j sin))") is session.run("sin")


def test_j_of_f_at_j_of_x_is_j_of_the_value():
    assert run("(define (cube x) (* x (* x x)))", "(*j-inverse (car ((*j cube) (*j 2))))") == 8.0


def test_zeros_match_and_add():
    assert run("(zero (list 1 (cons 2 3) '()))") == (0.0, (0.0, 0.0), ())
    assert run("(plus (list 1 2) (list 10 20))") == (11.0, 22.0)
    assert run("(define x 3)", "(define g (lambda (y) (* x y)))", "(zero g)") == ((), 0.0)
    assert show(Vlad().run("(zero (*j 3))")) == "↼0"
    with pytest.raises(TypeMismatch, match="do not conform"):
        run("(plus 1 (cons 1 2))")


def test_the_environment_of_a_transformed_function_has_the_shape_of_the_untransformed():
    scaled = "(define scaled (lambda (w) (lambda (z) (* w z))))"
    assert run(scaled, "(zero (scaled 3))") == ((), 0.0)
    assert show(Vlad().run("(zero (*j ((lambda (w) (lambda (z) w)) 3)))")) == "(↼0, ↼[])"


def test_no_perturbation_is_confused():
    inner = "((gradient (lambda (y) ({op} x y))) {at})"
    outer = "((gradient (lambda (x) (* x {inner}))) {at})"
    assert run(outer.format(inner=inner.format(op="+", at=1), at=1)) == 1.0
    assert run(outer.format(inner=inner.format(op="*", at=4), at=4)) == 8.0


def test_j_goes_over_j():
    power = "(lambda (x) (* (* x x) (* x x)))"
    for order, expected in enumerate((32.0, 48.0, 48.0), start=1):
        nested = power
        for _ in range(order):
            nested = f"(gradient {nested})"
        assert run(f"({nested} 2)") == expected


@pytest.mark.parametrize(
    ("f", "derivative"),
    [
        ("(lambda (x) (car (zero (cons x x))))", 0.0),
        ("(lambda (x) (plus x (* x x)))", 7.0),
        ("(lambda (x) (*j-inverse (*j (* x x))))", 6.0),
        ("(lambda (x) (if (real? x) (* 5 x) x))", 5.0),
        ("(lambda (x) (sqrt (* x x)))", 1.0),
    ],
)
def test_the_ad_primitives_and_predicates_have_transforms(f, derivative):
    assert run(f"((gradient {f}) 3)") == pytest.approx(derivative)


def counted(text, *definitions):
    session = Vlad()
    for definition in definitions:
        session.run(definition)
    session.counts.clear()
    session.run(text)
    return sum(session.counts[t] for t in "+-*/")


def test_figure_5_what_fans_out_is_pulled_back_once():
    """f = λx0 let x1 = f1 x0 in b ((f2 x1), (f3 x1)): D f1 is asked for once."""
    session = Vlad()
    f = "(lambda (x0) (let ((x1 (sin x0)) (y (exp x1)) (z (sqrt x1))) (* y z)))"
    slope = session.run(f"((gradient {f}) 1)")
    x1 = math.sin(1)
    expected = math.cos(1) * math.exp(x1) * (math.sqrt(x1) + 0.5 / math.sqrt(x1))
    assert slope == pytest.approx(expected)
    assert session.counts["cos"] == 1


LOOP = "(define (loop x n) (if (= n 0) x (loop (* x x) (- n 1))))"


def test_the_gradient_takes_a_constant_factor_of_the_operations():
    for rounds in (10, 20, 40):
        primal = counted(f"(loop 1 {rounds})", LOOP)
        assert primal == 2 * rounds
        assert counted(f"((gradient (lambda (x) (loop x {rounds}))) 1)", LOOP) == 3 * primal


def test_pairs_that_share_take_linear_time():
    def shared(times):
        pairs = "".join("(p (cons p p))" for _ in range(times))
        opened = "(car " * (times + 1) + "p" + ")" * (times + 1)
        return f"(define g (lambda (x) (let ((p (cons x x)) {pairs}) {opened})))"

    def bindings(times):
        session = Vlad()
        session.run(shared(times))
        calls = []
        given = session.given
        session.given = lambda t, v: calls.append(t) or given(t, v)
        assert session.run("((gradient g) 2)") == 1.0
        return len(calls)

    assert bindings(15) - bindings(10) == bindings(10) - bindings(5)


def test_a_recursion_of_20_000_steps_needs_no_stack():
    assert run("(define (down n) (if (<= n 0) 7 (down (- n 1))))", "(down 20000)") == 7.0


def test_what_is_no_number_is_refused():
    with pytest.raises(TypeMismatch, match=r"\* takes real numbers, and is given \(2, \[\]\)"):
        run("(* 2 '())")
    with pytest.raises(TypeMismatch, match="J⁻¹ takes what J gave"):
        run("(*j-inverse 3)")
    with pytest.raises(UnboundVariable, match="nobody is unbound"):
        run("(nobody 3)")
    with pytest.raises(TypeMismatch, match="parentheses do not match"):
        run("(+ 1")


# ---- section 5 -----------------------------------------------------------------------------------


def test_the_hessian_times_a_vector():
    assert run(SECTION_5, "(h*v quadratic (list 3 4) (list 7 8))") == (52.0, 85.0)


def test_argmin_ends_by_its_test():
    well = "(lambda ((list x y)) (+ (* (- x 1) (- x 1)) (* 2 (* y y))))"
    found = run(SECTION_5, f"(argmin {well} (list 3 2) 0.001)")
    assert found == pytest.approx((1.0, 0.0), abs=1e-3)


@pytest.mark.slow
def test_the_saddle_is_at_the_origin():
    x, *y = run(SECTION_5, "(saddle (list 1 0.5) (list 0.7 -1) 0.00001)")
    assert x == pytest.approx((0.0, 0.0), abs=1e-5)
    assert tuple(y) == pytest.approx((0.0, 0.0), abs=1e-5)
