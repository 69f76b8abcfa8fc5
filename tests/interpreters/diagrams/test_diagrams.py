"""String diagrams: what is drawn is the program, every wire and box of it, each once."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Bool, Int, Real, Tensor
from diffcurry.picture import Picture
from interpreters.diagrams.drawing import string_diagram
from interpreters.diagrams.layers import laid_out
from interpreters.diagrams.parts import MOST
from interpreters.diagrams.svg import svg
from tests.interpreters.diagrams.pictures import FOLDER, PICTURES, closure

square = dc.fun(lambda a: a * a)


@dc.fun
def cell(h, x, w, u):
    return np.tanh(w @ h + u * x)


@dc.rec
def power(x: float, n: int) -> float:
    return dc.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


def steps(x):
    for _ in range(100):
        x = np.sin(x) * 1.5 + x
    return x


PROGRAMS = {
    "a product": dc.fun(lambda x, y: np.sin(x) * y + x, Real, Real),
    "a call": dc.fun(lambda x: square(x) + square(x + 1), Real),
    "a choice": dc.fun(lambda x: dc.cond(x > 0, lambda: x * 2, lambda: square(x)), Real),
    "a fold": dc.fun(lambda x: dc.fold(lambda c, a: np.tanh(c + a * x), 0.0, np.ones(3)), Real),
    "a scan of pairs": dc.fun(
        lambda x: dc.scan(lambda c, a: ((c[0] * a, c[1] + x), c[0]), (1.0, x), np.arange(4.0)), Real
    ),
    "a map": dc.fun(lambda xs: dc.map(lambda a: a * a, xs), Tensor((3,))),
    "a closure": closure,
    "recursion": dc.fun(lambda x: power(x, 3), Real),
    "the network": dc.fun(
        lambda w, u, xs: np.sum(dc.fold(lambda h, x: cell(h, x, w, u), np.zeros(3), xs)),
        Tensor((3, 3)),
        Tensor((3,)),
        Tensor((5,)),
    ),
    "many steps": dc.fun(steps, Real),
}
everywhere = pytest.mark.parametrize("name", PROGRAMS)


def diagrams(name):
    for derivative in (False, True):
        yield PROGRAMS[name].diagram(derivative=derivative).diagram


def labels(diagram):
    return sorted(box.label for page in diagram.pages() for box in page.boxes if box.kind == "box")


def test_the_boxes_are_the_operations_of_the_program():
    assert labels(PROGRAMS["a product"].diagram().diagram) == ["*", "+", "sin"]


def test_what_only_moves_values_is_wires():
    swapped = dc.fun(lambda x, y: (y, x), Real, Real).diagram().diagram
    assert swapped.boxes == []
    assert [wire.name for wire in swapped.outputs] == ["y", "x"]


@everywhere
def test_every_wire_comes_from_one_place_and_goes_to_one_place(name):
    for diagram in diagrams(name):
        for page in diagram.pages():
            begun = [*page.inputs, *(wire for box in page.boxes for wire in box.outputs)]
            ended = [*(wire for box in page.boxes for wire in box.inputs), *page.outputs]
            assert len(set(map(id, begun))) == len(begun)
            assert len(set(map(id, ended))) == len(ended)
            assert {id(wire) for wire in ended} <= {id(wire) for wire in begun}


@everywhere
def test_wires_have_the_types_of_the_diagrams_that_they_enter(name):
    for diagram in diagrams(name):
        for page in diagram.pages():
            for box in page.boxes:
                inputs = box.inputs[1:] if box.kind == "cond" else box.inputs
                for inner in box.inner if box.kind in ("cond", "curry") else ():
                    for outside, inside in zip(inputs, inner.inputs, strict=False):
                        assert outside.obj is inside.obj


@everywhere
def test_no_page_is_longer_than_can_be_read(name):
    for diagram in diagrams(name):
        for whole in (diagram, *diagram.definitions.values()):
            drawn = (box for page in whole.within() for box in page.boxes)
            assert sum(box.kind != "copy" for box in drawn) <= 2 * MOST


@everywhere
def test_boxes_do_not_overlap_and_every_box_is_right_of_what_it_takes(name):
    for diagram in diagrams(name):
        for page in (diagram, *diagram.definitions.values()):
            layout = laid_out(page)
            for layer in layout.layers:
                for above, below in pairwise(layer):
                    assert above.y + above.height <= below.y + 1e-6
            for _, way, _ in layout.ways:
                assert all(a.x + a.width <= b.x + 1e-6 for a, b in pairwise(way))


@everywhere
def test_the_picture_is_xml_and_has_each_box_once(name):
    for diagram in diagrams(name):
        root = ET.fromstring(svg(diagram))  # noqa: S314  # our own text
        shown = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert sorted(label for label in labels(diagram) if label in shown) == labels(diagram)


def test_a_function_that_has_a_name_is_drawn_once_and_is_a_box_where_it_is_called():
    diagram = PROGRAMS["the network"].diagram().diagram
    assert list(diagram.definitions) == ["cell"]
    (loop,) = (box for box in diagram.boxes if box.kind == "loop")
    assert [box.label for box in loop.inner[0].boxes] == ["cell"]
    assert loop.inner[0].inputs[loop.feedback].name == "h"


def test_two_functions_of_one_name_are_two_diagrams():
    def made(function):
        @dc.fun
        def cell(x):
            return function(x)

        return cell

    sine, cosine = made(np.sin), made(np.cos)
    drawn = dc.fun(lambda x: sine(x) + cosine(x) + sine(x * 2), Real).diagram().diagram
    inside = {name: [box.label for box in page.boxes] for name, page in drawn.definitions.items()}
    called = [box.label for box in drawn.boxes if box.kind == "call"]
    assert sorted(inside.values()) == [["cos"], ["sin"]]
    assert sorted(inside[name] for name in called) == [["cos"], ["sin"], ["sin"]]


def test_one_function_at_two_types_is_two_diagrams():
    @dc.fun
    def double(a):
        return a + a

    drawn = dc.fun(lambda x, v: double(x) + np.sum(double(v)), Real, Tensor((3,))).diagram().diagram
    assert {page.inputs[0].obj for page in drawn.definitions.values()} == {Real, Tensor((3,))}
    assert len({box.label for box in drawn.boxes if box.kind == "call"}) == 2


def test_a_recursive_function_is_led_back_into_its_body():
    (box,) = PROGRAMS["recursion"].diagram().diagram.definitions["power"].boxes
    assert box.inner[0].inputs[box.feedback].name == "power"


def test_cotangents_and_nothing_else_are_dashed():
    diagram = PROGRAMS["a product"].diagram(derivative=True).diagram
    (pullback,) = (box.inner[0] for box in diagram.boxes if box.kind == "curry")
    assert [wire.name for wire in pullback.inputs if wire.is_cotangent] == ["dy"]
    assert all(wire.is_cotangent for wire in pullback.outputs)
    assert not any(wire.is_cotangent for box in diagram.boxes for wire in box.outputs)
    cosine = next(box for box in pullback.boxes if box.label == "cos")
    assert not cosine.outputs[0].is_cotangent


def test_a_picture_is_saved_as_its_ending_says(tmp_path):
    picture = PROGRAMS["a fold"].diagram()
    picture.save(tmp_path / "fold.svg")
    picture.save(tmp_path / "fold.dot")
    assert (tmp_path / "fold.svg").read_text(encoding="utf-8") == picture._repr_svg_()
    assert (tmp_path / "fold.dot").read_text(encoding="utf-8").startswith("digraph {")
    with pytest.raises(dc.WrongMode, match=r"as \.svg or as \.dot"):
        picture.save(tmp_path / "fold.png")


@everywhere
def test_dot_names_each_end_of_each_edge(name):
    for derivative in (False, True):
        text = PROGRAMS[name].diagram(derivative=derivative).dot
        nodes = {line.split()[0] for line in text.splitlines() if "[shape=" in line}
        edges = [line.strip(" ;").split()[:3] for line in text.splitlines() if " -> " in line]
        assert edges
        assert {end for one, _, other in edges for end in (one, other.rstrip(";"))} <= nodes
        assert text.count("{") == text.count("}")


def test_what_has_no_cotangent_has_no_pullback_to_draw():
    with pytest.raises(dc.NotDifferentiable, match="no argument of this program"):
        dc.fun(lambda n, b: n + 1, Int, Bool).diagram(derivative=True)


def test_a_long_program_is_drawn_in_parts_and_each_step_once():
    lam = dc.fun(steps, Real).program().lam
    assert labels(string_diagram(lam)) == ["*"] * 100 + ["+"] * 100 + ["sin"] * 100


def test_a_picture_says_how_large_it_is():
    assert (
        repr(Picture.of(PROGRAMS["a product"].program().lam)) == "<diagram of a function: 4 boxes>"
    )


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_of_the_docs_are_as_drawn(name):
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == PICTURES[name].svg, "run `python -m tests.interpreters.diagrams.pictures`"
