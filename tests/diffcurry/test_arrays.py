"""Array programs written one element at a time, over the grid of element types and shapes."""

import copy
import pickle

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import DivisionByZero, DomainError, IndexOutOfRange, TypeMismatch

DTYPES = ["float64", "float32", "int64", "bool"]
SHAPES = [(), (3,), (0,), (2, 3), (0, 3), (3, 0)]
MODES = ["dependent", "simple", "forward"]
REDUCTIONS = ["sum", "max", "min", "prod", "mean", "any", "all"]
A = np.arange(1.0, 7.0).reshape(2, 3)


def array(shape, dtype):
    x = np.random.default_rng(7).normal(size=shape) * 3
    return np.asarray(x > 0) if dtype == "bool" else np.asarray(x, dtype=dtype)


def check(function, x, expected):
    """The value, as code and as an interpretation; and in every mode a gradient of its type."""
    made = dc.fun(function)
    for found in (made(x), made.evaluate((x,))):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    if x.dtype.kind != "f" or expected.dtype.kind != "f":
        return
    g = np.arange(1.0, expected.size + 1).reshape(expected.shape).astype(expected.dtype)
    one, *others = (
        dc.grad(lambda x: np.sum(function(x) * g), mode=mode)(x)
        for mode in (MODES if x.size else MODES[:2])
    )
    assert (one.dtype, one.shape) == (x.dtype, x.shape)
    for other in others:
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, shape, dtype):
    x, reduce = array(shape, dtype), getattr(np, name)
    for axis in (None, *range(len(shape))):
        extents = shape if axis is None else shape[axis : axis + 1]
        if 0 in extents and name in ("max", "min"):
            with pytest.raises(dc.ShapeMismatch, match=f"no {name} of no elements"):
                dc.fun(lambda x, axis=axis: reduce(x, axis=axis))(x)
            continue
        with np.errstate(all="ignore"):
            if 0 in extents and name == "mean":
                expected = np.full(np.sum(x, axis=axis).shape, np.nan, np.zeros(0, dtype).sum() / 2)
                kind = dtype if dtype.startswith("float") else "float64"
                expected = np.full(np.sum(x, axis=axis).shape, np.nan, kind)
            else:
                expected = np.asarray(reduce(x, axis=axis))
        check(lambda x, axis=axis: reduce(x, axis=axis), x, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_moves(shape, dtype):
    x = array(shape, dtype)
    moves = [
        lambda x: np.reshape(x, -1),
        np.transpose,
        lambda x: np.stack([x, x]),
        lambda x: np.where(x > 0, x, 0),
        lambda x: np.broadcast_to(x, (2, *x.shape)),
    ]
    if shape:
        moves += [lambda x: np.concatenate([x, x]), lambda x: np.cumsum(x, axis=0), np.flip]
    for move in moves:
        check(move, x, np.asarray(move(x)))
    check(lambda x: dc.replicate(2, x), x, np.stack([x, x]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_elements(shape, dtype, count):
    x = array(shape, dtype)
    shifted = np.zeros((count, *shape[1:]), dtype)
    turned = np.zeros((count, *shape[1:]), "int64" if dtype == "bool" else dtype)
    for i in range(count):
        if 0 <= i - 1 < shape[0]:
            shifted[i] = x[i - 1]
    for i in range(shape[0]):
        if 0 <= 2 - i < count:
            turned[2 - i] += x[i]
    check(lambda x: dc.build(count, lambda i: x[i - 1]), x, shifted)
    check(lambda x: dc.gather(shifted.shape, x, lambda i: i - 1), x, shifted)
    check(lambda x: np.take(x, dc.iota(count) - 1, axis=0), x, shifted)
    check(lambda x: dc.scatter(turned.shape, x, lambda i: 2 - i), x, turned)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_python_s_numbers_are_weak(dtype):
    x = A.astype(dtype)
    check(lambda x: dc.build((2, 3), lambda i, j: x[i, j] * 2.5 + 1), x, x * 2.5 + 1)
    check(
        lambda x: dc.build(2, lambda i: np.where(i > 0, x[i], 0.5)),
        x,
        np.stack([x[0] * 0 + 0.5, x[1]]).astype(dtype),
    )
    for text in (dc.fun(lambda x: x[0] * 2.0).source(x), dc.grad(lambda x: np.sum(x**2)).source(x)):
        assert "float64" not in text


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_loops_inside_build_and_outside(dtype):
    x = A.astype(dtype)

    def horner(x):
        return dc.build(2, lambda i: dc.fold(lambda c, r: c * r + x[i, 0], 1.0, x[i]))

    def products(x):
        def step(c, i):
            return c + dc.build(3, lambda j: x[i, j] * c[j])

        return dc.fold(step, np.ones(3, dtype), np.arange(2))

    def stacked(x):
        return dc.scan(lambda c, r: (c + 1, dc.build((2,), lambda i: x[i] * c)), 0.0, x[0])[1]

    check(horner, x, np.array([16, 268], dtype))
    check(products, x, np.array([10, 18, 28], dtype))
    check(stacked, x, np.stack([x * c for c in range(3)]).astype(dtype))


def test_outside_of_a_trace_they_compute_at_once():
    np.testing.assert_array_equal(dc.iota(3), [0, 1, 2])
    np.testing.assert_array_equal(dc.build((2, 2), lambda i, j: i * 10 + j), [[0, 1], [10, 11]])
    np.testing.assert_array_equal(dc.replicate(2, [1, 2]), [[1, 2], [1, 2]])
    np.testing.assert_array_equal(dc.gather((2,), A, lambda i: (i, 2)), [3.0, 6.0])
    np.testing.assert_array_equal(dc.scatter(3, np.arange(4.0), lambda i: -1), [0, 0, 0])
    assert dc.scatter([6], list(range(1, 10)), lambda i: i // 2).tolist() == [3, 7, 11, 15, 9, 0]
    assert dc.index(A, 1, -1) == 6.0
    assert dc.take(A, -1) == 6.0
    with pytest.raises(dc.ShapeMismatch, match="2 is out of range for axis 0"):
        dc.index(A, 2)


def test_what_a_function_is_given_reads_zero_outside():
    f = dc.fun(lambda a, i: (a[i], a[..., i]))
    for i in (-1, 3, 99):
        for part in f(A, i):
            assert not np.any(part)
    assert not np.any(dc.grad(lambda a, i: np.sum(a[i]))(A, -1))
    assert dc.fun(lambda i, j: (i // j, i % j))(7, 0) == (0, 0)


def ratio(a, i, n):
    row = a[i]
    return row[i // n]


FIRST = ratio.__code__.co_firstlineno


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: f,
        *(lambda f, mode=mode: dc.grad(f, mode=mode) for mode in MODES),
        dc.value_and_grad,
        dc.jacobian,
        dc.hessian,
        lambda f: lambda *args: dc.vjp(f, *args),
        lambda f: dc.fun(lambda *args: f(*args)),
        copy.deepcopy,
    ],
)
def test_a_checked_function_raises_in_every_derivative(transform):
    """The error names the user's line, the index, the axis and its extent."""
    f = transform(dc.fun(ratio, checked=True))
    f(A, 1, 1)
    for _ in range(2):  # the second call is quick
        with pytest.raises(IndexOutOfRange) as outside:
            f(A, 2, 1)
        assert str(outside.value).startswith(
            f"{__file__}:{FIRST + 1}: the index 2 is outside axis 0, of extent 2:"
        )
        with pytest.raises(DivisionByZero) as zero:
            f(A, 1, 0)
        assert f"{__file__}:{FIRST + 2}: an integer is divided by zero" in str(zero.value)
    f(A, 1, 1)


def test_a_checked_function_is_what_it_was():
    free, checked = dc.fun(ratio), dc.fun(ratio, checked=True)
    assert free(A, 1, 1) == checked(A, 1, 1)
    assert free(A, -1, 1) == 0.0
    np.testing.assert_array_equal(dc.grad(free)(A, 1, 1), dc.grad(checked)(A, 1, 1))
    assert dc.fun(checked) is checked
    assert dc.fun(checked, checked=True) is checked
    assert dc.fun(free, checked=True).checked
    with pytest.raises(IndexOutOfRange):
        pickle.loads(pickle.dumps(checked))(A, -1, 1)


def test_negative_powers_of_integers():
    """They are in branches not taken, too, which a build computes."""
    branch = dc.fun(
        lambda n: dc.build(4, lambda i: dc.cond(i >= n, lambda: 2 ** (i - n), lambda: 0))
    )
    chosen = dc.fun(lambda k: np.where(k >= 0, 2**k, 0))
    folded = dc.fun(lambda n: dc.fold(lambda c, i: c + n ** (i - 2), 0, dc.iota(4)))
    for _ in range(2):  # the second call is quick
        np.testing.assert_array_equal(branch(2), [0, 0, 1, 2])
        np.testing.assert_array_equal(branch.evaluate((2,)), [0, 0, 1, 2])
        np.testing.assert_array_equal(chosen(np.array([-1, 0, 2])), [0, 1, 4])
        np.testing.assert_array_equal(chosen.evaluate((np.array([-1, 0, 2]),)), [0, 1, 4])
        assert [folded(n) for n in (3, 1, 0, -1)] == [4, 4, 1, 0]
    np.testing.assert_array_equal(
        dc.build(4, lambda i: dc.cond(i > 1, lambda: 2 ** (i - 2), lambda: 0)), [0, 0, 1, 2]
    )


@pytest.mark.parametrize("transform", [lambda f: f, dc.grad, dc.value_and_grad, dc.jacobian])
def test_a_checked_function_takes_no_negative_power(transform):
    def powers(x, n, k):
        return np.sum(x * n**k)

    f = transform(dc.fun(powers, checked=True))
    for n in (3, np.array([3, 2])):
        f(2.0, n, 2)
        for _ in range(2):
            with pytest.raises(DomainError, match=r"test_arrays\.py:\d+: .* to the power -1"):
                f(2.0, n, -1)
        f(2.0, n, 2)


def test_checks_of_typed_functions_and_decorators():
    @dc.fun(dc.Tensor((3,)), dc.Int, checked=True)
    def taken(v, i):
        return v[i]

    @dc.fun(checked=True)
    def second(v: dc.Tensor((3,))) -> float:
        return dc.build(3, lambda i: v[i + 1])[1]

    assert taken(A[0], 2) == 3.0
    with pytest.raises(IndexOutOfRange, match="the index 3 is outside axis 0"):
        taken(A[0], 3)
    with pytest.raises(IndexOutOfRange, match="the index 3 is outside axis 0"):
        second(A[0])


def test_only_the_branch_that_is_taken_is_checked():
    f = dc.fun(lambda v, i: dc.cond(i < 3, lambda: v[i], lambda: 0.0), checked=True)
    assert (f(A[0], 1), f(A[0], 7)) == (2.0, 0.0)
    assert dc.grad(f)(A[0], 7).tolist() == [0.0, 0.0, 0.0]


def test_a_derivative_is_checked_by_its_function():
    with pytest.raises(TypeMismatch, match=r"grad\(fun\(f, checked=True\)\)"):
        dc.fun(dc.grad(ratio), checked=True)
