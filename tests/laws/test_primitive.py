"""What a primitive owes: each of the language's own, and wrong ones."""

import math
import re
import time

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import (
    DomainError,
    MissingRule,
    ShapeMismatch,
    TypeMismatch,
    WrongDerivative,
)
from combinators.objects import Real, Tensor
from combinators.operation import PRIMITIVES, Linear, Operation, Pair
from combinators.primitives.signatures import pointwise
from diffcurry.models import declaring
from diffcurry.models.primitives import PrimitiveModel
from interpreters.carriers.fractions import Fractions
from laws.checking import check
from laws.snippet import snippet
from laws.structures.primitive import LAWS
from laws.verdict import Verdict
from tests.combinators.primitives.test_transposes import CASES, Index
from tests.laws.asking import by_name, fails, holds

LAW = by_name(LAWS)
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def _sample(name, shapes, span, parameters):
    parameters = {k: bool(v) if k == "keepdims" else v for k, v in parameters.items()}
    values = [shape.values if isinstance(shape, Index) else shape for shape in shapes]
    given = {i: value for i, value in enumerate(values) if isinstance(value, np.ndarray)}
    types = tuple(
        Tensor(x.shape, x.dtype) if isinstance(x, np.ndarray) else Tensor(x) for x in values
    )
    operation = Operation(PRIMITIVES[name], tuple(parameters.items()))
    return PrimitiveModel(operation, types, span, given)


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_our_own_hold(case):
    model = _sample(*case)
    for law in LAWS:
        if law.structure.is_claimed_by(model):
            holds(law, model, 3)


@pytest.fixture
def declared():
    before = set(PRIMITIVES)
    yield _declared
    for name in set(PRIMITIVES) - before:
        del PRIMITIVES[name]


def _declared(derivative, value=lambda x: x * x, *, typing=pointwise):
    def odd(x):
        return value(x)

    return dc.primitive(derivative, typing=typing, check=False)(odd)


RIGHT = lambda v, x, y: dc.scale(v, 2.0 * x)
WRONG = {
    "T1": lambda of: of(RIGHT, lambda x: np.float32(x * x)),
    "T2a": lambda of: of(lambda v, x, y: v * v),
    "T2b": lambda of: of(lambda v, x, y: v * v),
    "T3": lambda of: of(
        Pair((lambda v, x, y: dc.scale(v, x),), lambda v, x, y: dc.scale(v, 2.0 * x))
    ),
    "T4": lambda of: of(lambda v, x, y: dc.scale(v, x)),
    "T5": lambda of: of(RIGHT),
    "T6": lambda of: of(lambda v, x, y: v * x),
    "T7a": lambda of: of(RIGHT, lambda x: x * np.max(x)),
    "T7b": lambda of: of(lambda v, x, y: dc.scale(v, 2.0 * np.sum(x))),
}


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name, declared):
    primitive = WRONG[name](declared)
    if name == "T5":
        primitive.on(Fractions)(lambda x: x * x + 1)
    model = PrimitiveModel(Operation(primitive.declared), (Real,))
    assert fails(LAW[name], model, 40).size <= 12


def test_slopes_are_as_precise_as_the_function_allows():
    from diffcurry.models.primitives import EXACT, PLAIN, WIDE, slope

    def only_doubles(x):
        return np.float64(np.sin(np.float64(x)))

    x, v = (np.float64(0.7),), (np.float64(2.0),)
    for function, off in ((lambda x: x**3, EXACT), (np.sin, WIDE), (only_doubles, PLAIN)):
        found, near = slope("odd", function, x, v)
        exact = 2 * (3 * 0.49 if off == EXACT else np.cos(0.7))
        assert near == pytest.approx(off * max(1.0, abs(exact)))
        assert abs(found - exact) <= near


@pytest.fixture(params=[True, False], ids=["hypothesis", "no hypothesis"])
def kit(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(declaring, "find_spec", lambda name: None)
    return request.param


class TestDeclaring:
    def test_it_says_which_laws_were_asked_and_where(self, declared):
        @dc.primitive(RIGHT)
        def odd(x):
            return x * x

        laws = "T1, T2a, T2b, T3, T4, T7a, T7b"
        assert odd.checked == f"{laws} at {declaring.EXAMPLES} random points"

    def test_it_says_that_none_were(self, declared):
        assert declared(RIGHT).checked == ""

    def test_the_error_shows_the_counterexample(self, kit, declared):
        with pytest.raises(WrongDerivative) as caught:

            @dc.primitive(lambda v, x, y, z: (dc.scale(v, y), dc.scale(v, 2.0 * x)))
            def odd(x, y):
                return x * y

        text = str(caught.value)
        found = re.search(
            r"argument 1, the rule gives (\S+) where the value changes by (\S+),", text
        )
        assert float(found[1]) == pytest.approx(2 * float(found[2]))
        assert re.search(r"at x = \(\S+, \S+\), v = \(0, ", text)
        assert "law T4" in text

    def test_without_the_kit_the_points_are_fixed(self, monkeypatch, declared):
        monkeypatch.setattr(declaring, "find_spec", lambda name: None)

        @dc.primitive(RIGHT)
        def odd(x):
            return x * x

        assert odd.checked.endswith(f"at {declaring.FIXED} fixed points, without hypothesis")

    def test_a_wrong_type_is_found(self, declared):
        with pytest.raises(WrongDerivative, match="law T1"):

            @dc.primitive(Linear(lambda v, x: v), typing=lambda x: Tensor((2,)))
            def odd(x):
                return x * x

    @pytest.mark.parametrize("wrong", [lambda x: x < 0, lambda x: x > 2, lambda x: x < -2])
    def test_rules_that_are_wrong_on_one_side_are_found(self, kit, wrong, declared):
        with pytest.raises(WrongDerivative, match="law T4"):

            @dc.primitive(lambda v, x, y: dc.scale(v, dc.where(wrong(x), 7.0, dc.cos(x))))
            def odd(x):
                return np.sin(x)

    @pytest.mark.parametrize(
        ("rule", "value", "domain"),
        [
            (lambda v, x, y: dc.scale(v, 1.0 / x), lambda x: np.log(-x), None),
            (lambda v, x, y: dc.scale(v, 1.0 / dc.sqrt(1.0 - x * x)), np.arcsin, None),
            (lambda v, x, y: dc.scale(v, 0.5 / y), lambda x: np.sqrt(x - 10.0), (11.0, 30.0)),
        ],
    )
    def test_a_domain_of_its_own(self, rule, value, domain, declared):
        @dc.primitive(rule, domain=domain)
        def odd(x):
            return value(x)

        assert "T4" in odd.checked
        assert check(odd, only=["T1", "T2a", "T3", "T4"], max_examples=10)

    def test_a_vector_of_a_domain(self, declared):
        @dc.primitive(lambda v, x, y: dc.scale(v, 1.0 / x), types=(Tensor((3,)),))
        def odd(x):
            return np.log(x)

        assert "T4" in odd.checked

    @pytest.mark.parametrize("value", [lambda x: np.sqrt(x - 10.0), lambda x: 1.0 / 0])
    def test_a_domain_without_points(self, value, declared):
        with pytest.raises(DomainError, match=r"odd: no point was found .*domain=\(low, high\)"):

            @dc.primitive(RIGHT)
            def odd(x):
                return value(x)

    def test_what_is_no_domain(self, declared):
        with pytest.raises(TypeMismatch, match="domain is two numbers"):
            dc.primitive(RIGHT, domain=(2.0, 1.0))(lambda x: x * x)

    def test_a_slow_function_is_asked_little(self, declared):
        calls = 0

        @dc.primitive(RIGHT)
        def odd(x):
            nonlocal calls
            calls += 1
            time.sleep(0.1)
            return x * x

        assert calls < 5 * declaring.PATIENCE / 0.1
        assert re.match(r"T1.*, T4.* at \d fixed points?, a call takes 0\.\d+ s", odd.checked)


def _doubled(x):
    return np.multiply(x, 2.0, out=x) if np.ndim(x) else 2.0 * x


def _refusing(error):
    def value(x):
        if np.ndim(x):
            raise error("no arrays")
        return x * x

    return value


class TestAtArrays:
    @pytest.mark.parametrize(
        ("rule", "value", "said"),
        [
            (lambda v, x, y: dc.scale(v, 0.0), lambda x: x - np.mean(x), "element by element"),
            (RIGHT, lambda x: x * np.max(x), r"T7a: p\(\[x, z\]\) = \[p\(x\), p\(z\)\] fails"),
            (RIGHT, lambda x: np.sum(x) ** 2, "T7a"),
            (lambda v, x, y: dc.scale(v, dc.cos(x)), math.sin, "T7a.*raises TypeError.*types="),
            (lambda v, x, y: 2.0 * v, _doubled, "writes into its argument"),
            (lambda v, x, y: dc.scale(v, 2.0 * np.sum(x)), lambda x: x * x, "T7b"),
        ],
    )
    def test_what_is_no_function_of_one_element_is_found(self, kit, rule, value, said, declared):
        with pytest.raises(WrongDerivative, match=said):

            @dc.primitive(rule)
            def odd(x):
                return value(x)

    def test_a_rule_that_fits_no_array(self, kit, declared):
        with pytest.raises(ShapeMismatch, match=r"rule of odd, at Tensor\[2\]: .*dc.scale\(v, 0"):

            @dc.primitive(lambda v, x, y: 0.0)
            def odd(x):
                return np.floor(x)

    def test_arguments_that_broadcast(self, kit, declared):
        @dc.primitive(lambda v, x, z, y: (dc.scale(v, z), dc.scale(v, x)))
        def odd(x, z):
            return x * z

        assert "T7b" in odd.checked

    def test_types_that_are_said_say_otherwise(self, kit, declared):
        @dc.primitive(lambda v, x, y: dc.scale(v, dc.cos(x)), types=(Real,))
        def odd(x):
            return math.sin(x)

        assert "T4" in odd.checked
        assert "T7" not in odd.checked
        assert "T7a" not in {verdict.law.name for verdict in check(odd, max_examples=5)}


class TestNotAsked:
    @pytest.mark.parametrize("error", [DomainError, MissingRule])
    def test_it_is_an_error(self, kit, error, declared):
        with pytest.raises(error, match=r"odd: law T7a .* could not be asked: .*no arrays"):

            @dc.primitive(RIGHT)
            def odd(x):
                return _refusing(error)(x)

    def test_a_function_that_is_none(self, monkeypatch, declared):
        fickle = lambda law, model, examples: Verdict(law, "odd", "failed", 1, 0.0, reason="fickle")
        monkeypatch.setattr("laws.checking.check_law", fickle)
        with pytest.raises(WrongDerivative, match=r"law T1 .* could not be asked: fickle"):

            @dc.primitive(RIGHT)
            def odd(x):
                return x * x

    @pytest.mark.parametrize(
        ("rule", "error", "said"),
        [
            (lambda v, x, y: None, TypeMismatch, r"gives no number \(is a return missing\?\)"),
            (lambda v, x, y: x > 0, TypeMismatch, "gives Bool for argument 0, where Real is"),
            (lambda v, x, y: "v", TypeMismatch, r"gives no number \(is a return missing\?\)"),
            (lambda v, x, y: {v}, TypeMismatch, "rule of odd, at Real: .*this is a set"),
            (lambda v, x, y: np.stack([v, v]), ShapeMismatch, "rule of odd, at Real"),
            (lambda v, x, y: np.linalg.norm(v), MissingRule, "numpy.linalg.norm is not in"),
        ],
    )
    def test_a_rule_that_is_none(self, kit, rule, error, said, declared):
        with pytest.raises(error, match=said):

            @dc.primitive(rule)
            def odd(x):
                return x * x

        assert "odd" not in PRIMITIVES


def importable(x):
    return np.sin(x)


class TestSnippets:
    @pytest.fixture
    def wrong(self, declared):
        return dc.primitive(lambda v, x, y: dc.scale(v, x), check=False)(importable)

    def test_what_a_module_has_is_imported(self, wrong, monkeypatch):
        monkeypatch.setitem(globals(), "importable", wrong)
        text = snippet(check(wrong, only=["T4"])["T4"].counterexample)
        assert f"from {__name__} import importable" in text
        assert "model = importable" in text
        with pytest.raises(AssertionError, match="T4 fails"):
            exec(text)

    def test_what_none_has_is_named(self, wrong):
        text = snippet(check(wrong, only=["T4"])["T4"].counterexample)
        assert "the one that was checked, primitive importable : Real: no module has it" in text

    def test_a_model_of_ours(self):
        from laws.snippet import Source, origin

        made = origin(PrimitiveModel(Operation(PRIMITIVES["sin"]), (Real,), (1.0, 2.0)), Source())
        assert made is not None
        assert made.startswith("PrimitiveModel(operation=Operation(named('sin')), types=(Real,), ")
