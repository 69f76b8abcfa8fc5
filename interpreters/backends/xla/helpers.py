"""The few functions that emitted code may carry along, where JAX says it otherwise than we do."""

from interpreters.backends.text.module import PLUS, by_name

_SOURCE = """\
def _scale(v, p):
    p = jnp.where(v == 0, 0, p)
    return jnp.where(p == 0, 0, v * p)


def _unscale(v, p):
    p = jnp.where(v == 0, 1, p)
    return jnp.where(abs(p) == jnp.inf, 0, v / p)


def _matmul(x, y):
    z = x @ y

    def add(total, factors):
        column, row = factors
        return total + _scale(column[..., None], row[..., None, :]), None

    def absorbing():
        factors = jnp.moveaxis(x, -1, 0), jnp.moveaxis(y, -2, 0)
        return lax.scan(add, jnp.zeros_like(z), factors)[0]

    return lax.cond(jnp.isnan(z).any(), absorbing, lambda: z)


def _softmax(x, axis):
    top = x.max(axis, keepdims=True)
    e = jnp.exp(x - jnp.where(top == -jnp.inf, 0, top))
    return _unscale(e, e.sum(axis, keepdims=True))


def _floor_divide(x, y):
    return jnp.where(y == 0, 0, x // jnp.where(y == 0, 1, y))


def _remainder(x, y):
    return jnp.where(y == 0, 0, x % jnp.where(y == 0, 1, y))


def _total_power(x, y):
    x = jnp.where((y < 0) & (abs(x) != 1), 0, x)
    return x ** jnp.where(y < 0, 2 - y % 2, y)


def _within(indices, extents):
    return tuple(jnp.where((i >= 0) & (i < n), i, n) for i, n in zip(indices, extents))


def _take(x, *indices, axis=0):
    at = x.at[(slice(None),) * axis + _within(indices, x.shape[axis:])]
    return at.get(mode="fill", fill_value=0, wrap_negative_indices=False)


def _add_at(whole, x, *indices, axis=0):
    at = whole.at[(slice(None),) * axis + _within(indices, whole.shape[axis:])]
    return at.add(x, mode="drop", wrap_negative_indices=False)


def _shifted(x, first, axis, reverse):
    ends = (-1, 1, 0) if reverse else (1, -1, 0)
    widths = [ends if a == axis else (0, 0, 0) for a in range(x.ndim)]
    return lax.pad(x, jnp.array(first, x.dtype), widths)


def _exclusive_cumprod(x, axis, reverse):
    return _shifted(lax.cumprod(x, axis, reverse), 1, axis, reverse)


def _others(x, axis):
    x = jnp.moveaxis(x, axis, 0)
    halves = []
    while len(x) > 1:
        half = len(x) // 2
        halves.append((x[:half], x[half : 2 * half], x[2 * half :]))
        x = jnp.concatenate([x[:half] * x[half : 2 * half], x[2 * half :]])
    y = jnp.ones_like(x)
    for left, right, rest in reversed(halves):
        both = y[: len(left)]
        y = jnp.concatenate([both * right, both * left, y[len(left) :]])
    return jnp.moveaxis(y, 0, axis)


def _recurrence(a, b, axis, reverse):
    def after(x, y):
        return _scale(y[0], x[0]), _scale(y[0], x[1]) + y[1]

    y = lax.associative_scan(after, (a, b), reverse, axis)[1]
    return _shifted(y, 0, axis, reverse)
"""

HELPERS = by_name(_SOURCE, PLUS)
"""The text of each, by its name."""
