"""What waits while a program is written on XLA is an array wherever one is asked for."""

import numpy as np
import pytest

import diffcurry as dc
from diffcurry.program import folded
from interpreters.backends.xla import compile_program
from tests.interpreters.backends.xla.comparing import asked, on_xla, same

jax = asked()
U = np.arange(1.0, 7.0).reshape(2, 3)

WAITING = {
    "a border": lambda u: dc.build((2, 4), lambda i, j: u[i, j - 1]),
    "a window": lambda u: dc.grad(lambda u: np.sum(u[:, 1:]))(u),
    "two windows": lambda u: dc.grad(lambda u: np.sum(u[:, 0]) + np.sum(u[:, 2]))(u),
    "a row": lambda u: dc.grad(lambda u: np.sum(u[1] * u[1]))(u),
    "a put": lambda u: dc.scatter((2, 4), u, lambda i, j: (1 - i, 2 * j - 1)),
    "a repeated number": lambda u: dc.replicate(2, dc.replicate(3, u[0, 0] * 2)),
    "a repeated row": lambda u: dc.replicate(2, u[1] * 2),
    "a repeated border": lambda u: dc.build((2, 4), lambda i, j: u[0, j - 1]),
    "a constant": lambda u: dc.build((2, 3), lambda i, j: 2.0),
}
OPERATIONS = {
    "broadcast_to": lambda x: np.broadcast_to(x, (2, *x.shape)),
    "broadcast_to its shape": lambda x: np.broadcast_to(x, x.shape),
    "replicate": lambda x: dc.replicate(3, x),
    "reshape": lambda x: x.reshape(-1),
    "transpose": lambda x: x.T,
    "sum": lambda x: (np.sum(x), np.sum(x, 0), np.sum(x, 1, keepdims=True)),
    "max": lambda x: (np.max(x), np.argmax(x, 1), dc.logsumexp(x, 0)),
    "cumsum": lambda x: (np.cumsum(x, 1), np.prod(x, 0)),
    "slice": lambda x: (x[1], x[:, ::-1], x[:, 1:2]),
    "embed": lambda x: dc.build((4, 2), lambda i, j: x[i - 1, j]),
    "take": lambda x: dc.gather((2, 2), x, lambda i, j: (i, (i + 2 * j) % 3)),
    "put": lambda x: dc.scatter((3, 2), x, lambda i, j: (j, i)),
    "concatenate": lambda x: np.concatenate([x, x]),
    "matmul": lambda x: (x @ x.T, x.T @ x),
    "convert": lambda x: x.astype(int),
    "elementwise": lambda x: (np.sin(x) + x, x > 1.0, np.where(x > 1.0, x, 0.0)),
    "plus": lambda x: (x + x, x * dc.stop_gradient(x)),
    "map": lambda x: dc.map(lambda row: (row, np.sum(row)), x),
    "scan": lambda x: dc.scan(lambda c, row: (c + row, c * row), x[0], x),
    "cond": lambda x: dc.cond(x[0, 0] > 1.0, lambda: x * 2, lambda: x),
    "a choice": lambda x: dc.cond(x[0, 0] > 1.0, lambda: x, lambda: np.zeros(x.shape)),
}


def agrees(function):
    """The program as it is, and of bulk operations, which gives on XLA what the carrier gives.

    It is not jitted: JAX compiles each of its operations once for all tests.
    """
    whole = dc.fun(function)
    program, true = whole.program(U), whole.evaluate((U,))
    for lam in (program.lam, program.simplified(folded)):
        with jax.enable_x64(True):
            same(compile_program(lam).function(jax.numpy.asarray(U)), true)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("waiting", WAITING)
def test_every_operation_takes_what_waits(waiting, operation):
    agrees(lambda u: OPERATIONS[operation](WAITING[waiting](u)))


@pytest.mark.parametrize("waiting", WAITING)
def test_what_waits_is_broadcast_within_a_loop_and_a_function(waiting):
    made = WAITING[waiting]
    agrees(lambda u: dc.map(lambda row: row[0] * made(u), u))
    agrees(lambda u: dc.map(lambda row: made(u), u))
    agrees(lambda u: dc.map(lambda row: dc.replicate(2, made(u * row[0])), u))


@pytest.mark.parametrize("waiting", WAITING)
def test_gradients_pass_through_what_is_replicated(waiting):
    made = WAITING[waiting]
    agrees(dc.grad(lambda u: np.sum(np.sin(dc.replicate(2, made(u * u))))))


@pytest.mark.parametrize("waiting", WAITING)
def test_what_waits_is_replicated_by_jitted_code(waiting):
    whole = dc.fun(lambda u: dc.replicate(2, WAITING[waiting](u)))
    same(on_xla(whole.program(U).simplified(folded), U), whole(U))
