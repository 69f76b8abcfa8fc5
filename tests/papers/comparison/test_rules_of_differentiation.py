"""002, 1.1.2: the cross rule and the linear rule, asked of forward mode on graphs (2.1)."""

from __future__ import annotations

from functools import partial

import pytest

from combinators.terms import Var
from combinators.value_folds import Layout
from interpreters.carriers.fractions import Fractions
from laws.checking import check_law
from laws.model import Signature
from laws.verdict import law_named
from papers.comparison.graphs import Drawing, Graph, forward
from papers.plain_functions import PlainFunctions


class OverAnyNumbers:
    """A category whose arrows wait for what a number is, as a program does."""

    def __getattr__(self, method):
        return partial(written, method)


def written(method, *args):
    def at(over):
        return getattr(PlainFunctions(over), method)(*(given(arg, over) for arg in args))

    return at


def given(arg, over):
    if isinstance(arg, list | tuple):
        return [given(one, over) for one in arg]
    return arg(over) if getattr(arg, "__name__", "") == "at" else arg


class ForwardOnGraphs:
    """``D[f](x, v)``: f's graph is drawn, and walked with dual numbers."""

    name = "forward mode on graphs"
    signature = Signature(
        functions=False, conditionals=False, integers=False, loops=False, records=False
    )
    category = OverAnyNumbers()
    over = Fractions()

    def run(self, arrow, point):
        return arrow(self.over)(point)

    def D(self, arrow, dom, cod):
        def at(over):
            return partial(self.moved, arrow, Layout(dom), Layout(cod))

        return at

    def moved(self, arrow, dom, cod, pair):
        x, dx = pair
        drawing = Drawing("z")
        inputs = tuple(Var(f"x{i}", obj) for i, obj in enumerate(dom.leaves))
        outputs = tuple(cod.flat(arrow(drawing)(dom.nested(inputs))))
        graph = Graph(inputs, tuple(drawing.lines), outputs)
        *_, memory = forward(graph, tuple(dom.flat(x)), tuple(dom.flat(dx)), self.over)
        return cod.nested([memory[node.name][1] for node in outputs])


@pytest.mark.parametrize("name", ["D-cross", "D-linear", "CD3a", "CD4a", "CD5"])
def test_forward_mode_on_graphs_keeps_the_rules(name):
    verdict = check_law(law_named(name), ForwardOnGraphs(), examples=25)
    assert verdict.outcome == "passed", verdict
