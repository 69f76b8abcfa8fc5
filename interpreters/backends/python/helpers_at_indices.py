"""The functions for elements at indices that emitted code may carry along."""

AT_INDICES = """\
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
"""
