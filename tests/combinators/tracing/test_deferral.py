"""Chains of functions are traced however long they are; what Python's stack cannot hold says so."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.tracing import definition
from diffcurry import Real, TooDeep, cond, fun, grad


def chain(length, *types):
    def link(g):
        return fun(lambda x: g(x) + 1.0, *types)

    f = fun(lambda x: x * 2.0, *types)
    for _ in range(length):
        f = link(f)
    return f


@pytest.mark.parametrize("types", [(), (Real,)], ids=["untyped", "typed"])
def test_functions_that_call_the_one_before_need_no_stack(types):
    f = chain(3000, *types)
    assert f(1.0) == 3002.0
    assert grad(f)(1.0) == 2.0
    assert dc.vjp(lambda h, x: h(x), f, 1.0)[1](1.0)[1] == 2.0


def test_each_of_them_is_traced_at_most_twice():
    runs = 0

    def link(g):
        def body(x):
            nonlocal runs
            runs += 1
            return g(x)

        return fun(body)

    f = fun(lambda x: x)
    for _ in range(500):
        f = link(f)
    f(1.0)
    assert runs <= 1000


def test_a_circle_of_functions_is_an_error():
    links = [fun(lambda x, i=i: links[(i + 1) % 40](x)) for i in range(40)]
    with pytest.raises(dc.TypeMismatch, match="calls itself by way of others; write it with rec"):
        links[0](1.0)


def test_a_function_that_calls_itself_at_ever_other_types_is_an_error(monkeypatch):
    grows = fun(lambda x: grows(np.concatenate([x, x[:1]])))
    monkeypatch.setattr(definition, "MOST_TYPES", 100)
    with pytest.raises(dc.TypeMismatch, match=r"<lambda> calls itself at ever other types; .* rec"):
        grows(np.ones(2))


def plain(x):
    return plain(2.0 * x)


def factorial(n):
    return cond(n > 0, lambda: n * factorial(n - 1), lambda: 1.0)


def even(n):
    return cond(n == 0, lambda: True, lambda: odd(n - 1))


def odd(n):
    return cond(n == 0, lambda: False, lambda: even(n - 1))


@pytest.mark.parametrize(
    ("function", "name"), [(plain, "plain"), (factorial, "factorial"), (even, "even")]
)
@pytest.mark.parametrize("verb", [fun, grad, lambda f: lambda x: dc.vjp(f, x)])
def test_a_function_of_python_that_calls_itself_without_end_is_named_and_so_is_rec(
    function, name, verb
):
    with pytest.raises(TooDeep, match=f"{name} calls itself .* times, .* rec, as in rec") as caught:
        verb(function)(3.0)
    assert caught.value.place.file == __file__
    assert caught.value.place.line > plain.__code__.co_firstlineno


def branches(depth):
    def program(x):
        def go(k):
            return x * 1.0 if k == 0 else cond(x > float(k), lambda: go(k - 1), lambda: x)

        return go(depth)

    return program


def test_a_hundred_branches_stand_inside_one_another_and_a_thousand_say_that_they_do_not():
    assert grad(branches(100))(1000.0) == 1.0
    with pytest.raises(TooDeep, match="Python's stack"):
        grad(branches(1000))(1.0)
    assert grad(branches(100))(1000.0) == 1.0


def test_a_container_too_deep_is_an_error_of_ours():
    nested = [1.0]
    for _ in range(2000):
        nested = [nested]
    with pytest.raises(RecursionError) as caught:
        grad(lambda x: 1.0)(nested)
    assert isinstance(caught.value, TooDeep)


def test_an_error_that_is_caught_leaves_the_trace_as_it_was():
    def program(x):
        broken = fun(lambda y: y + "a")
        try:
            broken(x)
        except TypeError:
            return np.sin(x) * 2.0
        return x

    assert grad(program)(0.0) == 2.0
