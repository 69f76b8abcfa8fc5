"""``xla``: a function on XLA, through JAX: on CPUs, GPUs and whatever else JAX runs on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Generic, ParamSpec

import numpy as np

from combinators.errors import DiffcurryError, MissingRule, TypeMismatch, WrongMode
from combinators.kit.memory import Remembered
from combinators.objects import Object, Tensor, components
from combinators.simplify import Rule
from combinators.tracing.faces import Face, face_of, open_up, put_together, take_apart
from combinators.tracing.scope import current
from diffcurry.at import program_at
from diffcurry.folding import folded
from diffcurry.function import Function, fun
from diffcurry.program import Program
from interpreters.backends.xla import Compiled, compile_program

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
        self,
        function: Function[P, Any],
        *,
        fast_math: bool = False,
        rules: tuple[Rule, ...] = (),
    ) -> None:
        """``function``, which is traced when it is first called at a choice of types."""
        self.function, self.fast_math, self.rules = function, fast_math, rules
        self.jax = asked()
        functools.update_wrapper(self, function, updated=())
        self._compiled: Remembered[Program, Callable[..., Any]] = Remembered()
        self._jitted = self.jax.jit(self.traced)
        self._config = self.jax.config
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
        except TypeError as error:
            return self._after(error, args)
        return self.shown(result)

    def traced(self, *args: Any) -> Any:
        """The value at JAX's tracers, of which shapes and dtypes are known."""
        given = tuple(_whole(arg) if isinstance(arg, Parts) else arg for arg in args)
        program = self.function.program(*map(_stand_in, given))
        run = self._compiled.of(program, lambda: self._written(program).function)
        found = run(*map(self._taken, given, program.types))
        result = _shown(found, program.cod, program.face)
        return _parts(result) if _is_odd(result) else result

    def _written(self, program: Program) -> Compiled:
        name = self.function.__name__
        return written(program, name, fast_math=self.fast_math, rules=self.rules)

    def _taken(self, value: Any, obj: Object) -> Any:
        """An argument as the emitted function takes it: containers are tuples."""
        if isinstance(obj, Tensor):
            return self.jax.lax.convert_element_type(value, obj.dtype)
        opened = open_up(value)
        parts = opened[2] if opened is not None else ()
        return tuple(map(self._taken, parts, components(obj) or ()))

    def _in_parts(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value at containers that JAX knows nothing of, or at arguments given by name."""
        function: Function[..., Any] = self.function
        values = function.positional(args, kwargs)
        if current() is not None:
            return function(*values)
        with self.enabled():
            return self.shown(self._jitted(*map(self.as_tree, values)))

    def _after(self, error: TypeError, args: tuple[Any, ...]) -> Any:
        """What to do about arguments that JAX does not take."""
        function: Function[..., Any] = self.function
        if current() is not None:
            return function(*args)  # called while another function is being traced
        if isinstance(error, DiffcurryError):
            raise error
        for leaf in take_apart(args)[1]:
            _check_number(leaf)
        if self._takes_apart or not any(map(_is_odd, args)):
            raise error
        self._takes_apart = True
        return self._in_parts(args, {})

    @staticmethod
    def as_tree(value: Any) -> Any:
        """An argument as one of JAX's trees, which has no dataclasses."""
        return _parts(value) if _is_odd(value) else value

    @staticmethod
    def shown(result: Any) -> Any:
        """A result as the user gets it."""
        return _whole(result) if type(result) is Parts else result

    def enabled(self) -> AbstractContextManager[Any]:
        """While it holds, JAX keeps numbers of 64 bits."""
        context: AbstractContextManager[Any] = self.jax.enable_x64(True)
        return context

    def lower(self, *args: Any) -> Any:
        """The program as JAX hands it to XLA: ``.as_text()``, ``.compile()``."""
        with self.enabled():
            return self._jitted.lower(*map(self.as_tree, args))

    def compiled_text(self, *args: Any) -> str:
        """The program as XLA runs it."""
        text: str = self.lower(*args).compile().as_text()
        return text

    def source(self, *at: Any) -> str:
        """The program as a module of JAX; without ``fast_math`` the same as ``f.source("jax")``."""
        if not self.fast_math and not self.rules:
            return self.function.source("jax", *at)
        return self._written(program_at(self.function, at)).source

    def __repr__(self) -> str:
        """Of what it is."""
        return f"<xla {self.function!r}>"


def written(
    program: Program,
    name: str,
    doc: str = "",
    *,
    fast_math: bool = False,
    rules: tuple[Rule, ...] = (),
) -> Compiled:
    """A program as JAX, which is called ``name`` if it has no name of its own."""
    lam = program.simplified(folded, fast_math=fast_math, rules=rules)
    return compile_program(lam, name=lam.name or name, doc=doc)


@functools.cache
def asked() -> Any:
    """JAX, which is told of our ``Parts``; where it is missing, how to get it."""
    try:
        jax = import_module("jax")
    except ImportError:
        raise MissingRule(
            "JAX is not installed, and XLA runs through it; pip install 'diffcurry[xla]' brings it"
        ) from None
    _tell(jax)
    return jax


@functools.cache
def _tell(jax: Any) -> None:
    """Tell JAX of our ``Parts``, which it hears once."""
    jax.tree_util.register_pytree_node(
        Parts, lambda parts: (parts.leaves, parts.face), lambda face, leaves: Parts(leaves, face)
    )


class Parts:
    """A container that JAX knows nothing of, as a dataclass: what is in it, and what it is."""

    __slots__ = ("face", "leaves")

    def __init__(self, leaves: Any, face: Face | None) -> None:
        """The leaves, in order, and the container that holds them."""
        self.leaves, self.face = leaves, face


def _parts(value: Any) -> Parts:
    face, leaves = take_apart(value)
    return Parts(tuple(leaves), face)


def _whole(parts: Parts) -> Any:
    return put_together(parts.face, iter(parts.leaves))


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
        return False
    kind, _, parts = opened
    return not issubclass(kind, tuple | list | dict | type(None)) or any(map(_is_odd, parts))


def _stand_in(value: Any) -> Any:
    """An array of no bytes that has the types of a tracer, in the same containers."""
    face, leaves = take_apart(value)
    zeros = (np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape)[()] for leaf in leaves)
    return put_together(face, zeros)


def _shown(value: Any, obj: Object, face: Face | None) -> Any:
    """A result in its containers."""
    product = components(obj)
    if product is None:
        return value
    shown = face if face is not None else face_of(obj)
    assert shown is not None
    return shown.build(list(map(_shown, value, product.parts, shown.children)))
