"""The loop under ``fold``, ``scan`` and ``map``: its types, its words, its parts."""

import pickle

import pytest

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Fun, Product, Real, Record, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.loops import (
    FOLD,
    FOLD_BACKWARDS,
    LOOP,
    MAP,
    SCAN,
    SCAN_BACKWARDS,
    LoopTerm,
    LoopType,
    is_map,
    loop_of,
    loop_term,
    looping,
    word_of,
)
from combinators.terms import Lam, Prim, Tuple, Var, const

V3, M3 = Tensor((3,)), Tensor((3, 2))
PAIR, ROW = Product(Real, V3), Tensor((2,))
TYPES = {
    FOLD: (Fun(Product(PAIR, ROW), PAIR), PAIR, M3),
    SCAN: (Fun(Product(PAIR, ROW), Product(PAIR, ROW)), PAIR, M3),
    MAP: (Fun(ROW, PAIR), M3),
}


def test_fold_scan_and_map_are_one_primitive():
    words = {FOLD: "fold", FOLD_BACKWARDS: "fold", SCAN: "scan", SCAN_BACKWARDS: "scan", MAP: "map"}
    for operation, word in words.items():
        assert operation.primitive is LOOP
        assert operation.name == word
        assert pickle.loads(pickle.dumps(operation)) == operation
    assert repr(FOLD_BACKWARDS) == "fold[reverse=True]"
    assert looping(carries=False, reverse=True) == MAP
    assert word_of() == "scan"


def test_the_type_of_a_loop():
    assert FOLD.type(*TYPES[FOLD]) is PAIR
    assert SCAN.type(*TYPES[SCAN]) is Product(PAIR, M3)
    assert MAP.type(*TYPES[MAP]) is Product(V3, Tensor((3, 3)))
    assert looping(carries=False).type(Fun(Real, Unit), V3) is Unit


@pytest.mark.parametrize("operation", TYPES)
def test_halves_and_joined_are_inverse(operation):
    types = LoopType.of(operation, TYPES[operation])
    assert types.length == 3
    assert types.row is ROW
    whole = operation.type(*TYPES[operation])
    halves = types.halves(whole, lambda obj, index: obj.parts[index])
    assert halves == (types.carry, types.stack)
    assert types.joined(*halves, Product) is whole


@pytest.mark.parametrize(
    ("operation", "types", "error", "says"),
    [
        (FOLD, (Real, Real, V3), TypeMismatch, "fold takes a function, and Real is not one"),
        (MAP, (Fun(Real, Real), Real), TypeMismatch, "map runs over the leading axis"),
        (MAP, (Fun(ROW, Real), V3), TypeMismatch, "map calls its function with Real"),
        (FOLD, (Fun(Product(Real, Real), ROW), Real, V3), TypeMismatch, "fold carries Real"),
        (SCAN, (Fun(Product(Real, Real), Real), Real, V3), TypeMismatch, "scan takes f(carry, x)"),
        (
            SCAN,
            (TYPES[SCAN][0], PAIR, Record.of(("a", "b"), Product(V3, M3))),
            TypeMismatch,
            "scan",
        ),
        (MAP, (Fun(Real, Real), Product(V3, ROW)), ShapeMismatch, "map runs over"),
        (FOLD, (Fun(Real, Real), V3), TypeMismatch, "fold takes a function, where to start, and"),
        (
            Operation(LOOP, (("carries", False), ("keeps", False))),
            (Fun(Real, Real), V3),
            TypeMismatch,
            "carries or keeps",
        ),
    ],
)
def test_errors_name_the_word(operation, types, error, says):
    with pytest.raises(error) as caught:
        operation.type(*types)
    assert says in caught.value.args[0]


def test_the_parts_of_a_loop_in_a_program():
    c, x, xs = Var("c", Real), Var("x", Real), Var("xs", V3)
    folded = loop_of(loop_term(FOLD, Lam((c, x), c), const(1.0), xs))
    assert folded is not None
    assert (folded.init, folded.xs) == (const(1.0), xs)
    assert folded.params(folded.function) == (c, (x,))
    both = Var("both", Product(Real, Real))
    assert folded.params(Lam((both,), c)) == (None, ())
    mapped = LoopTerm(loop_term(MAP, Lam((x,), x), None, xs))
    assert mapped.init is None
    assert mapped.params(mapped.function) == (None, (x,))
    assert is_map(mapped.term)
    assert not is_map(folded.term)
    assert loop_of(Tuple((xs,))) is None
    assert loop_of(Prim(MAP, (Lam((x,), x), xs))) == mapped
