"""JAX as a model: ``jvp`` and ``vjp`` of functions of ``jax.numpy``, in double precision."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from combinators.objects import Object, Tensor
from diffcurry.models.peers.functions import Function, Functions, leafwise
from diffcurry.models.peers.peer import Peer, asked
from laws.model import Signature


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
        if branches == "where":
            self.category = _Selecting(self.category.xp)
            self.name = "JAX with where"

    name = "JAX"

    def run(self, arrow: Function, point: Any) -> Any:
        """What a function gives, in double precision."""
        with self.jax.enable_x64(True):
            return super().run(arrow, self.jax.tree.map(self.category.xp.asarray, point))

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


class _Selecting(Functions):
    """Both branches are computed, and one result is selected."""

    def cond(self, dom: Object, then: Function, other: Function) -> Function:
        def selected(x: Any) -> Any:
            return self._picked(x[0], then(x[1]), other(x[1]))

        return selected

    def _picked(self, test: Any, a: Any, b: Any) -> Any:
        if isinstance(a, tuple):
            return tuple(self._picked(test, *pair) for pair in zip(a, b, strict=True))
        return self.xp.where(test, a, b)
