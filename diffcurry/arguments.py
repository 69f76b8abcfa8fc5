"""Arguments: in order, of the types that are expected, named by ``argnums``, and their leaves."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from combinators.errors import NotDifferentiable, TypeMismatch
from combinators.objects import Object, Product, Tensor, components
from combinators.spaces import SPACES, Space
from combinators.tracing.faces import STATIC, Face, open_up, take_apart
from combinators.type_folds import cotangent_of
from combinators.value_folds import Layout


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, where it has one."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def in_order(
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    name: str,
    *,
    at_least: int = 0,
    partial: bool = False,
) -> tuple[Any, ...]:
    """The arguments in order; with defaults, if there are to be ``at_least`` so many.

    ``TypeMismatch`` where the function ``name`` does not take them; where they are ``partial``, the
    rest is given by name.
    """
    try:
        given = (signature.bind_partial if partial else signature.bind)(*args, **kwargs)
    except TypeError as error:
        raise TypeMismatch(f"{name}{_counted(signature, args) or f': {error}'}") from None
    if len(given.args) < at_least:
        given.apply_defaults()
        return given.args[:at_least]
    return given.args


def by_name(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any], name: str
) -> tuple[str, ...]:
    """Which of ``kwargs`` are settings, or no next arguments: others are missing before them."""
    if signature is None:
        return ()
    in_order(signature, args, kwargs, name)  # it says what is not taken
    places = [p.name for p in signature.parameters.values() if p.kind is _POSITIONAL]
    after = places[len(args) :]
    stops = (i for i, word in enumerate(after) if word not in kwargs or is_setting(kwargs[word]))
    reached = next(stops, len(after))
    return tuple(word for word in kwargs if word not in after[:reached])


Names = str | Sequence[str]
"""The name of a parameter, or several."""


def places(
    names: Sequence[str], signature: inspect.Signature | None, function: str
) -> frozenset[int]:
    """Where parameters stand; TypeMismatch where the ``function`` has none of that name."""
    known = list(signature.parameters) if signature is not None else []
    for name in names:
        if name not in known:
            raise TypeMismatch(f"static={name!r} names no parameter of {function}")
    return frozenset(map(known.index, names))


def is_setting(value: Any) -> bool:
    """Whether an argument by name chooses a program: what is static wherever it stands."""
    return isinstance(value, (bool, *STATIC))


def _counted(signature: inspect.Signature, args: tuple[Any, ...]) -> str:
    """How many arguments there may be, and how many there are; nothing where that is no matter."""
    kinds = [p.kind for p in signature.parameters.values()]
    takes = sum(kind in (_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY) for kind in kinds)
    if inspect.Parameter.VAR_POSITIONAL in kinds or len(args) <= takes:
        return ""
    plural = "" if takes == 1 else "s"
    return f" takes {takes} argument{plural} by position, and was given {len(args)}"


_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def face_at(value: Any, obj: Object) -> Face | None:
    """The containers of a value of type ``obj``, as far as the type is of products."""
    product, opened = components(obj), open_up(value)
    if product is None or opened is None or len(opened[2]) != product.width:
        return None
    parts = zip(opened[2], product.parts, strict=True)
    return Face(opened[0], opened[1], tuple([face_at(part, below) for part, below in parts]))


Argnums = int | tuple[int, ...] | list[int]


def chosen(argnums: Argnums, count: int) -> tuple[int, ...]:
    """The argument positions that ``argnums`` names, from the front."""
    try:
        given = tuple(map(_integer, argnums if is_many(argnums) else (argnums,)))
    except TypeError:
        said = f"argnums is an int or a tuple of ints, and this is {argnums!r}"
        raise TypeMismatch(said) from None
    for index in given:
        if not -count <= index < count:
            raise TypeMismatch(
                f"argnums={argnums!r} names an argument that is not there; "
                f"the function takes {count}"
            )
    return tuple(index % count for index in given)


def is_many(argnums: Argnums) -> TypeGuard[tuple[int, ...] | list[int]]:
    """Whether a tuple is asked for, of gradients or the like; a list is as good as a tuple."""
    return isinstance(argnums, (tuple, list))


def _integer(value: Any) -> int:
    """Python's int of one, or of one of NumPy's; a TypeError of anything else, and of a bool."""
    if isinstance(value, bool):
        raise TypeError("a bool is no integer here")
    return operator.index(value)


def check_scalar(obj: Object) -> None:
    """Raise where a gradient is asked of what is not one real number."""
    is_still = isinstance(obj, Tensor) and not obj.is_smooth
    if is_still or not isinstance(obj, Tensor) or obj.shape:
        advice = "; reduce it, as by np.sum, or use jacobian(f)"
        floats = ", which has no tangents; let the arguments be floats, as 3.0 for 3"
        raise NotDifferentiable(
            f"grad takes a function whose result is one Real, and this gives {obj!r}"
            f"{floats if is_still else advice}"
        )


def leaves(obj: Object) -> tuple[Object, ...]:
    """The leaves of an object, from the left."""
    return Layout(obj).leaves


def numbers_along(leaf: Object) -> Tensor | None:
    """What the tangents of a leaf are made of, where that is numbers that are added as such."""
    obj = cotangent_of(leaf)
    if isinstance(obj, Space) and obj.declared.plus is None:
        obj = obj.coordinates
    return obj if isinstance(obj, Tensor) and obj.is_smooth else None


def of_coordinates(leaves: Sequence[Any], word: str) -> None:
    """Raise where one is of a class with a tangent space of its own: ``word`` moves numbers."""
    for leaf in leaves:
        if type(leaf) in SPACES:
            raise NotDifferentiable(
                f"{word} moves numbers, and this is {leaf!r:.60}, which moves as it was declared; "
                "give it the function of the coordinates"
            )


def sample(obj: Object, random: np.random.Generator) -> Any:
    """A random value of a first-order object, of floats between 1/2 and 3/2 and of ones."""

    def drawn(leaf: Any) -> Any:
        ones = np.ones(leaf.shape) if not leaf.is_smooth else random.uniform(0.5, 1.5, leaf.shape)
        return ones.astype(leaf.dtype)[()]

    layout = Layout(obj)
    return layout.nested(map(drawn, layout.leaves))


def are_types(args: tuple[Any, ...]) -> bool:
    """Whether these are types; types and values do not mix."""
    if not any(isinstance(arg, Object) for arg in args):
        return False
    if not all(isinstance(arg, Object) for arg in args):
        raise TypeMismatch("give types for all arguments or values for all, not some of each")
    return True


def is_function(value: Any) -> bool:
    """Whether a value is called and is no container."""
    return callable(value) and open_up(value) is None


def holds_functions(values: Sequence[Any]) -> bool:
    """Whether there are functions among ``values`` or in their containers."""
    try:
        return any(is_function(leaf) for value in values for leaf in take_apart(value)[1])
    except RecursionError:
        return False  # of a container too deep it is said elsewhere


def of_pair(product: Object, face: Face | None, has_aux: bool) -> tuple[Object, Face | None]:
    """The first component of ``(result, aux)``, where ``has_aux`` holds."""
    if not has_aux:
        return product, face
    if not isinstance(product, Product) or product.width != 2:
        raise TypeMismatch(
            f"has_aux=True takes a function that gives (value, aux), not {product!r}"
        )
    return product.parts[0], face.children[0] if face is not None else None
