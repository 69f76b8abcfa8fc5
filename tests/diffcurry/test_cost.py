"""``cost``: at types nothing is run, and arguments choose the path."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import TypeMismatch
from diffcurry import Real, Tensor


@dc.fun
def kinked(x):
    return dc.cond(x > 0.0, lambda: x * x, lambda: np.exp(x) + x)


def test_at_types_the_dearest_path_is_counted_and_at_arguments_the_one_taken():
    assert not kinked.cost(Real).program.exact
    assert kinked.cost(Real).program.total == 3
    taken = kinked.cost(1.0).program
    assert (taken.exact, taken.counts, taken.moved) == (True, {"greater": 1, "multiply": 1}, 2)
    assert kinked.cost(-1.0).program.counts == {"add": 1, "exp": 1, "greater": 1}


def test_what_functions_that_are_arguments_cost_is_counted_in_the_run():
    function = dc.fun(lambda k, x: k(k(x)))
    assert function.cost(np.sin, 0.5).program.counts == {"sin": 2}
    assert function.cost(dc.Fun(Real, Real), Real).program.unknown == 2


def test_a_gradient_is_counted_and_certified():
    report = dc.fun(lambda x, y: x * y + np.sin(x)).cost(Real, Real)
    assert report.gradient.counts == {
        "add": 2,
        "cos": 1,
        "multiply": 1,
        "sin": 1,
    }
    assert report.certificate.holds
    assert [bound.law for bound in report.certificate.bounds] == [
        "law K1",
        "Theorem 5.4 of Huot & Shaikhha",
    ]


def test_the_gradient_of_a_conditional_is_counted_on_the_path_taken():
    assert not kinked.cost(Real).certificate.exact
    taken = kinked.cost(1.0)
    assert taken.certificate.exact
    assert taken.gradient.exact
    assert taken.certificate.holds


def test_with_functions_as_arguments_there_is_a_certificate_too():
    report = dc.fun(lambda k, x: k(k(x)) * x).cost(np.sin, 0.5)
    assert report.certificate.holds
    assert report.gradient.counts["cos"] == 2


SOURCE = [
    (lambda x, y: x * y + np.sin(x), (Real, Real)),
    (lambda a, b: np.sum(np.tanh(a * b)), (Tensor((9,)), Tensor((9,)))),
    (np.prod, (Tensor((9,)),)),
    (lambda a: dc.fold(lambda c, x: c * x, 1.0, a), (Tensor((9,)),)),
    (lambda a: np.sum(dc.map(lambda x: np.sum(a * x), a)), (Tensor((9,)),)),
    (lambda x, a, b, c: x, (Real, Tensor((99,)), Real, Real)),
]
OTHERS = [
    (lambda x: x / (1.0 + x * x), (Real,)),
    (lambda a: a[0], (Tensor((99,)),)),
    (lambda w, x: np.sum(np.tanh(w @ x)), (Tensor((3, 4)), Tensor((4,)))),
    (lambda w, xs: dc.fold(lambda c, x: np.tanh(c * w + x), 0.0, xs), (Real, Tensor((9,)))),
    (lambda a: dc.fold(lambda c, i: c + a[i] * a[8 - i], 0.0, np.arange(9)), (Tensor((9,)),)),
]


@pytest.mark.parametrize("program", [*SOURCE, *OTHERS])
def test_certificates_hold(program):
    function, types = program
    found = dc.fun(function).cost(*types).certificate
    assert found.holds, found
    assert found.exact
    assert len(found.bounds) == (2 if program in SOURCE else 1)


def test_declared_types_suffice():
    assert dc.fun(lambda x: x * x, Real).cost().program.total == 1


def test_a_result_that_is_no_real_has_no_gradient_and_says_so():
    report = dc.fun(lambda a: a * 2.0).cost(Tensor((3,)))
    assert report.gradient is None
    assert report.certificate is None
    assert "this gives Tensor[3]" in report.remark
    assert "exactly 3 operations" in str(report)


def test_types_and_values_do_not_mix():
    with pytest.raises(TypeMismatch, match="types for all arguments or values for all"):
        dc.fun(lambda x, y: x * y).cost(Real, 1.0)


def test_other_types_than_the_declared_are_refused():
    with pytest.raises(TypeMismatch, match="is declared at"):
        dc.fun(lambda x: x, Real).cost(Tensor((3,)))
