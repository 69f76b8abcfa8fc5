"""HIPS autograd as a model: ``make_jvp`` and ``make_vjp`` of functions of ``autograd.numpy``."""

from __future__ import annotations

import warnings
from typing import Any

from combinators.objects import Object, components
from diffcurry.models.peers.functions import Function
from diffcurry.models.peers.peer import Peer, asked
from laws.model import Signature


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
