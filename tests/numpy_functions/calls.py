"""How each function is asked: NumPy's own calls, of the arguments that ``ARGUMENTS`` names."""

import numpy as np

_random = np.random.default_rng(16)
_square = _random.normal(size=(3, 3))

ARGUMENTS = {
    "x": _random.normal(size=6),
    "y": _random.normal(size=6),
    "A": _random.normal(size=(3, 4)),
    "B": _random.normal(size=(3, 4)),
    "p": _random.uniform(0.1, 0.9, size=5),
    "q": _random.uniform(1.1, 3.0, size=5),
    "M": _square + 3.0 * np.eye(3),
    "N": _random.normal(size=(2, 3, 3)) + 3.0 * np.eye(3),
    "S": _square @ _square.T + np.eye(3),
    "b": _random.normal(size=3),
}
"""What is traced, and differentiated: vectors, matrices, numbers in (0, 1) and above 1, regular
and symmetric ones."""
_hole = np.array([1.0, 1.0, np.nan, 1.0, 1.0, 1.0])
KNOWN = {
    "np": np,
    "hole": _hole,
    "m": _random.integers(0, 2, size=(3, 4)).astype(bool),
    "k": np.array([0, 2, 2, 1]),
}
"""What is known while tracing: a mask, integers, and what makes one number nan."""

MOVING = """
np.append(x, [1.0, x[0]])
np.array_split(x, 4)
np.atleast_1d(x[0])
np.atleast_2d(x)
np.atleast_3d(A)
np.block([[A, 2 * A], [B, B]])
np.broadcast_arrays(x, A[:1, :1])
np.broadcast_to(x, (2, 6))
np.choose(np.array([0, 1, 0, 1]), [A, B])
np.column_stack([x, y, A[:2].reshape(2, 4).T.reshape(-1)[:6]])
np.compress(np.array([True, False, True]), A, axis=0)
np.concatenate([A, B], axis=1)
np.delete(A, [0, 2], axis=1)
np.diag(x)
np.diag(A, 1)
np.diagflat(x[:3], 1)
np.diagonal(A, 1)
np.dsplit(np.reshape(A, (1, 3, 4)), 2)
np.dstack([A, B])
np.expand_dims(A, (0, 2))
np.extract(np.array([True, False, True, True, False, True]), x)
np.flip(A, 1)
np.fliplr(A)
np.flipud(A)
np.hsplit(A, 2)
np.hstack([A, B])
np.insert(x, 2, 9.0)
np.insert(A, [1, 3], B[:, :2], axis=1)
np.matrix_transpose(A)
np.meshgrid(x, y[:3])
np.meshgrid(x[:2], y[:3], np.arange(2.0), indexing="ij")
np.moveaxis(N, 0, 2)
np.pad(x, 2)
np.pad(A, ((1, 0), (0, 2)))
np.pad(A, 1, constant_values=7.0)
np.pad(x, 2, mode="edge")
np.pad(A, (1, 2), mode="reflect")
np.pad(x, 3, mode="wrap")
np.pad(A, 1, mode="symmetric")
np.permute_dims(A)
np.ravel(A)
np.repeat(A, 2, axis=0)
np.repeat(x, np.array([1, 0, 2, 1, 3, 1]))
np.reshape(A, (2, 6))
np.resize(x, (2, 5))
np.roll(x, 2)
np.roll(A, (1, -1), axis=(0, 1))
np.rollaxis(N, 2)
np.rot90(A)
np.split(x, 3)
np.squeeze(A[None])
np.stack([A, B], axis=1)
np.swapaxes(N, 0, 2)
np.take(A, k, axis=1)
np.tile(A, (2, 1, 3))
np.transpose(A)
np.tril(A, -1)
np.triu(A)
np.unstack(A)
np.vsplit(A, 3)
np.vstack([A, B])
np.fft.fftshift(A)
np.fft.ifftshift(x)
np.lib.stride_tricks.sliding_window_view(x, 3)
"""

ORDER = """
np.argmax(A, axis=1)
np.argmin(x)
np.argpartition(x, 5)
np.argsort(A)
np.bincount(k, weights=A[0])
np.digitize(A, np.array([1.0, 0.0, -1.0]))
np.digitize(A, np.array([-1.0, 0.0, 1.0]))
np.histogram(A, bins=4, range=(-2.0, 2.0))
np.histogram(x, bins=3, weights=y)
np.histogram(A, bins=np.array([-1.0, 0.0, 2.0]), density=True)
np.histogram_bin_edges(x, bins=4)
np.interp(A, np.array([-1.0, 0.0, 1.0]), b)
np.interp(x, np.sort(y), x)
np.median(x)
np.median(A, axis=1)
np.nanmedian(x * hole)
np.nanpercentile(x * hole, 40)
np.nanquantile(np.stack([x * hole, y]), [0.2, 0.4], axis=1)
np.partition(x, 5)
np.percentile(x, [20.0, 30.0])
np.quantile(A, [0.1, 0.5], axis=0)
np.quantile(A, 0.3, axis=(0, 1), keepdims=True)
np.quantile(x, 0.4, method="midpoint")
np.quantile(x, [0.4, 0.6], method="hazen")
np.searchsorted(np.sort(x), A)
np.sort(x)
np.sort(A, axis=0)
np.sort(A, axis=None)
np.take_along_axis(A, np.array([[1], [-2], [0]]), axis=1)
np.take_along_axis(A, np.argsort(A, axis=0), axis=0)
np.maximum.accumulate(x)
np.minimum.accumulate(A, axis=1)
"""

REDUCING = """
np.add.reduce(A)
np.add.accumulate(x)
np.all(A > -9, axis=0, where=m)
np.amax(A, axis=0)
np.amin(A)
np.any(A > 1, where=m)
np.average(A, axis=1, weights=x[:4])
np.average(A, weights=A**2)
np.corrcoef(A)
np.count_nonzero(A > 0, axis=0)
np.cov(A)
np.cov(x, y)
np.cov(A, rowvar=False, ddof=0)
np.cov(A, aweights=x[:4] ** 2)
np.cumprod(A, axis=1)
np.cumsum(A, axis=1, dtype=np.float64)
np.logaddexp.reduce(x)
np.max(A, axis=1, where=m, initial=-9.0)
np.maximum.reduce(A, axis=None)
np.mean(A, axis=1, where=A > -9)
np.min(A, axis=1)
np.multiply.outer(x, A)
np.nanargmax(x * hole)
np.nanargmin(x * hole)
np.nancumprod(x * hole)
np.nancumsum(x * hole)
np.nanmax(x * hole)
np.nanmean(x * hole)
np.nanmin(x * hole)
np.nanprod(x * hole)
np.nanstd(x * hole, ddof=1)
np.nansum(x * hole)
np.nanvar(x * hole)
np.prod(A, where=m)
np.ptp(A, axis=0)
np.std(A, where=m)
np.sum(A, where=m)
np.sum(A, axis=0, where=m, initial=2.0)
np.var(A, axis=0, ddof=1)
"""

CALLS = [line for text in (MOVING, ORDER, REDUCING) for line in text.split("\n") if line]
