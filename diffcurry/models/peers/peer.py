"""What the models of peers have in common: functions, sums, and what they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.morphisms import Primitive
from combinators.objects import Object, Real, Tensor
from combinators.operation import Operation, named
from diffcurry.models.peers.functions import Function, Functions, plain
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


class Peer:
    """A model whose arrows are Python functions; derivatives are functions, and have their own."""

    iterates = True

    def __init__(self, arrays: str, signature: Signature | None = None) -> None:
        """``arrays`` names the module of arrays; by default programs are smooth."""
        self.category = Functions(asked(arrays))
        self.signature = first_order() if signature is None else signature

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

    def add(self, left: Function, right: Function, dom: Object, cod: Object) -> Function:
        """``f + g``."""
        return self.category.add(left, right, cod)

    def zero(self, dom: Object, cod: Object) -> Function:
        """``0``."""
        return self.category.zero(cod)

    def scale(self, number: Function, arrow: Function, dom: Object, cod: Object) -> Function:
        """``λ · f``."""
        return self.category.scale(number, arrow, cod)

    def inner(self, left: Function, right: Function, dom: Object, obj: Object) -> Function:
        """``⟨f, g⟩``."""
        return self.category.inner(left, right, obj)


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
