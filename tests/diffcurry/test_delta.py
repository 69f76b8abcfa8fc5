"""``mode="delta"``: gradients by dual arrays, as programs like any other."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import WrongMode
from combinators.kit.tree import size
from combinators.objects import Fun, Int, Product, Real, Tensor
from combinators.simplify import normal
from combinators.terms import Lam
from combinators.tracing.control import recompute
from diffcurry.modes import check_mode, written
from interpreters.cost import counted
from interpreters.staging.programs import gradient, pullback
from tests.interpreters.deltas.test_terms import figure_18
from tests.interpreters.modes.test_pushforward import PROGRAMS

Five = Tensor((5,))


def both(function, *types):
    """The gradient programs, simplified, by the dependently typed form and by dual arrays."""
    which = tuple(i for i, obj in enumerate(types) if obj is not Int)
    return [
        dc.value_and_grad(function, which, mode=mode).program(*_values(types)).lam
        for mode in ("dependent", "delta")
    ]


def _values(types):
    random = np.random.default_rng(3)
    return [_value(obj, random) for obj in types]


def _value(obj, random):
    if isinstance(obj, Product):
        return tuple(_value(part, random) for part in obj.parts)
    if obj is Int:
        return 2
    return 0.5 + random.random(obj.shape) if obj.shape else 0.5 + random.random()


SCALAR = [(f, types) for f, types in PROGRAMS if dc.fun(f, *types).program().cod is Real]


@pytest.mark.parametrize(("function", "types"), SCALAR)
def test_every_first_order_program_has_a_gradient_program(function, types):
    """Branches, loops, closures and functions of functions among them."""
    which = tuple(i for i, obj in enumerate(types) if obj is not Int)
    values = _values(types)
    expected = dc.value_and_grad(function, which)(*values)
    found = dc.value_and_grad(function, which, mode="delta")(*values)
    _assert_equal(found, expected)
    dependent, delta = both(function, *types)
    assert size(delta) <= size(dependent) * 1.1


def _assert_equal(found, expected):
    if isinstance(expected, tuple):
        for x, y in zip(found, expected, strict=True):
            _assert_equal(x, y)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(("function", "types"), PROGRAMS)
def test_pullbacks_of_results_of_any_first_order_type(function, types):
    values = _values(types)
    (value, pull), (y, pull_delta) = (
        dc.vjp(function, *values, mode=mode) for mode in ("dependent", "delta")
    )
    _assert_equal(y, value)
    cotangent = np.ones_like(value) if not isinstance(value, tuple) else (1.0, (2.0, 3.0))
    for _ in range(2):
        for x, expected in zip(pull_delta(cotangent), pull(cotangent), strict=True):
            if expected is not None:
                _assert_equal(x, expected)


PROGRAMS_OF_ARRAYS = [
    (lambda x, y: np.arctan2(x, y) * np.hypot(x, y), (Real, Real)),
    (lambda x, y: np.tanh(x / y) ** 2 / (x**y), (Real, Real)),
    (lambda a, b: np.sum(np.logaddexp(a, b) / a), (Five, Five)),
    (lambda a, b: np.sum(np.tanh(a[:, None] * b) @ b) / np.max(a), (Five, Five)),
    (lambda a, b: np.sum(np.where(a > 1.0, np.sqrt(a), b) * np.cumsum(a)), (Five, Five)),
    (lambda a, b: np.std(a) * np.var(b) / np.prod(a), (Five, Five)),
]


@pytest.mark.parametrize(("function", "types"), PROGRAMS_OF_ARRAYS)
def test_both_ways_the_program_costs_the_same(function, types):
    """What docs/delta.md says of the benchmarks; sums may stand in another order."""
    dependent, delta = map(counted, both(function, *types))
    assert delta.counts == dependent.counts
    assert delta.moved == dependent.moved
    assert abs(delta.lines - dependent.lines) <= 1


SELF_CONVOLUTION = """\
λ(a : Tensor[5]).
  v : Tensor[5] = take[axis=0] a [4, 3, 2, 1, 0]
  (
    sum[axis=(0,)] (a * v),
    λ(dy : Real).
      v1 : Tensor[5] = broadcast_to[shape=(5,)] (reshape[shape=(1,)] dy)
      (v1 · v + put[axis=0, extents=(5,)] (v1 · a) [4, 3, 2, 1, 0],),
  )"""


def self_convolution(a):
    """``t_sc`` of Fig. 18, with the gather of the identity being ``a`` itself."""
    return np.sum(a * np.take(a, a.shape[0] - 1 - np.arange(a.shape[0]), axis=0))


def test_the_self_convolution_comes_out_as_in_section_7_4():
    """``let shared1 = replicate n c in scatter (x₂ · shared1) … + scatter (x₁ · shared1) …``."""
    lam = dc.fun(self_convolution, Five).program().lam
    assert str(normal(pullback(lam, (0,), written("delta")))) == SELF_CONVOLUTION
    a = np.arange(5.0)
    np.testing.assert_equal(dc.grad(self_convolution, mode="delta")(a), 2 * a[::-1])
    np.testing.assert_equal(dc.grad(figure_18, mode="delta")(a), 2 * a[::-1])


def test_written_one_element_at_a_time_it_is_the_same_gradient():
    pointwise = lambda a: np.sum(dc.build(a.shape[0], lambda i: a[i] * a[a.shape[0] - 1 - i]))
    texts = [
        str(dc.grad(pointwise, mode=mode).program(np.ones(5))) for mode in ("dependent", "delta")
    ]
    assert texts[0] == texts[1]
    assert "map" not in texts[1]
    np.testing.assert_equal(dc.grad(pointwise, mode="delta")(np.arange(5.0)), [8, 6, 4, 2, 0])


def test_a_jacobian_is_written_in_bulk():
    """Appendix A: a pullback for every number of the result, all of them at once."""
    a = np.random.default_rng(1).standard_normal((4, 3))
    jacobian = dc.jacrev(lambda x: np.tanh(a @ x), mode="delta")
    x = np.array([0.1, -0.2, 0.3])
    np.testing.assert_allclose(jacobian(x), (1 - np.tanh(a @ x) ** 2)[:, None] * a, rtol=1e-12)
    assert "map" not in str(jacobian.program(x).bulk)


def test_sharing_is_global_and_a_doubling_stays_as_long_as_it_is():
    """The example of section 7.2, whose cotangents would double at each line."""

    def doubled(x):
        for _ in range(200):
            x = x + x
        return x

    lam = dc.fun(doubled, Real).program().lam
    assert size(gradient(lam, (0,), written("delta"))) < 6 * 200
    assert dc.grad(doubled, mode="delta")(1.0) == 2.0**200


def test_the_value_part_holds_no_derivatives_and_comes_first():
    """Equation (6): the primal computation, and then the evaluated Delta term."""
    lam = dc.fun(lambda x, y: np.sin(x * y) / y, Real, Real).program().lam
    made = gradient(lam, (0, 1), written("delta"))
    names = [bound.operation.name for _, bound in made.body.bindings if hasattr(bound, "operation")]
    assert names.index("divide") < names.index("unscale")
    assert isinstance(made, Lam)


def test_a_gradient_is_a_function_of_the_language_and_has_derivatives():
    cube = lambda x: x * x * x
    slope = dc.grad(cube, mode="delta")
    assert dc.grad(slope, mode="delta")(2.0) == 12.0
    assert dc.grad(dc.grad(slope))(2.0) == 6.0
    assert dc.jvp(slope, (2.0,), (1.0,)) == (12.0, 12.0)
    assert "def" in slope.source(2.0) if hasattr(slope, "source") else slope.program(2.0)
    assert dc.fun(lambda y: slope(y) * y)(2.0) == 24.0
    hessian = dc.jacrev(dc.grad(lambda v: np.sum(v * v * v), mode="delta"), mode="delta")
    np.testing.assert_equal(hessian(np.array([1.0, 2.0])), np.diag([6.0, 12.0]))


def test_recomputed_functions_and_rules_of_their_own():
    f = lambda x: recompute(lambda z: np.sin(z) * z)(x) * x
    assert dc.grad(f, mode="delta")(1.5) == pytest.approx(dc.grad(f)(1.5))
    ruled = dc.with_derivative(lambda x: x * x, lambda x, g: 5.0 * g)
    for mode in ("dependent", "delta"):
        assert dc.grad(lambda x: ruled(x) * x, mode=mode)(3.0) == 15.0 + 9.0
        assert dc.vjp(lambda x: ruled(x) * x, 3.0, mode=mode)[1](1.0) == (24.0,)


@pytest.mark.parametrize(
    "make",
    [
        lambda: dc.grad(lambda f: f(2.0), mode="delta")(lambda x: x * x),
        lambda: dc.vjp(lambda f: f(2.0), lambda x: x * x, mode="delta"),
        lambda: dc.vjp(lambda a: dc.fun(lambda x: x * a, Real), 2.0, mode="delta"),
        lambda: gradient(
            dc.fun(lambda f: f(2.0), Fun(Real, Real)).program().lam, (0,), written("delta")
        ),
    ],
)
def test_functions_as_arguments_or_results_are_refused(make):
    with pytest.raises(WrongMode, match=r"first-order.*2\.1"):
        make()


def test_the_mode_is_named_where_a_wrong_one_is_given():
    with pytest.raises(WrongMode, match="'delta'"):
        check_mode("deltas")


@pytest.mark.slow
def test_fifty_thousand_lines():
    def chain(x):
        for _ in range(50_000):
            x = np.sin(x)
        return x

    lam = dc.fun(chain, Real).program().lam
    assert size(gradient(lam, (0,), written("delta"))) < 10 * 50_000
