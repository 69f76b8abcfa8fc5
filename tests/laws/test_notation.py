"""Laws are written as on paper, in text and in LaTeX."""

import pytest

from combinators.literal import Literal
from combinators.morphisms import Compose, Constant, Curry, Eval, Extend, Id, Projection, prod
from combinators.objects import Fun, Product, Real, Unit, Vector
from laws.language import (
    D,
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Scaled,
    TangentSpace,
    Variable,
    Zero,
    copy,
    curry,
    discard,
    ev,
    exponential,
    first,
    into_first,
    into_second,
    pair,
    parallel,
    second,
    swap,
)
from laws.law import Computed, Law, Structure, equation, latex, quantifiers
from laws.notation import latex_of, object_text, side_text
from laws.structures import LAWS

A, B, C = Variable("A"), Variable("B"), Variable("C")
V = Variable("V", "vector")
f, g = Generator("f", A, B), Generator("g", A, C)
h, k = Generator("h", B, C), Generator("k", Product(A, B), C)
s, t = Generator("s", V, V), Generator("t", V, V)
number = Generator("λ", V, Real)


@pytest.mark.parametrize(
    ("arrow", "text", "tex"),
    [
        (f >> h, "f >> h", r"f \gg h"),
        (Compose((f, Id(B))), "f >> id", r"f \gg \mathrm{id}"),
        (Compose((Compose((f, h)), Id(C))), "(f >> h) >> id", r"(f \gg h) \gg \mathrm{id}"),
        (pair(f, g) >> second(B, C), "⟨f, g⟩ >> π1", r"\langle f, g\rangle \gg \pi_{1}"),
        (pair(first(A, B), second(A, B)), "⟨π0, π1⟩", r"\langle \pi_{0}, \pi_{1}\rangle"),
        (parallel(f, g) >> second(B, C), "(f × g) >> π1", r"(f \times g) \gg \pi_{1}"),
        (parallel(f, Id(C)), "f × id", r"f \times \mathrm{id}"),
        (discard(A), "!", "{!}"),
        (copy(A) >> swap(A, A), "Δ >> σ", r"\Delta \gg \sigma"),
        (curry(k), "curry(k)", r"\mathrm{curry}(k)"),
        (curry(k >> Id(C)), "curry(k)", r"\mathrm{curry}(k)"),
        (curry(parallel(f, Id(B)) >> second(B, B)), "curry((f × id) >> π1)", None),
        (Curry(k), "curry(k)", None),
        (pair(curry(k), f) >> ev(B, C), "⟨curry(k), f⟩ >> eval", None),
        (exponential(f, h), "f ⇒ h", r"f \Rightarrow h"),
        (exponential(Id(B), h), "id ⇒ h", None),
        (curry(ev(A, B)), "curry(eval)", r"\mathrm{curry}(\mathrm{eval})"),
        (prod(A, f), "f", "f"),
        (D(s >> t), "D[s >> t]", r"D[s \gg t]"),
        (R(s), "R[s]", "R[s]"),
        (Plus(s >> t, s), "(s >> t) + s", None),
        (Plus(s, Plus(s, t)), "s + (s + t)", None),
        (Scaled(number, Plus(s, t)), "λ · (s + t)", r"\lambda  \cdot (s + t)"),
        (Inner(s, t >> s), "⟨s, t >> s⟩", None),
        (pair(s, Zero(V, V)), "⟨s, 0⟩", None),
        (into_first(V, V) >> first(V, V), "ι0 >> π0", None),
        (into_second(V, V), "ι1", r"\iota_{1}"),
        (Image("simplified", f), "simplified(f)", r"\operatorname{simplified}(f)"),
        (Projection(Product(*[A] * 12), 10), "π10", r"\pi_{10}"),
    ],
)
def test_a_side(arrow, text, tex):
    assert side_text(arrow) == text
    if tex is not None:
        assert latex_of(side_text(arrow)).replace("  ", " ") == tex.replace("  ", " ")


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (Unit, "Unit"),
        (Product(A, Product(B, C)), "A × (B × C)"),
        (Product(Fun(A, B), A), "(A ⇒ B) × A"),
        (Fun(A, Fun(B, C)), "A ⇒ B ⇒ C"),
        (Fun(Fun(A, B), C), "(A ⇒ B) ⇒ C"),
        (Fun(Product(A, B), C), "A × B ⇒ C"),
        (TangentSpace(Fun(A, B)), "T (A ⇒ B)"),
        (Product(A), "A"),
        (Vector(A, 3), "A^3"),
        (Real, "Real"),
    ],
)
def test_an_object(obj, text):
    assert object_text(obj) == text


STRUCTURE = Structure("s", "S")


def law(lhs, rhs, **more):
    return Law("X1", "words", lhs, rhs, STRUCTURE, "somebody", **more)


def test_an_equation_and_what_it_is_about():
    point = Generator("a", Unit, V, "point")
    linear = Generator("t", V, V, "linear")
    about = law(point >> linear, point >> s)
    assert str(about) == "X1: a >> t = a >> s"
    assert quantifiers(about) == "V vectors; a : V; t : V → V linear; s : V → V"
    assert about._repr_latex_() == r"$\displaystyle a \gg t = a \gg s$"


def test_relations():
    assert equation(law(f, f, relation="raises")) == "f is refused"
    cost = law(Computed("ops(∇f)", lambda _: 1), Computed("5 ops(f)", lambda _: 2), relation="≤")
    assert equation(cost) == "ops(∇f) ≤ 5 ops(f)"
    assert latex(cost) == r"\text{ops(∇f)} \leq \text{5 ops(f)}"
    own = law(Computed("x_1 & y", lambda _: 1), Computed("y", lambda _: 1, latex=r"\bar y"))
    assert latex(own) == r"\text{x\_1 \& y} = \bar y"


def test_names_in_latex():
    names = [Generator(name, A, B) for name in ("f1", "f'", "λ", "step_of")]
    made = [latex_of(side_text(generator)) for generator in names]
    assert made == ["f_{1}", "f'", r"\lambda", r"\operatorname{step\_of}"]


@pytest.mark.parametrize(
    "program",
    [
        prod(Real, Id(Real), Id(Real)) >> Projection(Product(Real, Real), 1),
        Extend(Constant(Product(Real), Literal(2.0))) >> Projection(Product(Real, Real), 0),
        Curry(Projection(Product(Real, Real), 1)),
        Eval(Fun(Real, Real)) >> Constant(Real, Literal([1.0, 2.0])),
        prod(Product(Real, Real), Projection(Product(Real, Real), 1)) >> Curry(first(Real, Real)),
    ],
    ids=repr,
)
def test_programs_and_reports_use_one_notation(program):
    """What a law writes of a combinator is what the program prints, but for its abbreviations."""
    text = side_text(program)
    for short, long in (("Δ", "⟨id, id⟩"), ("⟨id, const 2⟩", "extend(const 2)")):
        text = text.replace(short, long)
    assert text in (repr(program), repr(program).replace("⟨π1⟩ >> ", "π1 >> "))


@pytest.mark.parametrize("known", LAWS, ids=lambda known: known.name)
def test_every_law_is_written(known):
    assert 2 < len(equation(known)) < 500
    for opening, closing in (("{", "}"), ("(", ")"), ("\\langle", "\\rangle")):
        assert latex(known).count(opening) == latex(known).count(closing)
    assert "object at 0x" not in f"{known} {quantifiers(known)}"
