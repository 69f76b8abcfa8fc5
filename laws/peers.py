"""Other systems as models of the laws: JAX and autograd, on first-order programs.

Their arrows are Python functions over their own modules of arrays, as of ``jax.numpy``. They come
with the extra ``peers``. What they fail is in docs/bring-your-own.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any, Literal

import numpy as np

from combinators.errors import MissingRule
from combinators.morphisms import Primitive
from combinators.objects import Object, Real, Tensor, components
from combinators.operation import Operation, named
from laws.functions import Function, Functions, leafwise, plain
from laws.model import Signature

SMOOTH = {"add": 2, "subtract": 2, "multiply": 2, "negative": 1, "sin": 1, "tanh": 1}


def first_order(
    operations: Mapping[str, int] = SMOOTH,
    reductions: tuple[str, ...] = (),
    *,
    arrays: bool = True,
) -> Signature:
    """First-order programs of pointwise ``operations``, and of ``reductions`` such as ``prod``.

    ``arrays`` says whether they sum, reshape, index and multiply matrices.
    """
    return Signature(
        operations=operations,
        arrays=arrays,
        functions=False,
        loops=False,
        integers=False,
        records=False,
        own=partial(_reduced, reductions) if reductions else None,
    )


class Peer(Functions):
    """A model whose arrows are Python functions; derivatives are functions, and have their own."""

    iterates = True

    def __init__(self, arrays: str, signature: Signature | None = None) -> None:
        """``arrays`` names the module of arrays; by default programs are smooth."""
        super().__init__(asked(arrays))
        self.signature = first_order() if signature is None else signature

    @property
    def category(self) -> Peer:
        """Itself."""
        return self

    @property
    def name(self) -> str:
        """``JAX``."""
        return type(self).__name__

    def __repr__(self) -> str:
        """Its name."""
        return f"<{self.name}>"

    def run(self, arrow: Function, point: Any) -> Any:
        """What a function gives, as NumPy's arrays."""
        with np.errstate(all="ignore"):
            return plain(arrow(point))


def _reduced(names: tuple[str, ...], dom: Object, cod: Object) -> Any:
    """Reductions of a tensor to a number."""
    from hypothesis import strategies as st

    if cod is not Real or not isinstance(dom, Tensor) or not dom.size:
        return None
    given = (("axis", tuple(range(len(dom.shape)))), ("keepdims", False))
    made = [Primitive(Operation(named(name), given), (dom,)) for name in names]
    return st.sampled_from(made)


def asked(module: str) -> Any:
    """An optional module; where it is missing, ``MissingRule`` says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingRule(
            f"{module} is not installed; `pip install 'diffcurry[peers]'` brings it"
        ) from None


class JAX(Peer):
    """``laws.check(models.peers.JAX())``.

    ``branches`` says how a conditional is written: as Python's own ``if``, or as ``jnp.where`` of
    both branches, which ``jit`` and ``vmap`` need.
    """

    def __init__(
        self, signature: Signature | None = None, *, branches: Literal["if", "where"] = "if"
    ) -> None:
        """``signature``: which programs it is asked about, as of ``first_order``."""
        super().__init__("jax.numpy", signature)
        self.jax = asked("jax")
        self.branches = branches

    @property
    def name(self) -> str:
        """``JAX``, and how it branches where that is not as Python does."""
        return "JAX with where" if self.branches == "where" else "JAX"

    def cond(self, dom: Object, then: Function, other: Function) -> Function:
        """One branch; or both, of which one result is selected."""
        if self.branches == "if":
            return super().cond(dom, then, other)

        def selected(test: Any, a: Any, b: Any) -> Any:
            if isinstance(a, tuple):
                return tuple(selected(test, *pair) for pair in zip(a, b, strict=True))
            return self.xp.where(test, a, b)

        return lambda x: selected(x[0], then(x[1]), other(x[1]))

    def run(self, arrow: Function, point: Any) -> Any:
        """What a function gives, in double precision."""
        with self.jax.enable_x64(True):
            return super().run(arrow, self.jax.tree.map(self.xp.asarray, point))

    def D(self, arrow: Function, dom: Object, cod: Object) -> Function:
        """``jax.jvp``."""

        def derivative(pair: Any) -> Any:
            tangent = leafwise(self._vector, pair[1], dom)
            return leafwise(_told, self.jax.jvp(arrow, (pair[0],), (tangent,))[1], cod)

        return derivative

    def R(self, arrow: Function, dom: Object, cod: Object) -> Function:
        """``jax.vjp``."""

        def derivative(pair: Any) -> Any:
            pullback = self.jax.vjp(arrow, pair[0])[1]
            return leafwise(_told, pullback(leafwise(self._vector, pair[1], cod))[0], dom)

        return derivative

    def _vector(self, value: Any, obj: Tensor) -> Any:
        """What JAX takes for a vector: of integers and booleans, zeros of no bytes."""
        return value if obj.is_smooth else np.zeros(obj.shape, self.jax.dtypes.float0)


def _told(vector: Any, obj: Tensor) -> Any:
    return vector if obj.is_smooth else ()


class Autograd(Peer):
    """``laws.check(models.peers.Autograd())``.

    Its own tuples, ``autograd.builtins.tuple``, hold no booleans; so they stand only where a
    function is differentiated, as what it takes and gives.
    """

    def __init__(self, signature: Signature | None = None) -> None:
        """``signature``: which programs it is asked about, as of ``first_order``."""
        super().__init__("autograd.numpy", signature)
        self._pack = asked("autograd.builtins").tuple
        self._operators = asked("autograd.differential_operators")

    def run(self, arrow: Function, point: Any) -> Any:
        """What a function gives; a derivative that is zero goes without a warning."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Output seems independent of input")
            return super().run(arrow, point)

    def D(self, arrow: Function, dom: Object, cod: Object) -> Function:
        """``make_jvp``."""
        of = self._operators.make_jvp(self._between(arrow, cod), 0)
        return lambda pair: of(self._packed(pair[0], dom))(self._packed(pair[1], dom))[1]

    def R(self, arrow: Function, dom: Object, cod: Object) -> Function:
        """``make_vjp``."""
        of = self._operators.make_vjp(self._between(arrow, cod), 0)
        return lambda pair: of(self._packed(pair[0], dom))[0](self._packed(pair[1], cod))

    def _between(self, arrow: Function, cod: Object) -> Function:
        """A function whose results are in tuples of autograd's."""
        return lambda x: self._packed(arrow(x), cod)

    def _packed(self, value: Any, obj: Object) -> Any:
        product = components(obj)
        if product is None:
            return value
        return self._pack([self._packed(value[i], part) for i, part in enumerate(product.parts)])


__all__ = ["JAX", "Autograd", "first_order"]
