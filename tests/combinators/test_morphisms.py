"""The free category: ill-typed arrows do not exist; ``interpret`` visits every arrow once."""

import inspect

import pytest

import combinators.primitives  # noqa: F401
from combinators.errors import NotComposable, Place, TypeMismatch
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Projection,
    Relabel,
    compose,
    interpret,
    prod,
)
from combinators.objects import Fun, Int, Product, Real, Record, Unit
from combinators.operation import Operation, named
from combinators.terms import const

TWO = Product(Real, Int)
SIN = Primitive(Operation(named("sin")), (Real,))
FST, SND = Projection(TWO, 0), Projection(TWO, 1)


def typed(arrow: Morphism) -> str:
    return f"{arrow.dom!r} ⇝ {arrow.cod!r}"


def test_the_type_of_each_combinator() -> None:
    assert typed(Id(Real)) == "Real ⇝ Real"
    assert typed(FST >> SIN) == "Real × Int ⇝ Real"
    assert typed(prod(TWO, SND, FST)) == "Real × Int ⇝ Int × Real"
    assert typed(prod(TWO)) == "Real × Int ⇝ Unit"
    assert typed(Extend(FST)) == "Real × Int ⇝ Real × Int × Real"
    assert typed(Curry(SND)) == "(Real,) ⇝ Int ⇒ Int"
    assert typed(Eval(Fun(Real, Int))) == "(Real ⇒ Int) × Real ⇝ Int"
    assert typed(Constant(Real, const(1).literal)) == "Real ⇝ Int"
    assert typed(Choice(FST, FST >> SIN)) == "Bool × (Real × Int) ⇝ Real"
    assert typed(Relabel(TWO, Record(a=Real, b=Int))) == "Real × Int ⇝ {a: Real, b: Int}"
    assert typed(Projection(Record(a=Real, b=Int), 1)) == "{a: Real, b: Int} ⇝ Int"


def test_composition_is_associative_and_unital_on_the_nose() -> None:
    cos = Primitive(Operation(named("cos")), (Real,))
    assert (FST >> SIN) >> cos == FST >> (SIN >> cos)
    assert Id(TWO) >> FST == FST == FST >> Id(Real)
    assert Id(Real) >> Id(Real) == Id(Real)
    assert isinstance(FST >> SIN >> cos, Compose)
    assert (FST >> SIN >> cos).arrows == (FST, SIN, cos)
    assert compose(FST) is FST


ILL_TYPED = [
    (lambda: FST >> FST, "cannot form f >> g: f ends in Real, g starts from Real × Int"),
    (lambda: Id(Real) >> FST, "cannot form f >> g: f ends in Real, g starts from Real × Int"),
    (lambda: Compose((SND, SIN)), "cannot form f >> g: f ends in Int, g starts from Real"),
    (
        lambda: Id(Real) >> Id(TWO),
        "cannot form f >> g: f ends in Real, g starts from Real × Int",
    ),
    (
        lambda: prod(TWO, FST, SIN),
        "cannot pair: an arrow starts from Real, not from Real × Int",
    ),
    (lambda: Projection(Real, 0), "proj takes a component of a product, and Real is none"),
    (lambda: Projection(TWO, 2), "proj: Real × Int has no component 2"),
    (lambda: Extend(SIN), "only a context can be extended, not Real"),
    (lambda: Curry(SIN), "curry splits off a last component, and Real has none"),
    (lambda: Curry(prod(Unit)), "curry splits off a last component, and Unit has none"),
    (
        lambda: Choice(FST, SND),
        "the branches of a cond are parallel, but these go Real × Int → Real and Real × Int → Int",
    ),
    (lambda: Relabel(TWO, Record(a=Real)), "Real × Int and {a: Real} have other components"),
]


@pytest.mark.parametrize(("build", "says"), ILL_TYPED, ids=[says for _, says in ILL_TYPED])
def test_an_ill_typed_arrow(build, says: str) -> None:
    with pytest.raises(TypeMismatch) as caught:
        build()
    assert caught.value.args == (says,)
    assert caught.value.place.file == __file__
    assert isinstance(caught.value, NotComposable) == says.startswith("cannot form")


def test_the_place_is_the_users_line() -> None:
    place = Place(__file__, inspect.currentframe().f_lineno + 2)
    with pytest.raises(NotComposable) as caught:
        SIN >> FST
    assert str(caught.value) == (
        f"{place}: cannot form f >> g: f ends in Real, g starts from Real × Int"
    )


class Spelling:
    """A category whose arrows are their own spelling: which methods are called, with what."""

    def __init__(self) -> None:
        self.calls = []

    def __getattr__(self, name: str):
        def combinator(*arguments: object) -> str:
            self.calls.append(name)
            parts = [a for a in arguments if isinstance(a, (str, list))]
            return f"{name}{parts or ''}"

        return combinator


def test_interpret_calls_one_method_a_combinator() -> None:
    body = prod(TWO, SND, FST) >> Projection(Product(Int, Real), 1) >> SIN
    program = compose(
        Extend(prod(Product(Real)) >> Constant(Unit, const(2).literal)),
        prod(TWO, FST, SND),
        Relabel(Product(Real, Int), Record(a=Real, b=Int)),
    )
    category = Spelling()
    interpret(program, category)
    assert sorted(category.calls) == sorted(
        ["prod", "const", "compose", "extend", "proj", "proj", "prod", "relabel", "compose"]
    )
    category = Spelling()
    interpret(prod(Product(Real), Curry(body)) >> Projection(Product(Fun(Int, Real)), 0), category)
    assert sorted(category.calls) == sorted(
        ["proj", "proj", "prod", "proj", "primitive", "compose", "curry", "prod", "proj", "compose"]
    )
    category = Spelling()
    interpret(Choice(FST, FST), category)
    assert category.calls == ["proj", "cond"]
    category = Spelling()
    interpret(Eval(Fun(Real, Real)), category)
    assert category.calls == ["eval"]


def test_a_shared_arrow_is_interpreted_once() -> None:
    arrow: Morphism = SIN
    for _ in range(64):
        arrow = prod(Real, arrow, arrow) >> Projection(Product(Real, Real), 0)
    category = Spelling()
    category.__dict__["prod"] = lambda *_: category.calls.append("prod") or "prod"
    category.__dict__["compose"] = lambda *_: category.calls.append("compose") or "compose"
    interpret(arrow, category)
    assert category.calls.count("prod") == category.calls.count("compose") == 64


def test_what_is_no_combinator_is_not_interpreted() -> None:
    class Other(Morphism):
        def arguments(self) -> tuple[object, ...]:
            return ()

    with pytest.raises(TypeMismatch, match="Other is no combinator"):
        interpret(Other(), Spelling())
