"""Derivatives of the user's own: ``primitive`` declares one, ``with_derivative`` replaces one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import CellType, FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from combinators.erasure import erased
from combinators.errors import NameTaken, NotDifferentiable, TypeMismatch, WrongDerivative
from combinators.objects import Fun, Object, Real
from combinators.operation import (
    PRIMITIVES,
    Constant,
    Derivative,
    Pair,
    Pointwise,
    Promotion,
    Typing,
    declare,
)
from combinators.primitives.signatures import common_float, pointwise
from combinators.primitives.structural import OVERRIDE
from combinators.spaces import SPACES, Space
from combinators.terms import Lam, packed
from combinators.tracing.definition import argument_types
from combinators.tracing.emit import apply, emit_operation, unpack
from combinators.tracing.faces import Face
from combinators.tracing.functions import (
    Draft,
    Specialisable,
    Specialised,
    coerce,
    function_operand,
    natural,
)
from combinators.tracing.parameters import check_takes
from combinators.tracing.scope import current
from combinators.translate import translate
from combinators.type_folds import cotangent_of, is_first_order
from combinators.value_folds import Layout
from diffcurry.arguments import leaves, numbers_along, sample, signature_of
from diffcurry.closures import arrow_in, lift, lower
from diffcurry.function import Function
from diffcurry.modes import primal
from interpreters.carriers.carrier import computes
from interpreters.carriers.numpy import NumPy

Domain = tuple[float, float]
_OURS = frozenset(PRIMITIVES)


class UserPrimitive:
    """A declared primitive: a function of the language, with values in one carrier or more."""

    checked: str
    """Which laws it was asked for when it was declared, and where; empty if for none."""

    def __init__(
        self,
        function: Callable[..., Any],
        types: tuple[Object, ...],
        domain: Domain | None = None,
        *,
        pinned: bool = False,
    ) -> None:
        """The value is that of ``function``; if ``pinned`` it is meant for ``types`` alone."""
        self.declared, self.types = PRIMITIVES[function.__name__], types
        self.domain, self.pinned, self.checked = domain, pinned, ""
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__ = getattr(function, "__module__", None) or type(function).__module__
        self.__qualname__ = getattr(function, "__qualname__", function.__name__)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """A node while tracing; elsewhere the value. Raises TypeMismatch for keywords."""
        if keywords:
            raise TypeMismatch(
                f"the primitive {self.__name__} takes no keywords, and was given "
                f"{', '.join(keywords)}; pass its arguments by position"
            )
        if current() is not None:
            return unpack(None, apply(self.declared, *args))
        return Function(lambda: apply(self.declared, *args))()

    def __repr__(self) -> str:
        return f"<primitive {self.__name__}>"

    def on(self, carrier: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register the value in another carrier: ``@f.on(Fractions)``."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            computes(self.declared, carrier)(lambda: function)
            return function

        return register


def primitive(
    derivative: Derivative | Callable[..., Any],
    *,
    typing: Typing = pointwise,
    promote: Promotion | None = common_float,
    kink: str = "",
    types: tuple[Object, ...] | None = None,
    domain: Domain | None = None,
    check: bool = True,
) -> Callable[[Callable[..., Any]], UserPrimitive]:
    """Declare a primitive whose NumPy value is the decorated function.

    ``derivative`` is one of the forms of ``combinators.operation``, or the rule of a pointwise
    function, ``rule(v, *xs, y)``: what ``∂y/∂xᵢ · v`` is, for each argument, written in the
    language itself and linear in ``v``. ``typing`` gives the result's type from the arguments'.
    The laws of primitives are asked at points of ``types`` (by default numbers): the value has the
    type that ``typing`` says, the transpose is linear, forward and reverse are each other's
    transposes, the pushforward is how the value changes, and the rationals agree where they have
    the primitive. What is ``pointwise`` is asked at arrays too, where it has to be element by
    element and to leave its arguments alone; ``types`` pins it to the types that they say. The
    numbers are of both signs, from 0.3 to 4 in size, or lie in ``domain``; a point at which the
    value raises or is not finite is left out, and where that is every point, DomainError says so.
    They are random, and a counterexample is the smallest that was found; where hypothesis is not
    installed, or the function is slow, they are fixed and few, and ``checked`` says so.

    A law that fails raises WrongDerivative, and one that could not be asked DomainError or
    MissingRule. TypeMismatch says what is no derivative, no domain, or not of the types. Declaring
    it again replaces it; a name of the language's own raises NameTaken.

    >>> import diffcurry as dc, numpy as np
    >>> @primitive(lambda v, x, y: dc.scale(v, dc.cos(x)))
    ... def sine(x):
    ...     return np.sin(x)
    >>> dc.grad(sine)(0.0)
    np.float64(1.0)
    """
    form = _form(derivative)
    _insist(
        domain is None or _is_domain(domain),
        f"domain is two numbers, (low, high), the lower first, and not {domain!r}",
    )
    _insist(
        callable(typing),
        f"typing is a function, from the types of arguments to a result's, and not {typing!r}",
    )

    def register(function: Callable[..., Any]) -> UserPrimitive:
        name = _name(function)
        asked = _arguments(function, types)
        with ExitStack() as undo:
            undo.callback(declared_before, PRIMITIVES, name, PRIMITIVES.get(name))
            has_spaces = any(isinstance(obj, Space) for obj in asked)
            _insist(
                not has_spaces or isinstance(form, Pair | Constant),
                f"the derivative of {name} at {', '.join(map(repr, asked))} is a Pair, of how "
                "tangents go forwards and how cotangents go back; others are those of arrays",
            )
            taken = None if has_spaces else promote
            declared = declare(name, typing, form, promote=taken, kink=kink)
            compute = _of_values(function, asked) if has_spaces else function
            computes(declared, NumPy)(lambda: compute)
            made = UserPrimitive(function, asked, domain, pinned=types is not None)
            if check:
                if isinstance(form, Pointwise):
                    _check_takes(form.rule, (Real, *asked, Real), "a rule takes v, all xs, and y")
                _tell(getattr(form, "rule", None), name, made, undo)
                made.checked = asked_for_laws(made)
            undo.pop_all()
        return made

    return register


def _insist(holds: bool, message: str) -> None:
    if not holds:
        raise TypeMismatch(message)


def _form(derivative: Any) -> Derivative:
    """A form of derivatives; a function is the rule of a pointwise one."""
    if isinstance(derivative, Derivative):
        return derivative
    _insist(
        callable(derivative) and not isinstance(derivative, type),
        "derivative is a rule, as in lambda v, x, y: dc.scale(v, 2.0 * x), or a form of "
        f"combinators.operation, as in Linear(transpose), and not {derivative!r}",
    )
    return Pointwise(derivative)


def _is_domain(domain: Any) -> bool:
    try:
        low, high = domain
        return bool(-np.inf < low < high < np.inf)
    except (TypeError, ValueError):
        return False


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None)
    if not callable(function) or not isinstance(name, str):
        raise TypeMismatch(
            f"a primitive is declared of a function with a name, and this is {function!r}; "
            "write a def that calls it"
        )
    if name in _OURS:
        raise NameTaken(
            f"the language has a primitive named {name} already, by which its programs and "
            "pickles know it; give yours another name"
        )
    return name


def _arguments(function: Callable[..., Any], types: Any) -> tuple[Object, ...]:
    """The types of the arguments: numbers, where none are said."""
    said = (Real,) * _count(function) if types is None else types
    _insist(
        isinstance(said, tuple | list) and all(isinstance(obj, Object) for obj in said),
        f"types is a tuple of a type for each argument, as in types=(Real,), and not {said!r}",
    )
    _insist(
        bool(said),
        f"a primitive has one argument or more, and {function.__name__} has none; "
        "a constant needs no primitive",
    )
    _check_takes(function, said, "a primitive is called with an argument for each of its types")
    return tuple(said)


def _check_takes(function: Callable[..., Any], types: Sequence[Object], because: str) -> None:
    try:
        check_takes(function, types)
    except TypeMismatch as error:
        raise TypeMismatch(f"{error.args[0]}; {because}", error.place) from None


def _count(function: Callable[..., Any]) -> int:
    """How many arguments it takes by position."""
    signature = signature_of(function)  # a function of C may have none
    kinds = [p.kind for p in signature.parameters.values()] if signature else [_MANY]
    _insist(
        _MANY not in kinds,
        f"how many arguments {function.__name__} takes cannot be told; say their types, as in "
        "types=(Real, Real)",
    )
    return sum(kind in _ONE for kind in kinds)


_MANY = inspect.Parameter.VAR_POSITIONAL
_ONE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def asked_for_laws(declared: Any) -> str:
    """Ask what is declared, a primitive or a type, for its laws; say how it was asked."""
    from diffcurry.models.declaring import checked

    found: str = checked(declared)
    return found


def _of_values(function: Callable[..., Any], types: tuple[Object, ...]) -> Callable[..., Any]:
    """A function of the user's values, on what stands for them in the carrier."""

    def compute(*given: Any) -> Any:
        found = function(*map(lower, given, types))
        kind = type(found)
        return lift(found, natural(found).type, primal()) if kind in SPACES else found

    return compute


def declared_before(table: dict[Any, Any], key: Any, before: Any) -> None:
    """Take a declaration back: what was declared before it is again."""
    table.pop(key, None)
    if before is not None:
        table[key] = before


def _tell(rule: Any, name: str, made: UserPrimitive, undo: ExitStack) -> None:
    """Let a rule that mentions its primitive find it, which gets its name when all is done."""
    if not isinstance(rule, FunctionType):
        return
    for word, cell in zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True):
        if word == name and cell == CellType():  # it is empty
            cell.cell_contents = made
            undo.callback(delattr, cell, "cell_contents")
    if name in rule.__code__.co_names and name not in rule.__globals__:
        rule.__globals__[name] = made
        undo.callback(rule.__globals__.pop, name)


P = ParamSpec("P")
R = TypeVar("R")


def with_derivative(
    f: Callable[P, R], rule: Callable[..., Any], *, check: bool = True
) -> Function[P, R]:
    """``f`` with ``rule(*args, cotangent)`` for the cotangents of its arguments.

    The rule gives one cotangent for one argument, and a tuple for several. What ``f`` captures
    keeps the cotangents that ``f`` itself gives it. The rule is checked, when it is first typed, to
    be linear in the cotangent. Forward mode transposes the rule, at the cost of running it once for
    each number of the result.

    >>> import diffcurry as dc
    >>> straight_through = with_derivative(lambda x: x * x, lambda x, g: g)
    >>> dc.grad(straight_through)(3.0)
    np.float64(1.0)
    """
    for given, what in ((f, "a function"), (rule, "a rule, a function of arguments and cotangent")):
        if not callable(given):
            raise TypeMismatch(f"with_derivative takes {what}, and {given!r:.60} is not callable")

    def overridden(f: Any, *args: P.args, **_: P.kwargs) -> R:
        types, faces = argument_types(args)
        known = tuple(obj for obj in types if isinstance(obj, Object))
        if len(known) != len(types) or not all(map(is_first_order, known)):
            raise NotDifferentiable(
                "with_derivative takes functions of numbers and containers of them; "
                "let f capture the functions that it needs"
            )
        function, face = function_operand(f, known, faces)
        assert isinstance(function.type, Fun)
        made = _rule(rule, known, faces, cotangent_of(function.type.cod), face)
        if check:
            check_linear(made)
        argument = coerce(args[0] if len(args) == 1 else args, packed(known))
        result: R = unpack(face, emit_operation(OVERRIDE, (function, made.operand(), argument)))
        return result

    made: Any = functools.partial(overridden, f)
    made.__name__ = getattr(f, "__name__", "overridden")
    made.__signature__ = signature_of(f) or inspect.signature(lambda *args: args)
    known: Any = f
    return Function(made, known.types if isinstance(known, Specialisable) else None)


def _rule(
    rule: Callable[..., Any],
    types: tuple[Object, ...],
    faces: tuple[Face | None, ...],
    cod: Object,
    face: Face | None,
) -> Specialised:
    """The rule as a λ of the argument and the cotangent."""
    check_takes(rule, (*types, cod))
    dom = packed(types)
    whole = faces[0] if len(types) == 1 else Face(tuple, (), faces)

    def applied(x: Any, cotangent: Any) -> Any:
        return rule(*((x,) if len(types) == 1 else x), cotangent)

    wanted = cotangent_of(dom)
    draft, expected = Draft(applied, (dom, cod), (whole, face), "rule"), list(leaves(wanted))
    fits = len(expected) == len(draft.leaves)
    made = draft.finish(expected) if fits else None
    if made is None or made.lam.body.type is not wanted:
        raise TypeMismatch(
            f"the rule of with_derivative gives the cotangent of {dom!r}, but this gives "
            f"{made.lam.body.type if made else draft.obj!r}"
        )
    return made


def check_linear(made: Specialised) -> None:
    """Raise where the rule is not linear in the cotangent, its last argument (L1, L2)."""
    lam = erased(Lam((*made.captured, *made.lam.params), made.lam.body))
    context = lam.params
    if not all(is_first_order(var.type) for var in context):
        return
    arrow = arrow_in(primal(), translate(context, lam.body))
    random = np.random.default_rng(0)
    *rest, last = (var.type for var in context)
    fixed = [sample(obj, random) for obj in rest]
    first, second = sample(last, random), sample(last, random)
    result = Layout(arrow.cod)

    def run(cotangent: Any) -> list[Any]:
        with np.errstate(all="ignore"):
            return result.flat(arrow.run((*fixed, cotangent)))

    layout = Layout(last)
    pairs = zip(layout.leaves, layout.flat(first), layout.flat(second), strict=True)
    difference = layout.nested(
        (x - 2.5 * y).astype(x.dtype)[()] if numbers_along(leaf) else x for leaf, x, y in pairs
    )
    both = run(difference)
    apart = [x - 2.5 * y for x, y in zip(run(first), run(second), strict=True)]
    for together, separately in zip(both, apart, strict=True):
        if not np.allclose(together, separately, rtol=1e-3, atol=1e-4, equal_nan=True):
            raise WrongDerivative(
                "the rule of with_derivative is not linear in the cotangent: "
                f"rule(x, g - 2.5 h) is {together}, and rule(x, g) - 2.5 rule(x, h) is "
                f"{separately}; let it multiply the cotangent by numbers that depend on x only"
            )
