"""``xla``: a function on XLA, through JAX; ``data_parallel``: over a mesh of devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, ParamSpec

import numpy as np

from combinators.errors import DiffcurryError, MissingRule, ShapeMismatch, TypeMismatch, WrongMode
from combinators.kit.memory import Remembered
from combinators.objects import Object, Tensor, components
from combinators.simplify import Hole, Rule, head
from combinators.spaces import SPACES, Space
from combinators.tracing.faces import Face, open_up, put_together, take_apart
from combinators.tracing.scope import current
from diffcurry.decorator import fun
from diffcurry.function import Function
from diffcurry.leaves import fits
from diffcurry.program import Program
from diffcurry.values import Outwards, Step
from interpreters.backends.xla import JaxProgram

P = ParamSpec("P")


def xla(f: Callable[P, Any], *, fast_math: bool = False) -> XLA[P]:
    """``f`` on XLA: a function of NumPy's or JAX's arrays that gives JAX's, left on their device.

    It takes and gives the containers that ``f`` does. At each choice of types the program of ``f``
    is written as JAX and jitted once, and a call costs what a call of JAX's costs. ``f`` may be any
    function of the language, such as ``grad(loss)``, whose loops and conditionals hold numbers,
    arrays and containers of them: ``MissingRule`` names what holds functions. Numbers have the
    types that they have here, so that floats are of 64 bits, whatever JAX is set to.

    With ``fast_math`` the program is simplified by rules of the real numbers, too: a zero cotangent
    times infinity is nan, as it is in JAX, and kernels are smaller.

    It raises ``MissingRule`` where JAX is missing: ``pip install 'diffcurry[xla]'`` brings it.
    """
    return XLA(fun(f), fast_math=fast_math)


class XLA(Generic[P]):
    """What ``xla`` gives."""

    def __init__(
        self, function: Function[P, Any], *, fast_math: bool = False, rules: tuple[Rule, ...] = ()
    ) -> None:
        """``function``, which is traced when it is first called at a choice of types."""
        self.function, self.fast_math, self.rules = function, fast_math, rules
        self.jax = asked()
        functools.update_wrapper(self, function, updated=())
        self._compiled: Remembered[Program, Callable[..., Any]] = Remembered()
        self._jitted, self._config = self.jax.jit(self.traced), self.jax.config
        self._runtime_error = self.jax.errors.JaxRuntimeError
        self._takes_apart = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The value at ``args``, in JAX's arrays."""
        if kwargs or self._takes_apart:
            return self._in_parts(args, kwargs)
        try:
            if self._config.jax_enable_x64:
                result = self._jitted(*args)
            else:
                with self.jax.enable_x64(True):
                    result = self._jitted(*args)
        except (TypeError, self._runtime_error) as error:
            return self._after(error, args)
        return _as_given(result)

    def traced(self, *args: Any) -> Any:
        """The value at JAX's tracers, of which shapes and dtypes are known."""
        given = tuple(map(_as_given, args))
        shapes = list(map(_stand_in, given))
        program = self.function.program(*shapes)
        for shape, obj, name in zip(shapes, program.types, program.names, strict=True):
            fits(shape, obj, name)
        run = self._compiled.of(program, lambda: self._written(program).function)
        found = run(*map(self._taken, given, program.types))
        return _as_tree(_IN_CONTAINERS(found, program.cod, program.face))

    def _written(self, program: Program) -> JaxProgram:
        name = self.function.__name__
        return program.for_xla(name, fast_math=self.fast_math, rules=self.rules)

    def _taken(self, value: Any, obj: Object) -> Any:
        """An argument as the emitted function takes it: containers are tuples."""
        if isinstance(obj, Space):
            each = [self.jax.numpy.asarray(part) for part in obj.declared.parts(value)]
            whole = each[0] if obj.declared.is_family else self.jax.numpy.stack(each)
            return self._taken(whole, obj.coordinates)
        if isinstance(obj, Tensor):
            return self.jax.lax.convert_element_type(value, obj.dtype)
        opened = open_up(value)
        parts = opened[2] if opened is not None else ()
        return tuple(map(self._taken, parts, components(obj) or ()))

    def _in_parts(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value at containers that JAX knows nothing of, or at arguments given by name."""
        function: Function[..., Any] = self.function
        values = function.positional(args, kwargs)
        _tell(self.jax)
        if current() is not None:
            return function(*values)
        with self.enabled():
            return _as_given(self._jitted(*map(_as_tree, values)))

    def _after(self, error: Exception, args: tuple[Any, ...]) -> Any:
        """What to do about arguments that JAX does not take."""
        function: Function[..., Any] = self.function
        if isinstance(error, self._runtime_error):
            if any(isinstance(leaf, self.jax.core.Tracer) for leaf in take_apart(args)[1]):
                raise TypeMismatch(
                    f"{function.__name__} computes with numbers of 64 bits, and JAX, which maps it "
                    "here, is set to 32; write jax.config.update('jax_enable_x64', True) before, "
                    "or give arrays of float32, or map inside: xla(lambda xs: map(f, xs))"
                ) from None
            raise error
        if current() is not None:
            return function(*args)  # called while another function is being traced
        if isinstance(error, DiffcurryError):
            raise error
        for leaf in take_apart(args)[1]:
            if type(leaf) not in SPACES:
                _check_number(leaf)
        if self._takes_apart or not any(map(_is_odd, args)):
            raise error
        self._takes_apart = True
        return self._in_parts(args, {})

    def enabled(self) -> AbstractContextManager[Any]:
        """While it holds, JAX keeps numbers of 64 bits."""
        return self.jax.enable_x64(True)  # type: ignore[no-any-return]

    def lower(self, *args: Any) -> Any:
        """The program as JAX hands it to XLA: ``.as_text()``, ``.compile()``."""
        with self.enabled():
            return self._jitted.lower(*map(_as_tree, args))

    def compiled_text(self, *args: Any) -> str:
        """The program as XLA runs it."""
        return str(self.lower(*args).compile().as_text())

    def source(self, *at: Any) -> str:
        """The program as a module of JAX; without ``fast_math`` the same as ``f.source("jax")``."""
        if not self.fast_math and not self.rules:
            return self.function.source("jax", *at)
        return self._written(self.function.at_types(at)).source

    def __repr__(self) -> str:
        """Of what it is."""
        return f"<xla {self.function!r}>"


@functools.cache
def asked() -> Any:
    """JAX, which is told of our ``Parts``; where it is missing, how to get it."""
    try:
        jax = import_module("jax")
    except ImportError:
        raise MissingRule(
            "JAX is not installed, and XLA runs through it; pip install 'diffcurry[xla]' brings it"
        ) from None
    with suppress(ValueError):  # it was told before
        jax.tree_util.register_pytree_node(
            Parts, lambda parts: (parts.leaves, parts.face), lambda face, own: Parts(own, face)
        )
    return jax


def _tell(jax: Any) -> None:
    """Tell JAX of the classes with tangent spaces of their own, whose leaves are their fields."""
    for kind in SPACES:
        with suppress(ValueError):  # it was told before
            jax.tree_util.register_pytree_node(
                kind,
                lambda value: (SPACES[type(value)].parts(value), type(value)),
                lambda kind, parts: SPACES[kind].value(tuple(parts)),
            )


@dataclass(frozen=True, slots=True)
class Parts:
    """A container that JAX knows nothing of, as a dataclass: what is in it, in order, and it."""

    leaves: Any
    face: Face | None


def _as_tree(value: Any) -> Any:
    """A value as one of JAX's trees, which has no dataclasses."""
    if not _is_odd(value):
        return value
    face, leaves = take_apart(value)
    return Parts(tuple(leaves), face)


def _as_given(value: Any) -> Any:
    """A value as the user has it."""
    return put_together(value.face, iter(value.leaves)) if type(value) is Parts else value


def _check_number(leaf: Any) -> None:
    """Raise where an argument is neither a number nor an array."""
    if callable(leaf):
        raise WrongMode(
            "a function on XLA takes numbers, arrays and containers of them; "
            "close over the function that is given here, as in xla(lambda x: f(g, x))"
        )
    if not isinstance(leaf, bool | int | float) and not hasattr(leaf, "dtype"):
        raise TypeMismatch(
            f"arguments are numbers, arrays and containers of them, and this is {leaf!r:.60}"
        )


def _is_odd(value: Any) -> bool:
    """Whether a container is in it that JAX takes for a leaf."""
    opened = open_up(value)
    if opened is None:
        return type(value) in SPACES
    kind, _, parts = opened
    return not issubclass(kind, tuple | list | dict | type(None)) or any(map(_is_odd, parts))


def _stand_in(value: Any) -> Any:
    """An array of no bytes that has the types of a tracer, in the same containers."""
    face, leaves = take_apart(value)

    def zeros(leaf: Any) -> Any:
        declared = SPACES.get(type(leaf))
        if declared is not None:
            return declared.value(tuple(map(zeros, declared.parts(leaf))))
        _check_number(leaf)
        return np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape)[()]

    return put_together(face, map(zeros, leaves))


def _leaf(obj: Object, face: Face | None) -> Step:
    """A leaf of a result, which may be of a class that JAX knows nothing of."""
    if not isinstance(obj, Space):
        return lambda value, at, meet: value
    declared = obj.declared
    return lambda value, at, meet: declared.value((value,) if declared.is_family else tuple(value))


_IN_CONTAINERS = Outwards(_leaf)
"""Results in their containers."""


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
            return _as_given(self._jitted(*map(_as_tree, self.place(*values))))

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
            lowered = self._jitted.lower(*map(_as_tree, self.place(*args)))
        return str(lowered.compile().as_text())

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
        is_whole = isinstance(value, self.jax.Array) and not value.is_fully_addressable
        here = self.mesh.size if is_whole else self.mesh.local_mesh.size
        if shape[axis] % here:
            raise ShapeMismatch(
                f"axis {axis} of an array of shape {shape} is divided among {here} devices, "
                f"and {shape[axis]} is no multiple of {here}; leave some rows out, or give some 0"
            )
        spec = [None] * (axis % len(shape)) + [self.mesh.axis_names]
        return self.jax.sharding.NamedSharding(self.mesh, self.jax.sharding.PartitionSpec(*spec))

    def __repr__(self) -> str:
        """Of what it is, and over what."""
        return f"<{self.single.function!r} over {self.mesh.size} devices>"
