"""``data_parallel``: one program over a mesh of devices, each with its share of the batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.simplify import Hole, Rule, head
from combinators.tracing.faces import open_up, put_together, take_apart
from diffcurry.xla import XLA, xla

P = ParamSpec("P")

matmul, x, y = head("matmul"), Hole("x"), Hole("y")
PLAIN = Rule(
    "plain-matmul",
    "devices",
    "where zeros absorb, one device has to see the whole batch",
    matmul(x, y, absorbing=True),
    matmul(x, y),
)
"""Products of matrices over a batch that is divided: 0 times infinity is nan in them."""

Axes = Any
"""An axis, None, or a container of these that mirrors an argument, or its outer part."""


def data_parallel(f: Callable[P, Any], mesh: Any, batch_axes: tuple[Axes, ...]) -> Parallel[P]:
    """``f`` over the devices of ``mesh``, a ``jax.sharding.Mesh``: what ``xla(f)`` gives, sooner.

    ``batch_axes`` says for each argument along which axis it is divided among the devices; None is
    for what each device has whole, as parameters. For a container it may be a container that says
    it for each part. Results are whole on each device. XLA's partitioner divides the program, and
    sums over the batch end in an all-reduce: the gradient of a loss over a batch needs one for each
    parameter at most, and the batch stays where it is.

    Where JAX runs as several processes (``jax.distributed``), each process gives its own part of
    what is divided, and all of what is not.

    >>> import jax  # doctest: +SKIP
    >>> mesh = jax.make_mesh((8,), ("batch",))  # doctest: +SKIP
    >>> slopes = data_parallel(grad(loss), mesh, (None, 0, 0))  # doctest: +SKIP
    >>> slopes(parameters, images, labels)  # doctest: +SKIP
    """
    if not isinstance(batch_axes, tuple | list):
        raise TypeMismatch(
            f"batch_axes has an axis or None for each argument, as (None, 0): {batch_axes!r:.60}"
        )
    single = f if isinstance(f, XLA) else xla(f)
    divided: XLA[P] = XLA(single.function, fast_math=single.fast_math, rules=(PLAIN,))
    return Parallel(divided, mesh, tuple(batch_axes))


class Parallel(Generic[P]):
    """What ``data_parallel`` gives."""

    def __init__(self, single: XLA[P], mesh: Any, batch_axes: tuple[Axes, ...]) -> None:
        """``single`` is the program on one device."""
        self.single, self.jax = single, single.jax
        sharding = self.jax.sharding
        # All axes are XLA's to divide, whatever the user's mesh leaves to the program.
        self.mesh = sharding.Mesh(mesh.devices, mesh.axis_names)
        self.batch_axes = batch_axes
        self._whole = sharding.NamedSharding(self.mesh, sharding.PartitionSpec())
        self._jitted = self.jax.jit(single.traced, out_shardings=self._whole)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The value at ``args``, whole on every device."""
        values = self.single.function.positional(args, kwargs)
        with self.single.enabled():
            return self.single.shown(self._jitted(*self._given(values)))

    def place(self, *args: Any) -> tuple[Any, ...]:
        """``args`` on the devices, each leaf divided as ``batch_axes`` says.

        Arguments that are placed go into a call as they are: a training loop places its
        parameters once, and each batch when it comes.
        """
        if len(args) != len(self.batch_axes):
            raise TypeMismatch(
                f"batch_axes speaks of {len(self.batch_axes)} arguments, and there are {len(args)}"
            )
        with self.single.enabled():
            return tuple(map(self._placed, args, self.batch_axes))

    def compiled_text(self, *args: Any) -> str:
        """The program that each device runs, with its collective operations."""
        with self.single.enabled():
            lowered = self._jitted.lower(*self._given(args))
        text: str = lowered.compile().as_text()
        return text

    def _given(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(map(self.single.as_tree, self.place(*args)))

    def _placed(self, value: Any, axes: Axes) -> Any:
        """A value, or a container of them, divided along ``axes``."""
        opened = open_up(value)
        if opened is None:
            return self._divided(value, axes)
        if axes is None or isinstance(axes, int):
            face, leaves = take_apart(value)
            return put_together(face, iter([self._divided(leaf, axes) for leaf in leaves]))
        below = open_up(axes)
        if below is None or len(below[2]) != len(opened[2]) or below[1] != opened[1]:
            raise TypeMismatch(f"the batch axes {axes!r:.60} do not mirror {value!r:.60}")
        face, _ = take_apart(value)
        assert face is not None
        return face.build(list(map(self._placed, opened[2], below[2])))

    def _divided(self, value: Any, axis: Axes) -> Any:
        wanted = self._sharding(value, axis)
        if isinstance(value, self.jax.Array):
            if value.sharding.is_equivalent_to(wanted, value.ndim):
                return value
            if self.jax.process_count() == 1:
                return self.jax.device_put(value, wanted)
        return self.jax.make_array_from_process_local_data(wanted, np.asarray(value))

    def _sharding(self, value: Any, axis: Axes) -> Any:
        """How an array is divided; it raises where the devices have not equal shares."""
        if axis is None:
            return self._whole
        shape = np.shape(value)
        if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
            raise TypeMismatch(f"{axis!r:.60} is no axis of an array of shape {shape}, nor None")
        here = self.mesh.local_mesh.size if self._is_local(value) else self.mesh.size
        if shape[axis] % here:
            raise ShapeMismatch(
                f"axis {axis} of an array of shape {shape} is divided among {here} devices, "
                f"and {shape[axis]} is no multiple of {here}; leave some rows out, or give some 0"
            )
        spec = [None] * (axis % len(shape)) + [self.mesh.axis_names]
        return self.jax.sharding.NamedSharding(self.mesh, self.jax.sharding.PartitionSpec(*spec))

    def _is_local(self, value: Any) -> bool:
        """Whether a value is this process's own part."""
        return not isinstance(value, self.jax.Array) or value.is_fully_addressable

    def __repr__(self) -> str:
        """Of what it is, and over what."""
        return f"<{self.single.function!r} over {self.mesh.size} devices>"
