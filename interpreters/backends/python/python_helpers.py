"""The few functions that emitted code may carry along: IEEE where Python raises, and bulk work."""

from interpreters.backends.text.module import SUM_OF_TWO, by_name

_TOTAL = {
    **{name: f"math.{name}(x) if math.isfinite(x) else math.nan" for name in ("sin", "cos", "tan")},
    **{
        name: f"math.{name}(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan"
        for name in ("log", "log2", "log10")
    },
    "log1p": "math.log1p(x) if x > -1.0 else -math.inf if x == -1.0 else math.nan",
    "sqrt": "math.nan if x < 0.0 else math.sqrt(x)",
    "arcsin": "math.nan if abs(x) > 1.0 else math.asin(x)",
    "arccos": "math.nan if abs(x) > 1.0 else math.acos(x)",
    "arccosh": "math.nan if x < 1.0 else math.acosh(x)",
    **{name: f"_bounded(math.{name}, x, math.inf)" for name in ("exp", "exp2", "expm1", "cosh")},
    "sinh": "_bounded(math.sinh, x, math.copysign(math.inf, x))",
    **{
        name: f"math.copysign(math.{name}(x), x) if math.isfinite(x) else x"
        for name in ("floor", "ceil", "trunc")
    },
}
"""Functions of ``math`` where it raises and IEEE gives inf or nan."""

_SOURCE = """\
def _divide(x, y):
    if y:
        return x / y
    if math.isnan(x) or x == 0.0:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def _floor_divide(x, y):
    with np.errstate(all="ignore"):
        return x // y if y else np.floor_divide(x, y).item()


def _remainder(x, y):
    with np.errstate(all="ignore"):
        return x % y if y else np.remainder(x, y).item()


def _power(x, y):
    with np.errstate(all="ignore"):
        return np.power(x, y).item()


def _total_power(x, y):
    if np.all(y >= 0):
        return np.power(x, y)
    x = np.where((y < 0) & (abs(x) != 1), 0, x)
    return np.power(x, np.where(y < 0, 2 - y % 2, y))


def _arctanh(x):
    if abs(x) == 1.0:
        return math.copysign(math.inf, x)
    return math.nan if abs(x) > 1.0 else math.atanh(x)


def _bounded(function, x, beyond):
    try:
        return function(x)
    except OverflowError:
        return beyond


def _sign(x):
    return x if math.isnan(x) else float((x > 0.0) - (x < 0.0))


def _maximum(x, y):
    return x if x > y or math.isnan(x) else y


def _minimum(x, y):
    return x if x < y or math.isnan(x) else y


def _sigmoid(x):
    small = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else small) / (1.0 + small)


def _logaddexp(x, y):
    if x == y:
        return x + math.log(2.0)
    gap = x - y
    if gap > 0.0:
        return x + math.log1p(math.exp(-gap))
    return y + math.log1p(math.exp(gap)) if gap <= 0.0 else gap


def _int64(n):
    return (n + 2**63) % 2**64 - 2**63


def _to_int(x):
    with np.errstate(all="ignore"):
        return int(x) if abs(x) < 2.0**62 else int(np.float64(x).astype("int64"))


def _scale(v, p):
    z = v * p
    return 0.0 if math.isnan(z) and (v == 0.0 or p == 0.0) else z


def _unscale(v, p):
    z = _divide(v, p)
    return 0.0 if math.isnan(z) and (v == 0.0 or math.isinf(p)) else z


def _scale_number(v, p):
    z = v * p
    return z.dtype.type(0) if np.isnan(z) and (v == 0 or p == 0) else z


def _unscale_number(v, p):
    z = v / p
    return z.dtype.type(0) if np.isnan(z) and (v == 0 or np.isinf(p)) else z


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


def _of_one(f):
    return lambda x: f(*x)


def _copied(x, made=None):
    if isinstance(x, np.ndarray):
        return x.copy()
    if not isinstance(x, tuple):
        return x
    made = {} if made is None else made
    if id(x) not in made:
        made[id(x)] = tuple(_copied(part, made) for part in x)
    return made[id(x)]


def _take(x, axis, *indices):
    before, extents = (slice(None),) * axis, x.shape[axis:]
    inside = _inside(indices, extents)
    if inside is None:
        return x[before + indices]
    if 0 in extents[: len(indices)]:
        shape = x.shape[:axis] + inside.shape + extents[len(indices) :]
        return np.zeros(shape, x.dtype)
    y = x[before + tuple(np.where(inside, i, 0) for i in indices)]
    y[before + (~inside,)] = 0
    return y


def _add_at(y, axis, indices, x):
    before = (slice(None),) * axis
    inside = _inside(indices, y.shape[axis:])
    if inside is not None:
        indices = tuple(np.broadcast_to(i, inside.shape)[inside] for i in indices)
        x = x[before + (inside,)]
    if axis or not y.flags.c_contiguous:
        np.add.at(y, before + indices, x)
        return
    # NumPy adds at the places of a flat array several times as fast
    at = 0
    for i, n in zip(indices, y.shape):
        at = at * n + np.asarray(i, "int64")
    if y.ndim > len(indices):
        width = math.prod(y.shape[len(indices) :])
        at = at[..., None] * width + np.arange(width)
    np.add.at(y.reshape(-1), at.reshape(-1), x.reshape(-1))


def _inside(indices, extents):
    if all(_fits(i, n) for i, n in zip(indices, extents)):
        return None
    inside = True
    for i, n in zip(indices, extents):
        inside = inside & (0 <= i) & (i < n)
    return inside


def _fits(i, n):
    if not isinstance(i, np.ndarray):
        return 0 <= i < n
    return not i.size or (i.item(i.argmin()) >= 0 and i.item(i.argmax()) < n)


def _within(i, axis, n, place):
    if not _fits(i, n):
        raise IndexError(f"{place}: an index is outside axis {axis}, of extent {n}")
    return i


def _nonzero(d, place):
    if not np.all(d):
        raise ZeroDivisionError(f"{place}: an integer is divided by zero")
    return d


def _nonnegative(n, place):
    if not np.all(n >= 0):
        raise ArithmeticError(f"{place}: an integer has no negative power")
    return n


def _whole(x, dtype, place):
    info = np.iinfo(dtype)
    if not np.all((x > info.min - 1.0) & (x < info.max + 1.0)):
        raise OverflowError(f"{place}: what becomes an integer is none of type {dtype}")
    return x


def _limited(n, most, did, place):
    if not (n < most if isinstance(n, int) else np.all(n < most)):
        raise RuntimeError(f"{place}: {did} more than {most} times")
    return n


def _exact(x, *rest):
    *others, of, dtype, axis, place = rest
    info, options = np.iinfo(dtype), {} if axis is None else {"axis": axis}
    found = getattr(np, of)(*(np.asarray(z).astype(object) for z in (x, *others)), **options)
    if any(not info.min <= one <= info.max for one in np.ravel(found)):
        raise OverflowError(f"{place}: {of} gives an integer that {dtype} does not hold")
    return x
"""

_SUMS = """\
def _by_leaves(function, *xs):
    todo, results, made = [(False, xs)], [], {}
    while todo:
        is_open, xs = todo.pop()
        key = tuple(map(id, xs))
        if is_open:
            width = len(xs[0])
            made[key] = tuple(results[-width:])
            del results[-width:]
        if key in made:
            results.append(made[key])
        elif all(isinstance(x, tuple) and x for x in xs):
            todo.append((True, xs))
            todo.extend((False, parts) for parts in reversed(list(zip(*xs))))
        else:
            results.append(function(*xs))
    return results[0]


def _plus_tagged(x, y):
    if x is None or y is None:
        return y if x is None else x
    return _by_leaves(_plus_leaf, x, y)


def _plus_leaf(x, y):
    if x is None or y is None:
        return y if x is None else x
    if not isinstance(x, (int, tuple)):
        return x + y
    if x != y:
        raise ValueError("cotangents of two alternatives are added")
    return x


def _copied_tagged(x):
    return _by_leaves(lambda z: z.copy() if isinstance(z, np.ndarray) else z, x)
"""
"""Sums of cotangents with alternatives in them, of which the tag is the only integer; and copies.

Lists are as deep as they are long, so that nothing here calls itself."""

_DEEP = """\
@contextlib.contextmanager
def _deep_calls(name, most=20_000_000):
    # Both are the process's: the last program that runs, in any thread, restores them.
    lock, running = vars(sys).setdefault("deep_calls", (threading.Lock(), {}))
    me = object()
    try:
        with lock:
            usual = sys.getrecursionlimit(), gc.get_threshold()
            running[me] = next(iter(running.values()), usual)
            sys.setrecursionlimit(most)
            gc.set_threshold(100_000, 50, 1_000)  # calls make much that lives on
        yield
    except RecursionError as error:
        if not str(error).startswith("maximum recursion depth"):
            raise
        text = f"{name} calls itself {most} times deep: end with the call, or bound it by most="
        raise RecursionError(text) from None
    finally:
        with lock:
            limit, threshold = running.pop(me, (0, ()))
            if limit and not running:
                sys.setrecursionlimit(limit)
                gc.set_threshold(*threshold)
"""
"""Python's functions call each other without C's stack, as deep as its limit lets them."""

HELPERS = {
    **{f"_{name}": f"def _{name}(x):\n    return {text}" for name, text in _TOTAL.items()},
    **by_name(_SOURCE, SUM_OF_TWO, _SUMS),
    "_deep_calls": _DEEP.strip(),
}
"""The text of each, by its name."""
