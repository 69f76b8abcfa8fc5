"""Functions as arguments, in the many ways in which Python makes them."""

import copy
import functools
import pickle
import threading

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Real, fun, grad, vjp
from diffcurry.transforms import function_at_once


def twice(g, x):
    return g(x) + g(x)


def test_untyped_functions_take_untyped_functions():
    assert grad(lambda f, g, x: f(g) * x, argnums=2)(lambda h: h(2.0), lambda z: z * z, 3.0) == 4.0


def test_a_function_that_calls_itself_through_its_argument_is_no_recursion():
    apply_twice = fun(lambda g, x: g(g(x)))
    program = fun(lambda x: apply_twice(lambda z: apply_twice(lambda y: y * 2.0, z), x))
    assert program(1.0) == 16.0


def test_threads_trace_one_function_at_once():
    square = fun(lambda x: x * x)
    found = []
    threads = [
        threading.Thread(target=lambda i=i: found.append(grad(fun(lambda x: square(x) * i))(1.0)))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [2.0 * i for i in range(8)]


@pytest.mark.parametrize(
    "g",
    [
        functools.partial(np.multiply, 3.0),
        functools.partial(lambda a, /, z: a * z, 3.0),
        functools.partial(lambda *a: a[0] * a[1], 3.0),
        functools.partial(lambda z, a: a * z, a=3.0),
        functools.partial(lambda a, z, kind: a * z if kind == "times" else z, 3.0, kind="times"),
        functools.partial(fun(lambda a, z: a * z), 3.0),
        functools.partial(lambda h, a, z: h(a) * z, fun(lambda a: a * 1.0), 3.0),
    ],
)
def test_partial_binds_as_python_does(g):
    _, pullback = vjp(twice, g, 2.0)
    captured, x = pullback(1.0)
    assert list(captured.values()) == [4.0]
    assert x == 6.0


def test_a_part_of_a_container_is_captured_by_its_path():
    _, pullback = vjp(lambda p: fun(lambda z: z * p["w"][0] * p["b"], Real), {"w": [2.0], "b": 3.0})
    assert pullback({"p_w_0": 1.0})[0] == {"b": 0.0, "w": [1.0]}


def test_what_is_only_passed_on_is_passed_whole():
    cell = fun(lambda p, h: np.tanh(p["w"] * h + p["b"]))

    def program(p, h):
        return dc.fold(lambda h, x: cell(p, h) + x, h, np.ones(3))

    shown = repr(fun(program).program({"w": 1.0, "b": 2.0}, 0.5))
    assert "(p, h1)" in shown


def test_a_vector_of_functions_is_indexed():
    def program(x):
        functions = dc.map(lambda a: fun(lambda z: z * a + x, Real), np.arange(3.0))
        return functions[-1](x) + functions[1](1.0)

    for mode in ("dependent", "simple", "forward"):
        assert grad(program, mode=mode)(2.0) == 4.0
    with pytest.raises(dc.TypeMismatch, match="a vector takes one integer"):
        fun(lambda x: dc.map(lambda a: fun(lambda z: z * a, Real), np.arange(3.0))[3](x))(1.0)


def test_a_list_of_arrays_is_the_tuple_that_it_is_everywhere():
    def step(c, rows):
        return c + rows[0] * rows[1]

    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert dc.fold(step, 0.0, [a, b]) == 11.0
    assert fun(lambda a, b: dc.fold(step, 0.0, [a, b]))(a, b) == 11.0


def test_a_python_float_is_weak_in_a_carry():
    rows = np.ones(3, np.float32)
    assert dc.fold(lambda c, x: c + x, 0.0, rows).dtype == np.float32
    assert dc.fold(lambda c, x: c + 1, 0, rows).dtype == np.int64


def test_a_method_is_a_function_of_its_arguments():
    class Model:
        scale = 3.0

        @fun
        def predict(self, x):
            return self.scale * x

    assert Model().predict(2.0) == 6.0
    assert grad(Model().predict)(2.0) == 3.0


def test_keywords_leave_other_defaults_alone():
    def program(x, axis=None, name="unused"):
        return np.sum(x * x, axis=axis)

    assert grad(program)(x=np.ones(2)).tolist() == [2.0, 2.0]


def test_a_returned_function_is_pickled_and_copied():
    outer = fun(lambda a: fun(lambda z: z * a * a, Real))(3.0)
    again = pickle.loads(pickle.dumps(outer))
    assert again(2.0) == outer(2.0) == 18.0
    assert dict(again.captured) == dict(outer.captured)
    assert copy.deepcopy(outer) is outer


def test_calls_that_give_functions_are_merged_inside():
    def program(g, x):
        return g(x)(x) * 0.0 + g(x)(x) * 0.0

    g = fun(lambda a: fun(lambda z: a * z, Real), Real)
    _, pullback = vjp(program, g, 2.0, mode="simple")
    assert pullback(1.0)[0].merged() == []


def test_calls_are_compared_by_their_numbers():
    _, pullback = vjp(twice, lambda z: z, 2.0, mode="simple")
    calls, _ = pullback(1.0)
    assert calls == [(2, 1), (2, 1)]
    assert calls != "ab"
    assert calls != [1, 2]


def test_the_cotangent_of_a_vector_has_its_length():
    def program(x):
        return dc.map(lambda a: fun(lambda z: z * a * x, Real), np.arange(3.0))

    _, pullback = vjp(program, 2.0)
    for wrong in ([[(1.0, 1.0)]], 3.0):
        with pytest.raises(dc.TypeMismatch, match="a sequence of 3"):
            pullback(wrong)
    assert pullback([[(1.0, 1.0)], None, [(1.0, 1.0)]]) == (2.0,)


@pytest.mark.parametrize(
    ("types", "value"),
    [
        ((dc.Int,), np.uint64(2**64 - 1)),
        ((dc.Tensor((1,), "int8"),), np.array([300])),
        ((dc.Tensor((), "int8"),), 300),
    ],
)
def test_a_number_that_does_not_fit_its_type_is_an_error(types, value):
    with pytest.raises(dc.TypeMismatch):
        fun(lambda x: x, *types)(value)


def test_a_python_integer_too_large_for_the_array_is_an_error():
    with pytest.raises(dc.TypeMismatch, match="300 does not fit into uint8"):
        fun(lambda x: x + 300)(np.array([1], np.uint8))


def test_a_masked_array_does_not_lose_its_mask():
    with pytest.raises(dc.TypeMismatch, match="mask"):
        grad(np.sum)(np.ma.array([1.0, 2.0], mask=[0, 1]))


def test_deep_towers_of_closures_do_not_crash_the_compiled_code():
    def tower(x):
        rows = np.full(5_000, 1 / 5_000)
        start = fun(lambda z: z * x, Real)
        return dc.fold(lambda g, r: fun(lambda z: g(z) + r, Real), start, rows)(x)

    whole = fun(tower)
    for _ in range(2):
        assert abs(whole(2.0) - 5.0) < 1e-9
    assert abs(dc.grad(tower)(2.0) - 4.0) < 1e-9


def test_a_ufunc_that_is_pulled_back_again_is_compiled_once():
    assert function_at_once(np.sin) is function_at_once(np.sin)
    assert dc.vjp(np.sin, 1.0)[1](1.0) == (np.cos(1.0),)
