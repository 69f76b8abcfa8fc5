"""Lists and trees as machine code: read, folded, made, differentiated, given back."""

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

import diffcurry as dc
from interpreters.backends.llvm.native_program import NativeProgram
from tests.interpreters.backends.llvm.comparing import agrees, not_called, same


@dc.fun
def total(xs: list[float]):
    return dc.fold(lambda s, x: s * 0.9 + np.sin(x), 0.0, xs)


@dc.fun
def recurrent(w: float, xs: list[float]):
    return dc.fold(lambda state, x: np.tanh(w * state + x), 0.0, xs)


@dc.rec
def pairs(xs: list[float]) -> list[float]:
    return dc.case(xs, lambda: dc.nil, lambda x, rest: dc.cons(x, dc.cons(x * x, pairs(rest))))


@dc.fun
def large(xs: list[float]):
    keep = lambda kept, x: dc.cond(x > 1, lambda: dc.cons(x, kept), lambda: kept)
    return dc.fold(keep, dc.nil, xs, reverse=True)


@dataclass
class Leaf:
    value: float


@dataclass
class Fork:
    left: "Tree"
    weight: float
    right: "Tree"


Tree = Leaf | Fork


@dc.rec
def product(tree: Tree) -> float:
    def of_fork(fork):
        return np.sin(product(fork.left)) * fork.weight + product(fork.right)

    return dc.case(tree, lambda leaf: leaf.value, of_fork)


@dc.rec
def mirrored(tree: Tree) -> Tree:
    turned = lambda fork: Fork(mirrored(fork.right), fork.weight, mirrored(fork.left))
    return dc.case(tree, lambda leaf: Leaf(leaf.value * 2), turned)


def program(function, *args, otherwise=not_called):
    """The machine code of a function at the values that its door gives."""
    whole = dc.fun(function).program(*args)
    return whole._quick.border.entry(NativeProgram(whole._compiled, otherwise).function)


def holds(function, *args):
    """What the machine code gives is what Python gives."""
    found, true = program(function, *args)(args), dc.fun(function)(*args)
    assert repr(type(found)) == repr(type(true))
    same(flat(found), flat(true), rtol=1e-12)


def flat(value):
    if isinstance(value, list | tuple):
        return tuple(map(flat, value))
    return tuple(map(flat, vars(value).values())) if hasattr(value, "__dict__") else value


LISTS = ([], [1.0], [1.0, 2.5, 0.5, -3.0])


@pytest.mark.parametrize("xs", LISTS)
def test_lists_are_read_folded_made_and_given_back(xs):
    for function in (total, pairs, large, lambda xs: total(pairs(xs))):
        holds(dc.fun(function, dc.List(dc.Real)), xs)


@pytest.mark.parametrize("xs", LISTS)
def test_gradients_by_lists_are_lists(xs):
    twice = dc.fun(lambda xs: total(pairs(xs)) + total(large(xs)), dc.List(dc.Real))
    holds(dc.grad(total), xs)
    holds(dc.grad(twice), xs)
    holds(dc.value_and_grad(recurrent, argnums=(0, 1)), 0.5, xs)
    squared = dc.fun(lambda w, xs: dc.grad(recurrent)(w, xs) ** 2, dc.Real, dc.List(dc.Real))
    holds(dc.grad(squared, argnums=(0, 1)), 0.5, xs)


def test_lists_of_arrays_of_truths_and_of_lists():
    rows = [np.array([1.0, 2.0]), np.array([0.5, -1.0])]
    norm = dc.fun(lambda xs: dc.fold(lambda s, x: s + x @ x, 0.0, xs), dc.List(dc.Tensor((2,))))
    doubled = dc.fun(lambda xs: dc.map(lambda x: 2.0 * x, xs), dc.List(dc.Tensor((2,))))
    for function in (norm, dc.grad(norm), doubled):
        holds(function, rows)
    opposite = dc.fun(lambda xs: dc.map(lambda x: np.logical_not(x), xs), dc.List(dc.Bool))
    holds(opposite, [True, False, False])
    table = dc.List(dc.List(dc.Real))
    holds(dc.fun(lambda xs: dc.fold(lambda s, x: s * total(x), 1.0, xs), table), [[1.0, 2.0], []])
    holds(
        dc.grad(dc.fun(lambda xs: dc.fold(lambda s, x: s + total(x), 1.0, xs), table)), [[1.0], []]
    )


def powers(x, n):
    """The list of x, x², …, made and folded inside: guarded, and in memory full of garbage."""

    @dc.rec
    def made(y: float, k: int) -> list[float]:
        return dc.cond(k == 0, lambda: dc.nil, lambda: dc.cons(y, made(y * x, k - 1)))

    return total(made(x, n)) + total(pairs(made(np.sin(x), n)))


def test_lists_that_are_made_inside():
    agrees(powers, 0.5, 6)
    agrees(dc.grad(powers), 0.5, 6)
    agrees(dc.grad(lambda x: dc.grad(powers)(x, 6) ** 2), 0.5, rtol=1e-9)
    agrees(lambda x: dc.jvp(lambda x: powers(x, 6), (x,), (1.0,)), 0.5)


def test_a_value_that_is_not_of_its_type_is_left_to_python():
    native = NativeProgram(total.program([1.0])._compiled, lambda *args: "Python").function
    fine = (1, (2.0, (0, ())))
    assert native(fine) == np.sin(2.0)
    for wrong in (
        1.0,
        None,
        (1, (1.0, None)),
        (1, 2.0),
        (2, ()),
        (1, (2.0, (0, ()), 3)),
        (1, ("x", (0, ()))),
        ("1", ()),
    ):
        assert native(wrong) == "Python"


def test_machine_code_makes_the_records_of_a_long_list_one_after_the_other():
    xs = [0.3] * 200_000
    native = program(total, xs)
    assert abs(native((xs,)) - np.sin(0.3) / 0.1) < 1e-9


def test_trees_are_folded_made_and_differentiated():
    tree = Fork(Fork(Leaf(1.0), 2.0, Leaf(0.5)), -1.0, Fork(Leaf(3.0), 0.5, Leaf(2.0)))
    for function in (product, mirrored, dc.grad(product)):
        holds(function, tree)

    def whole(tree: Tree) -> float:
        return product(mirrored(tree)) * product(tree)

    holds(dc.grad(dc.fun(whole)), tree)
    holds(product, Leaf(2.0))
