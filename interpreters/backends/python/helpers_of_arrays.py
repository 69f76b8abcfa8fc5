"""The functions of whole arrays that emitted code may carry along."""

OF_ARRAYS = """\
def _scale_array(v, p):
    z = v * p
    bad = np.isnan(z)
    if bad.any():
        z[bad & ((v == 0) | (p == 0))] = 0
    return z


def _unscale_array(v, p):
    z = v / p
    bad = np.isnan(z)
    if bad.any():
        z[bad & ((v == 0) | np.isinf(p))] = 0
    return z


def _matmul_array(x, y):
    z = x @ y
    if np.isnan(z).any():
        n = x.shape[-1]
        fine = np.isfinite(x).reshape(-1, n).all(0)
        fine &= np.isfinite(y).swapaxes(-1, -2).reshape(-1, n).all(0)
        z = x[..., fine] @ y[..., fine, :]
        for k in np.flatnonzero(~fine):
            z += _scale_array(x[..., k, None], y[..., k, None, :])
    return z


def _sigmoid_array(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def _erf_array(x):
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x)).astype(x.dtype)


def _logsumexp(x, axis, keepdims):
    largest = np.max(x, axis=axis, keepdims=True)
    base = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
    total = np.log(np.sum(np.exp(x - base), axis=axis, keepdims=True)) + base
    return total if keepdims else np.squeeze(total, axis)


def _recurrence(a, b, axis, step):
    y = np.zeros_like(b)
    factors, terms, sums = (x.swapaxes(0, axis)[::step] for x in (a, b, y))
    for times in (np.multiply, _scale_array):
        sums[1:] = terms[:-1]
        _solve(factors[:-1], sums[1:], times)
        if not np.isnan(y.sum()):
            break
    return y


def _solve(a, y, times):
    last = len(y) - 1
    if last < 1:
        return
    odds = a[1::2]
    pairs = times(odds, y[:last:2])
    pairs += y[1::2]
    _solve(times(odds, a[:last:2]), pairs, times)
    y[1::2] = pairs
    y[2::2] += times(a[2::2], pairs[: last // 2])


def _others(x):
    n, y = len(x), np.ones_like(x)
    if n < 2048:
        np.multiply.accumulate(x[:-1], out=y[1:])
        behind = np.ones_like(x)
        np.multiply.accumulate(x[:0:-1], out=behind[-2::-1])
        y *= behind
        return y
    # products of columns, and of what is left over: numbers side by side multiply in bulk
    last = 7 if n < 32768 else 15
    whole = n - n % (last + 1)
    rows, before = (z[:whole].reshape(last + 1, -1) for z in (x, y))
    for i in range(last):
        np.multiply(before[i], rows[i], out=before[i + 1])
    rest = _others(np.concatenate((before[last] * rows[last], x[whole:])))
    behind, y[whole:] = np.split(rest, [len(rows[0])])
    for i in range(last, -1, -1):
        before[i] *= behind
        behind *= rows[i]
    return y
"""

COPIED = """\
def _copied(x, made=None):
    if isinstance(x, np.ndarray):
        return x.copy()
    if not isinstance(x, tuple):
        return x
    made = {} if made is None else made
    if id(x) not in made:
        made[id(x)] = tuple(_copied(part, made) for part in x)
    return made[id(x)]
"""
"""A copy of a result of any type."""
