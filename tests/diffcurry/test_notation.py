"""Types are read in the notation in which they print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Product,
    Real,
    Record,
    Sum,
    Tagged,
    Tangent,
    Tensor,
    Unit,
    Vector,
)
from diffcurry.notation import parse_object, parse_objects

TENSORS = [Tensor((3,)), Tensor((2, 0, 4)), Tensor((5,), "uint8"), Tensor((1,), "bool")]
ATOMS = st.sampled_from([Real, Int, Bool, Unit, Tangent, Tensor((), "float32"), *TENSORS])
NAMES = st.lists(st.sampled_from(["w", "b", "Real", "θ", "x1"]), unique=True, max_size=3)


def compound(objects):
    several = st.lists(objects, min_size=1, max_size=3).map(lambda parts: Product(*parts))
    functions = st.builds(Fun, objects, objects)
    vectors = st.builds(Vector, objects, st.integers(0, 9))
    records = NAMES.flatmap(
        lambda names: st.tuples(*[objects for _ in names]).map(
            lambda parts: Record.of(tuple(names), Product(*parts))
        )
    )
    sums = st.builds(
        lambda kind, parts, names: kind.of(
            names and tuple(names), Product(*parts[: len(names or parts)])
        ),
        st.sampled_from([Sum, Tagged]),
        st.lists(objects, min_size=3, max_size=3),
        st.none() | NAMES.filter(len).map(tuple),
    )
    return several | functions | vectors | records | sums


@given(st.recursive(ATOMS, compound, max_leaves=8))
def test_what_prints_reads_back(obj):
    assert parse_object(repr(obj)) is obj


@pytest.mark.parametrize(
    ("text", "obj"),
    [
        ("Real * Real -> Bool", Fun(Product(Real, Real), Bool)),
        ("Real -> Real -> Real", Fun(Real, Fun(Real, Real))),
        ("(Real -> Real) -> Real", Fun(Fun(Real, Real), Real)),
        ("(Real × Int) × Bool", Product(Product(Real, Int), Bool)),
        ("((Real))", Real),
        (" Tensor[ 3 ,4 ; float32 ] ", Tensor((3, 4), "float32")),
        ("Vector[Real; 3]", Vector(Real, 3)),
        ("{w: Tensor[2], b: Real ⇒ Real}", Record(w=Tensor((2,)), b=Fun(Real, Real))),
        ("{}", Record()),
        ("Real + Real * Int -> Bool", Fun(Sum(Real, Product(Real, Int)), Bool)),
        ("[a: Real | b: Real + Unit]", Sum(a=Real, b=Sum(Real, Unit))),
        ("0 + Real + Unit", Tagged(Real, Unit)),
    ],
)
def test_plain_ascii_and_parentheses(text, obj):
    assert parse_object(text) is obj


def test_several_types_stand_between_commas():
    assert parse_objects("Real, {a: Int, b: (Bool,)}, Tensor[2, 3]") == (
        Real,
        Record(a=Int, b=Product(Bool)),
        Tensor((2, 3)),
    )
    assert parse_objects("  ") == ()


@pytest.mark.parametrize(
    ("text", "column", "found"),
    [
        ("Reel", 1, "Reel"),
        ("Real ×", 7, "the end"),
        ("Tensor[3", 9, "the end"),
        ("Tensor[]", 8, "]"),
        ("Tensor[-1]", 8, "-"),
        ("Tensor[2; float99]", 9, ";"),
        ("Real Real", 6, "Real"),
        ("{w Real}", 4, "Real"),
        ("Real; Real", 5, ";"),
        ("", 1, "the end"),
        ("__import__('os')", 1, "__import__"),
        ("Tensor[" + "9" * 5000 + "]", 26, "9" * 18),
    ],
)
def test_anything_else_is_refused_and_says_where(text, column, found):
    with pytest.raises(TypeMismatch) as refused:
        parse_object(text)
    assert f"expected at column {column}, and {found!r} stands there" in refused.value.args[0]


def test_a_name_twice_in_a_record_is_refused():
    with pytest.raises(TypeMismatch, match="not named by"):
        parse_object("{w: Real, w: Real}")


def test_depth_is_no_limit():
    deep = parse_object("(" * 20_000 + "Real" + " ⇒ Real)" * 20_000)
    assert isinstance(deep, Fun)
