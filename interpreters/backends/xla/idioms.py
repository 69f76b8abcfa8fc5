"""Several primitives that are one thing: recognised by how their operands were made.

A derivative rule says in the language what XLA computes better at once; what its parts would have
given is then named for nothing, and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from interpreters.backends.text.layout import Text, call
from interpreters.backends.xla.values import Leaf, Origin


def _made(leaf: Leaf, name: str) -> Origin:
    """How a value was made, if ``name`` made it."""
    if leaf.origin is None or leaf.origin.name != name:
        raise _Another
    return leaf.origin


def _same(x: Leaf, y: Leaf) -> str:
    """The text of one value that stands twice."""
    if x.text != y.text:
        raise _Another
    return x.text


def _over_cosh_twice(quotient: Leaf, divisor: Leaf) -> Text:
    """``v / cosh x / cosh x``, the cotangent of ``tanh x``: one exponential instead of two."""
    v, first = _made(quotient, "unscale").operands
    x = _same(*(_made(c, "cosh").operands[0] for c in (first, divisor)))
    return call("_scale", v.text, f"_sech_squared({x})")


def _shares(e: Leaf, total: Leaf) -> Text:
    """The shares of a sum of exponentials, the cotangent of ``logsumexp``, without a logarithm."""
    summed = _made(total, "sum")
    _same(summed.operands[0], e)
    x, base = _made(_made(e, "exp").operands[0], "subtract").operands
    _, _, logarithm = _made(base, "where").operands
    if logarithm.origin is not None and logarithm.origin.name == "reshape":
        (logarithm,) = logarithm.origin.operands
    logsumexp = _made(logarithm, "logsumexp")
    axis = logsumexp.parameters["axis"]
    if axis != summed.parameters["axis"] or not summed.parameters["keepdims"]:
        raise _Another
    return call("_softmax", _same(x, logsumexp.operands[0]), str(axis))


def _all_but_one(before: Leaf, behind: Leaf) -> Text:
    """What stands before each element times what stands behind it: the cotangent of ``prod``."""
    x, y = (_made(leaf, "exclusive_cumprod") for leaf in (before, behind))
    axes = {x.parameters["axis"], y.parameters["axis"]}
    if len(axes) > 1 or x.parameters["reverse"] == y.parameters["reverse"]:
        raise _Another
    return call("_others", _same(x.operands[0], y.operands[0]), str(*axes))


_IDIOMS: dict[str, Sequence[Callable[..., Text]]] = {
    "unscale": (_over_cosh_twice, _shares),
    "multiply": (_all_but_one,),
}
"""By the primitive that is last: the text of the whole."""


def idiom(name: str, operands: Sequence[Leaf]) -> Text | None:
    """The text of what ``name`` ends, where it is more than it seems."""
    for written in _IDIOMS.get(name, ()):
        with suppress(_Another):
            return written(*operands)
    return None


class _Another(Exception):
    """It is another thing."""
