"""002, sections 2, 3, 5.1 and 6.1: the figures, definitions and examples, by their names."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import NotDifferentiable
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Product, Real, Tensor
from combinators.primitives.loops import LOOP
from combinators.terms import Prim
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from papers.comparison import linear_negation, monadic_translation
from papers.comparison.graphs import State, backprop, bp, forward, graph_of
from papers.comparison.linear_negation import LinearNegation, factored, transformed
from papers.plain_functions import evaluated
from tests.papers.comparison.examples import AT, FIGURE_1, doubled, lam_of, section_5_4

OVER = NumPy()


def rounded(memory):
    return {name: tuple(round(float(x), 3) for x in pair) for name, pair in memory.items()}


# ---- section 2


def test_figure_1_is_the_graph_of_its_term():
    assert [str(term) for _, term in FIGURE_1.hyperedges] == ["x1 - x2", "z1 * z1", "sin z2"]
    assert [node.name for node in (*FIGURE_1.inputs, *FIGURE_1.outputs)] == ["x1", "x2", "z3"]
    assert round(float(evaluated(FIGURE_1.term(), OVER)(*AT)), 3) == 0.412


def test_forward_mode_passes_through_the_memories_of_2_1():
    states = list(map(rounded, forward(FIGURE_1, AT, (1.0, 0.0), OVER)))
    assert len(states) == len(FIGURE_1) + 1
    assert states[1]["z1"] == (3, 1)
    assert states[2]["z2"] == (9, 6)
    assert states[3]["z3"] == (0.412, -5.467)


def test_backpropagation_passes_through_the_memories_of_2_2():
    states = [
        State(rounded(memory), marked) for memory, marked in backprop(FIGURE_1, AT, 1.0, OVER)
    ]
    after_forward = next(state for state in states if state.memory.get("z3", (0, 0))[1] == 1)
    assert after_forward.memory == {
        "x1": (5, 0),
        "x2": (2, 0),
        "z1": (3, 0),
        "z2": (9, 0),
        "z3": (0.412, 1),
    }
    assert [len(state.marked) for state in states] == [0] * 5 + [1, 2, 3]
    *_, second, first, last = (state.memory for state in states)
    assert second["z2"] == (9, -0.911)
    assert first["z1"] == (3, -5.467)
    assert last["x1"] == (5, -5.467)
    assert last["x2"] == (2, 5.467)


def test_every_hyperedge_is_marked_once_in_backpropagation():
    graph = graph_of(lam_of(doubled(12), 1.0))
    states = list(backprop(graph, (1.0,), 1.0, OVER))
    assert len(states) == 2 * len(graph) + 2


def test_backpropagation_keeps_one_memory_however_long_the_graph():
    graph = graph_of(lam_of(doubled(900), 0.0))
    memories = [memory for memory, _ in backprop(graph, (0.0,), 1e-9, OVER)]
    assert all(memory is memories[0] for memory in memories)


def test_figure_2_computes_what_backpropagation_computes():
    y, *slopes = evaluated(bp(FIGURE_1).term(), OVER)(*AT, 1.0)
    assert [round(float(x), 4) for x in (y, *slopes)] == [0.4121, -5.4668, 5.4668]


@pytest.mark.parametrize("times", [4, 8, 40])
def test_the_graph_of_the_gradient_is_linear_in_the_graph(times):
    graph = graph_of(lam_of(doubled(times), 1.0))
    assert len(bp(graph)) <= 3 * len(graph)


def test_a_branch_has_no_graph_and_says_so():
    f = lam_of(lambda x: dc.cond(x > 0, lambda: x, lambda: -x), 1.0)
    with pytest.raises(NotDifferentiable, match=r"a graph .* has no branches"):
        graph_of(f)


# ---- section 4


def test_the_diagram_of_4_1_reads_as_a_proof_net():
    def example(x1, x2):
        y = x1 - x2
        return dc.fun(lambda w: w * y, Real)(y)

    kinds = Counter(box.kind for box in dc.fun(example).diagram(*AT).diagram.boxes)
    assert {"copy": 1, "curry": 1, "eval": 1}.items() <= kinds.items()


# ---- linear negation: Definitions 3.1, 5.2 and 5.3


def test_definition_5_2_goes_through_the_types():
    negation = LinearNegation(Tensor((2,)), Names())
    number = Product(Real, Fun(Real, Tensor((2,))))
    assert negation.type(Real) is number
    assert negation.type(Fun(Real, Product(Real, Real))) is Fun(number, Product(number, number))


def test_definition_5_3_keeps_the_types_of_definition_5_2():
    lam = lam_of(section_5_4, *AT)
    negation = LinearNegation(Tensor((2,)), Names(("x1", "x2")))
    assert negation.term(lam).type is negation.type(lam.type)


@pytest.mark.parametrize("times", [4, 8, 12])
def test_linear_negation_calls_a_backpropagator_once_a_path(times):
    found = linear_negation.gradient(lam_of(doubled(times), 1.0), (1.0,), 1.0, OVER)
    assert found.visits == 2**times - 1
    assert found.cotangent == 2**times


@pytest.mark.parametrize("times", [4, 8, 12])
def test_linear_factoring_unfolds_a_backpropagator_once(times):
    term, steps = factored(lam_of(doubled(times), 1.0))
    assert steps["⊕"] == steps["•"] == times
    counting = Counting(OVER)
    assert evaluated(term, counting)(1.0, 1.0)[1] == (2**times,)
    assert counting.total == 2 * times


def test_the_term_before_factoring_takes_exponential_time():
    counting = Counting(OVER)
    linear_negation.gradient(lam_of(doubled(8), 1.0), (1.0,), 1.0, counting)
    assert counting.total >= 2**8


def test_an_ordinary_function_is_not_factored():
    square = dc.fun(lambda a: a * a, Real)
    term, _ = factored(lam_of(lambda x: square(x) + square(2 * x), 3.0))
    assert evaluated(term, OVER)(3.0, 1.0)[1] == (30,)


def test_the_rounds_of_a_loop_are_written_out():
    f = lam_of(lambda v: dc.fold(lambda c, x: c * x, 1.0, v), np.array([2.0, 3.0]))
    found = linear_negation.gradient(f, (np.array([2.0, 3.0]),), 1.0, OVER)
    assert found.cotangent.tolist() == [3, 2]
    assert not any(
        isinstance(node, Prim) and node.operation.primitive is LOOP
        for node in distinct_nodes(transformed(f))
    )


# ---- Krawiec and others: Figures 5, 7 and 8


@pytest.mark.parametrize(("times", "visits"), [(4, 21), (8, 41), (12, 61)])
def test_the_monadic_translation_goes_to_each_binding_once(times, visits):
    found = monadic_translation.gradient(lam_of(doubled(times), 1.0), (1.0,), 1.0, OVER)
    assert found.visits == visits
    assert found.cotangent == 2**times


@given(st.integers(1, 6), st.booleans())
def test_the_delete_of_figure_5_is_superfluous_as_footnote_7_says(times, deletes):
    lam = lam_of(doubled(times), 1.0)
    found = monadic_translation.gradient(lam, (1.0,), 1.0, OVER, deletes=deletes)
    assert found.cotangent == 2**times


def test_figure_7_differentiates_sums():
    either = dc.Sum(Real, Product(Real, Real))

    def f(x, y):
        made = dc.cond(
            x > y, lambda: dc.inject(either, 0, x * x), lambda: dc.inject(either, 1, (x, y))
        )
        return dc.case(made, lambda a: 3.0 * a, lambda p: p[0] * p[1])

    for point, slopes in (((2.0, 1.0), [12, 0]), ((1.0, 2.0), [2, 1])):
        found = monadic_translation.gradient(lam_of(f, *point), point, 1.0, OVER)
        assert found.cotangent.tolist() == slopes
