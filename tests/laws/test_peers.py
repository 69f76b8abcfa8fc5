"""JAX and autograd under the laws: what they keep, and what the docs say they fail."""

import numpy as np
import pytest

from combinators.errors import MissingRule
from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Primitive, prod
from combinators.objects import Real, Tensor, Unit
from combinators.operation import Operation, named
from diffcurry.models.programs import Programs
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent
from laws import peers
from laws.checking import check
from laws.peers import asked
from laws.verdict import replay

WHY = "{0} is not installed; pip install 'diffcurry[peers]' brings it"
PEERS = {"jax": peers.JAX, "autograd": peers.Autograd}
KEPT = {
    "jax": ["C3", "P1a", "S3", "A1a", "CD5", "CD7", "RD5", "RD6", "L3", "RD8", "L6-P"],
    "autograd": ["C3", "P1a", "S3", "A1a", "CD2a", "CD5", "CD7", "RD9b"],
}
TIES = ["RD8", "L3", "RD5", "CD5", "RD7", "CD2a"]
KINKED = peers.first_order({"maximum": 2, "absolute": 1}, ("max",), arrays=False)


def made(name, *args, **keywords):
    pytest.importorskip(name, reason=WHY.format(name))
    return PEERS[name](*args, **keywords)


def pointwise(name, types=(Real,)):
    return Primitive(Operation(named(name)), types)


def number(x, obj=Real):
    return Constant(Unit, Literal(np.full(obj.shape, x)))


SQRT, OVER_ITSELF = (
    pointwise("sqrt"),
    prod(Real, Id(Real), Id(Real)) >> pointwise("divide", (Real,) * 2),
)
SPREAD = Primitive(Operation(named("broadcast_to"), (("shape", (1,)),)), (Real,))
PAIR = Tensor((2,))
PRODUCT = Primitive(Operation(named("prod"), (("axis", (0,)), ("keepdims", False))), (PAIR,))

ALONG_ZERO = {"law": "CD2b", "objects": {"A": Real, "B": Real}}
UNTAKEN = {
    "law": "L6-true",
    "objects": {"A": Real, "B": Real},
    "arrows": {"f": Id(Real), "g": SQRT},
    "point": prod(Unit, number(0.0), number(0.0)),
}
SPREADING = {
    "law": "RD5",
    "objects": {"A": Real, "B": Real, "C": Tensor((1,))},
    "arrows": {"f": Id(Real), "g": SPREAD},
    "point": prod(Unit, number(0.0), number(0.0, Tensor((1,)))),
}
ROOT = {**ALONG_ZERO, "arrows": {"a": number(0.0), "f": SQRT}}
RATIO = {**ALONG_ZERO, "arrows": {"a": number(0.0), "f": OVER_ITSELF}}
FACTORS = {
    "law": "RD2b",
    "objects": {"A": PAIR, "B": Real},
    "arrows": {"a": number(0.0, PAIR), "f": PRODUCT},
}
PULLED_ROOT = {"law": "RD2b", "objects": {"A": Real, "B": Real}, "arrows": ROOT["arrows"]}
FAILED = [
    ("autograd", {}, SPREADING),
    ("autograd", {}, FACTORS),
    ("autograd", {}, ROOT),
    ("autograd", {}, PULLED_ROOT),
    ("jax", {}, ROOT),
    ("jax", {}, RATIO),
    ("jax", {"branches": "where"}, UNTAKEN),
]
HELD = [
    ("jax", {}, SPREADING),
    ("jax", {}, FACTORS),
    ("jax", {}, UNTAKEN),
    ("autograd", {}, UNTAKEN),
]


def ids(cases):
    return ["-".join((name, *keywords.values(), case["law"])) for name, keywords, case in cases]


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_smooth_programs_keep_the_laws(name):
    model = made(name, peers.first_order(arrays=name == "jax"))
    report = check(model, only=KEPT[name], max_examples=10)
    assert len(report) == len(KEPT[name])
    assert report, report


@pytest.mark.parametrize("name", PEERS)
def test_forward_and_reverse_agree_at_ties(name):
    report = check(made(name, KINKED), only=TIES, max_examples=10)
    assert report, report


@pytest.mark.parametrize(("name", "keywords", "case"), FAILED, ids=ids(FAILED))
def test_what_they_fail(name, keywords, case):
    verdict = replay(made(name, **keywords), **case)
    assert verdict.outcome == "failed"


@pytest.mark.parametrize(("name", "keywords", "case"), HELD, ids=ids(HELD))
def test_what_the_other_keeps(name, keywords, case):
    assert replay(made(name, **keywords), **case)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", [SPREADING, FACTORS, ROOT, PULLED_ROOT, RATIO, UNTAKEN])
def test_we_keep_them(case):
    model = Programs(NumPy()) if case["law"] == "CD2b" else Dependent(NumPy())
    assert replay(model, **case)


def test_a_missing_module_is_said():
    with pytest.raises(MissingRule, match=r"pip install 'diffcurry\[peers\]'"):
        asked("no_such_module_of_arrays")
    assert asked("numpy") is np
