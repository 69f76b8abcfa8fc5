"""The functions of numbers that emitted code may carry along: IEEE where Python raises instead."""

OF_NUMBERS = """\
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


def _sin(x):
    return math.sin(x) if math.isfinite(x) else math.nan


def _cos(x):
    return math.cos(x) if math.isfinite(x) else math.nan


def _tan(x):
    return math.tan(x) if math.isfinite(x) else math.nan


def _log(x):
    if x == 0.0:
        return -math.inf
    return math.nan if x < 0.0 else math.log(x)


def _log2(x):
    if x == 0.0:
        return -math.inf
    return math.nan if x < 0.0 else math.log2(x)


def _log10(x):
    if x == 0.0:
        return -math.inf
    return math.nan if x < 0.0 else math.log10(x)


def _log1p(x):
    if x == -1.0:
        return -math.inf
    return math.nan if x < -1.0 else math.log1p(x)


def _sqrt(x):
    return math.nan if x < 0.0 else math.sqrt(x)


def _arcsin(x):
    return math.nan if abs(x) > 1.0 else math.asin(x)


def _arccos(x):
    return math.nan if abs(x) > 1.0 else math.acos(x)


def _arccosh(x):
    return math.nan if x < 1.0 else math.acosh(x)


def _arctanh(x):
    if abs(x) == 1.0:
        return math.copysign(math.inf, x)
    return math.nan if abs(x) > 1.0 else math.atanh(x)


def _bounded(function, x, beyond):
    try:
        return function(x)
    except OverflowError:
        return beyond


def _exp(x):
    return _bounded(math.exp, x, math.inf)


def _exp2(x):
    return _bounded(math.exp2, x, math.inf)


def _expm1(x):
    return _bounded(math.expm1, x, math.inf)


def _cosh(x):
    return _bounded(math.cosh, x, math.inf)


def _sinh(x):
    return _bounded(math.sinh, x, math.copysign(math.inf, x))


def _floor(x):
    return math.copysign(math.floor(x), x) if math.isfinite(x) else x


def _ceil(x):
    return math.copysign(math.ceil(x), x) if math.isfinite(x) else x


def _trunc(x):
    return math.copysign(math.trunc(x), x) if math.isfinite(x) else x


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
"""
