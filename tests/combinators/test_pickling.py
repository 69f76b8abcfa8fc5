"""Programs survive a pickle, in another process too, with sharing, names and lines."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.errors import TypeMismatch
from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.morphisms import Curry
from combinators.objects import Fun, Product, Real, Record, Tensor, Unit, Vector
from combinators.operation import PRIMITIVES, Operation, declare, named
from combinators.terms import App, Lam, Prim
from combinators.tracing.control import fold
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.translate import translate

ROOT = Path(__file__).resolve().parents[2]


@Definition
def square(t):
    return t * t


def program(w, xs):
    return fold(lambda c, z: square(c) * w + square(z), 0.0, xs)


TYPES = (Real, Tensor((3,)))
LAM = Definition(program, TYPES).specialise(TYPES, tuple(map(face_of, TYPES))).lam
ARROW = translate(LAM.params, LAM.body)


@pytest.mark.parametrize("node", [LAM, ARROW], ids=["term", "arrow"])
def test_a_program_is_read_back(node) -> None:
    read = pickle.loads(pickle.dumps(node))
    assert read == node
    assert hash(read) == hash(node)
    assert str(read) == str(node)
    assert repr(read) == repr(node)
    assert len(list(distinct_nodes(read))) == len(list(distinct_nodes(node)))


def test_names_and_lines_are_kept() -> None:
    read = pickle.loads(pickle.dumps(LAM))
    names = {node.name for node in distinct_nodes(read) if isinstance(node, Lam)}
    assert names == {"program", "square", ""}
    places = [node.place for node in distinct_nodes(read) if isinstance(node, (App, Prim))]
    assert places
    assert all(place.file == __file__ for place in places)
    arrow = pickle.loads(pickle.dumps(ARROW))
    assert ("w",) in [node.names for node in distinct_nodes(arrow) if isinstance(node, Curry)]


def test_another_process_reads_the_same() -> None:
    code = (
        "import sys, pickle, combinators.primitives\n"
        "node = pickle.load(sys.stdin.buffer)\n"
        "sys.stdout.buffer.write(pickle.dumps((str(node), node)))"
    )
    written = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(LAM),
        capture_output=True,
        check=True,
        cwd=ROOT,
    ).stdout
    text, read = pickle.loads(written)
    assert text == str(LAM)
    assert read == LAM


@pytest.mark.parametrize(
    "obj",
    [Real, Unit, Product(Real, Unit), Record(a=Real), Vector(Fun(Real, Real), 3), Fun(Unit, Real)],
    ids=repr,
)
def test_types_are_read_back_as_themselves(obj) -> None:
    assert pickle.loads(pickle.dumps(obj)) is obj


def test_literals_are_read_back_bit_by_bit() -> None:
    for value in (
        0.0,
        -0.0,
        float("nan"),
        3,
        True,
        np.float32(1.5),
        [[1.0, 2.0]],
        np.zeros((0, 2)),
    ):
        assert pickle.loads(pickle.dumps(Literal(value))) == Literal(value)


def test_one_number_everywhere_is_written_once() -> None:
    big = Literal.filled(2.0, Tensor((1000, 1000)))
    written = pickle.dumps(big)
    assert len(written) < 1000
    assert pickle.loads(written) == big
    assert not any(pickle.loads(written).array.strides)


def test_an_unknown_primitive_says_what_to_import() -> None:
    made = declare("of_a_library", lambda x: x, None)
    written = pickle.dumps(Operation(made))
    assert pickle.loads(written) == Operation(named("of_a_library"))
    del PRIMITIVES["of_a_library"]
    with pytest.raises(TypeMismatch, match="no primitive named 'of_a_library' here; import what"):
        pickle.loads(written)
