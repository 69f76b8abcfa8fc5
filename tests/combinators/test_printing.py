"""Terms and arrows print as on paper: minimal parentheses, names, let-normal form, sharing."""

from textwrap import dedent

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.morphisms import Eval, Id, Primitive, Prod, Projection, Relabel
from combinators.objects import Bool, Fun, Int, Product, Real, Record, Sum, Tensor
from combinators.operation import Operation, named
from combinators.primitives.structural import FIX
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.tracing.cases import cond
from combinators.tracing.control import fold, scan
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.translate import translate

x, y, p = Var("x", Real), Var("y", Real), Var("p", Bool)
f = Var("f", Fun(Real, Real))
g = Var("g", Fun(Real, Fun(Real, Real)))
h = Var("h", Fun(Product(Real, Real), Real))
pair, record = Var("a", Product(Real, Real)), Var("r", Record(w=Real, b=Real))


def op(name: str, *args: Term, **parameters: object) -> Prim:
    return Prim(Operation(named(name), tuple(parameters.items())), args)


def add(a: Term, b: Term) -> Term:
    return op("add", a, b)


def sub(a: Term, b: Term) -> Term:
    return op("subtract", a, b)


def mul(a: Term, b: Term) -> Term:
    return op("multiply", a, b)


def div(a: Term, b: Term) -> Term:
    return op("divide", a, b)


def neg(a: Term) -> Term:
    return op("negative", a)


def sin(a: Term) -> Term:
    return op("sin", a)


def traced(function, *types):
    return Definition(function, types).specialise(types, tuple(map(face_of, types))).lam


LINES = [
    (x, "x"),
    (const(2.0), "2"),
    (const(2.5), "2.5"),
    (const(0.1 + 0.2), "0.30000000000000004"),
    (const(3), "3"),
    (const(True), "True"),
    (const(float("nan")), "nan"),
    (const([1.0, 2.0]), "[1.0, 2.0]"),
    (const(np.zeros(100)), "<Tensor[100]>"),
    (Lam((x,), x), "λx. x"),
    (Lam((x, y), add(mul(x, y), sin(x))), "λ(x, y). x * y + sin x"),
    (Lam((), x), "λ(). x"),
    (Lam((x,), Lam((y,), x)), "λx. λy. x"),
    (add(add(x, y), x), "x + y + x"),
    (add(x, add(y, x)), "x + (y + x)"),
    (sub(x, sub(y, x)), "x - (y - x)"),
    (sub(sub(x, y), x), "x - y - x"),
    (mul(add(x, y), x), "(x + y) * x"),
    (add(mul(x, y), x), "x * y + x"),
    (div(x, mul(y, x)), "x / (y * x)"),
    (neg(add(x, y)), "-(x + y)"),
    (neg(neg(x)), "-(-x)"),
    (mul(neg(x), neg(y)), "-x * -y"),
    (neg(mul(x, y)), "-(x * y)"),
    (sub(x, const(-2.0)), "x - -2"),
    (sin(const(-2.0)), "sin (-2)"),
    (sin(neg(x)), "sin (-x)"),
    (sin(sin(x)), "sin (sin x)"),
    (op("less", add(x, y), x), "x + y < x"),
    (op("equal", op("less", x, y), p), "(x < y) == p"),
    (App(f, x), "f x"),
    (App(f, App(f, x)), "f (f x)"),
    (App(App(g, x), y), "g x y"),
    (App(f, add(x, y)), "f (x + y)"),
    (App(h, Tuple((x, y))), "h (x, y)"),
    (App(Lam((x,), x), y), "(λx. x) y"),
    (Tuple(()), "()"),
    (Tuple((x,)), "(x,)"),
    (Tuple((x, add(x, y))), "(x, x + y)"),
    (Tuple((x, y), ("w", "b")), "{w: x, b: y}"),
    (Proj(0, pair), "π0 a"),
    (Proj(1, Tuple((x, y))), "π1 (x, y)"),
    (mul(Proj(0, pair), Proj(1, pair)), "π0 a * π1 a"),
    (Proj(1, record), "r.b"),
    (sin(Proj(0, record)), "sin r.w"),
    (op("sum", Var("v", Tensor((3,))), axis=(0,), keepdims=False), "sum[axis=(0,)] v"),
    (Let(((y, sin(x)),), mul(y, y)), "let y = sin x in y * y"),
    (Let(((y, x), (x, y)), x), "let y = x; x = y in x"),
    (add(Let(((y, x),), y), x), "(let y = x in y) + x"),
    (Cond(p, x, y), "if p then x else y"),
    (mul(Cond(p, x, y), x), "(if p then x else y) * x"),
    (Cond(p, Cond(p, x, y), y), "if p then if p then x else y else y"),
]


@pytest.mark.parametrize(("term", "line"), LINES, ids=[line for _, line in LINES])
def test_a_term_is_a_line(term: Term, line: str) -> None:
    assert repr(term) == line


POWERS = [
    (lambda x, y: x**y, "x ** y"),
    (lambda x, y: (x**y) ** x, "(x ** y) ** x"),
    (lambda x, y: x ** (y**x), "x ** y ** x"),
    (lambda x, y: -(x**y), "-x ** y"),
    (lambda x, y: (-x) ** y, "(-x) ** y"),
]


@pytest.mark.parametrize(("function", "line"), POWERS, ids=[line for _, line in POWERS])
def test_powers_nest_to_the_right(function, line: str) -> None:
    assert repr(traced(function, Real, Real).body) == line


def test_the_line_reads_back_as_python() -> None:
    """Parentheses are enough: Python reads the same value from arithmetic without functions."""
    rng = np.random.default_rng(0)
    names = {"x": 0.5, "y": -1.25}

    def draw(depth: int) -> Term:
        if not depth or rng.random() < 0.2:
            return (x, y, const(2.0), const(-3.0))[rng.integers(4)]
        make = (add, sub, mul, div, lambda a, _: neg(a))[rng.integers(5)]
        return make(draw(depth - 1), draw(depth - 1))

    def value(term: Term) -> float:
        match term:
            case Var(name):
                return names[name]
            case Prim(operation, args):
                a, *b = map(value, args)
                return {
                    "add": lambda: a + b[0],
                    "subtract": lambda: a - b[0],
                    "multiply": lambda: a * b[0],
                    "divide": lambda: np.float64(a) / b[0],
                    "negative": lambda: -a,
                }[operation.name]()
            case _:
                return term.literal.array.item()

    with np.errstate(all="ignore"):
        for _ in range(300):
            term = draw(4)
            line = repr(term)
            if not line.endswith("…"):
                read = eval(line.replace("2", "two").replace("3", "three"), None, CONSTANTS)  # noqa: S307
                assert np.array_equal(read, value(term), equal_nan=True), line


CONSTANTS = {
    "two": np.float64(2),
    "three": np.float64(3),
    "x": np.float64(0.5),
    "y": np.float64(-1.25),
}


def test_a_long_line_is_cut() -> None:
    term: Term = x
    for _ in range(100):
        term = add(term, y)
    assert len(repr(term)) == 120
    assert repr(term).startswith("x + y + y")
    assert repr(term).endswith("…")


def test_closed_functions_go_by_their_names() -> None:
    @Definition
    def square(t):
        return t * t

    lam = traced(lambda x: square(square(x)), Real)
    assert repr(lam) == "λx. square (square x)"
    assert str(lam) == text(
        """
        square : Real ⇒ Real = λt. t * t
        λ(x : Real).
          square (square x)
        """
    )


def test_two_functions_of_one_name_are_told_apart() -> None:
    def scaled(factor):
        def scale(t):
            return t * factor

        return Definition(scale)

    twice, thrice = scaled(2.0), scaled(3.0)
    lam = traced(lambda scale: twice(scale) + thrice(scale), Real)
    assert str(lam) == text(
        """
        scale1 : Real ⇒ Real = λt. t * 2
        scale2 : Real ⇒ Real = λt1. t1 * 3
        λ(scale : Real).
          scale1 scale + scale2 scale
        """
    )


def text(block: str) -> str:
    return dedent(block).strip("\n")


def test_the_text_is_let_normal_and_typed() -> None:
    def program(w, xs):
        def step(c, z):
            t = np.sin(c)
            return t * z * t, c + w * z

        c, ys = scan(step, w, xs)
        return cond(w > 0.0, lambda: np.sum(ys) * c, lambda: shifted(c)) * c

    def shifted(c):
        s = np.cos(c)
        return s * s

    assert str(traced(program, Real, Tensor((3,)))) == text(
        """
        λ(w : Real, xs : Tensor[3]).
          v5 : Real × Tensor[3] = scan
            λ(c : Real, z : Real).
              v : Real = sin c
              (v * z * v, c + w * z)
            w
            xs
          v5_0 : Real = π0 v5
          v5_1 : Tensor[3] = π1 v5
          (*)
            if w > 0 then
              sum[axis=(0,)] v5_1 * v5_0
            else
              v9 : Real = cos v5_0
              v9 * v9
            v5_0
        """
    )


def test_a_term_that_is_no_function_prints_its_bindings() -> None:
    assert str(Let(((y, sin(x)),), mul(y, y))) == "y : Real = sin x\ny * y"
    assert str(sin(Let(((y, x),), y))) == "sin\n  let\n    y : Real = x\n    y"


def test_tall_tuples_records_and_applications() -> None:
    block = Lam((y,), Let(((x, y),), x))
    assert str(Tuple((block, y), ("f", "y"))) == text(
        """
        {
          f: f,
          y: y,
        }
        """
    ).replace("f: f", "f: λ(y : Real).\n    x : Real = y\n    x")
    assert str(App(block, y)) == "apply\n  λ(y : Real).\n    x : Real = y\n    x\n  y"
    assert str(App(f, Let(((y, x),), y))) == "f\n  let\n    y : Real = x\n    y"


def test_unnamed_functions_used_twice_are_defined_once() -> None:
    double = Lam((y,), add(y, y))
    term = App(double, App(double, x))
    assert str(term) == "f : Real ⇒ Real = λy. y + y\nf (f x)"
    assert repr(term) == "(λy. y + y) ((λy. y + y) x)"


# --- arrows

TWO = Product(Real, Real)
PLUS = Primitive(Operation(named("add")), (Real, Real))
TIMES = Primitive(Operation(named("multiply")), (Real, Real))
FST, SND = Projection(TWO, 0), Projection(TWO, 1)

ARROWS = [
    (Id(Real), "id"),
    (FST, "π0"),
    (PLUS, "(+)"),
    (Primitive(Operation(named("sin")), (Real,)), "sin"),
    (Prod(TWO, (SND, FST)), "⟨π1, π0⟩"),
    (Prod(TWO, ()), "⟨⟩"),
    (Prod(TWO, (SND, FST)) >> TIMES, "⟨π1, π0⟩ >> (*)"),
    (Prod(TWO, (Prod(TWO, (FST, FST)) >> TIMES, SND)) >> PLUS, "⟨⟨π0, π0⟩ >> (*), π1⟩ >> (+)"),
    (Eval(Fun(Real, Int)), "eval"),
    (translate((x,), const(2.0)), "const 2"),
    (translate((x,), Let(((y, x),), y)), "extend(π0) >> π1"),
    (translate((x,), Lam((y,), x)), "⟨π0⟩ >> curry(π0)"),
    (translate((p, x), Cond(p, x, const(1.0))), "⟨π0, ⟨π1⟩⟩ >> cond(π0, const 1)"),
    (Relabel(TWO, Record(a=Real, b=Real)), "record(a, b)"),
    (Relabel(Record(a=Real, b=Real), TWO), "unrecord"),
]


@pytest.mark.parametrize(("arrow", "line"), ARROWS, ids=[line for _, line in ARROWS])
def test_an_arrow_is_a_line(arrow, line: str) -> None:
    assert repr(arrow) == line


def test_the_text_of_an_arrow_has_its_type_and_a_line_a_step() -> None:
    arrow = translate((x, y), Let(((f, Lam((x,), mul(x, y))),), add(App(f, x), y)))
    assert str(arrow) == text(
        """
        Real × Real ⇝ Real =
          extend(⟨π1⟩ >> curry(⟨π1, π0⟩ >> (*)))
          >> ⟨⟨π2, π0⟩ >> eval, π1⟩
          >> (+)
        """
    )


def test_a_shared_arrow_is_defined_once() -> None:
    double = Lam((y,), add(y, y))
    assert str(translate((x,), App(double, App(double, x)))) == text(
        """
        f : Unit ⇝ (Real ⇒ Real) =
          curry(⟨π0, π0⟩ >> (+))
        (Real,) ⇝ Real =
          ⟨⟨⟩ >> f, ⟨⟨⟩ >> f, π0⟩ >> eval⟩
          >> eval
        """
    )


def test_a_long_arrow_is_broken() -> None:
    lam = traced(
        lambda w, xs: fold(lambda c, z: np.sin(c * w + z) * np.sin(w * z) + c, 0.0, xs),
        Real,
        Tensor((3,)),
    )
    shown = str(translate(lam.params, lam.body)).splitlines()
    assert shown[:3] == ["Real × Tensor[3] ⇝ Real =", "  ⟨", "    ⟨π0⟩"]
    assert shown[-1] == "  >> fold"
    assert max(map(len, shown)) <= 110


def test_printing_is_deterministic() -> None:
    lams = [traced(lambda x: np.sin(x) * x, Real) for _ in range(2)]
    assert str(lams[0]) == str(lams[1])
    assert repr(translate(lams[0].params, lams[0].body)) == repr(
        translate(lams[1].params, lams[1].body)
    )


def test_alternatives_go_by_their_names():
    shapes = Sum(circle=Real, box=Real)
    s = Var("s", shapes)
    opened = Cond(op("is_alternative", s, index=0), op("payload", s, index=0), y)
    assert repr(opened) == "if is[circle] s then payload[circle] s else y"
    assert repr(op("inject", x, of=shapes, index=1)) == "inject[box] x"
    assert repr(op("inject", x, of=Sum(Real, Real), index=1)) == "inject[1] x"
    assert repr(translate((s, y), opened)).count("[circle]") == 2


def test_a_recursive_function_is_a_fixed_point():
    fixed = Prim(FIX, (Lam((f, x), App(f, add(x, y))),))
    assert repr(App(fixed, x)) == "fix (λ(f, x). f (x + y)) x"
