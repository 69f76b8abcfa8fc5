"""The classic ways in which differentiation goes wrong: programs of a few lines, and the answers.

An exhibit is one program for any library that has ``grad``, ``derivative`` (forwards),
``pullback``, ``function``, ``fold`` and NumPy's functions; what is right is derived by hand.
``museum`` runs them, here and in the libraries that are installed; else it shows what they were
measured to give.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

MARKS = {"right": "✓", "wrong": "✗", "refused": "–"}
MEASURED = Path(__file__).with_name("museum.json")
"""What other libraries gave, with their versions."""


@dataclass(frozen=True)
class Exhibit:
    """A program that is known to go wrong, what it should give, and why."""

    name: str
    source: str
    """Who showed it, or where it is met."""
    program: Callable[[Any], Any]
    right: tuple[float, ...]
    because: str


class Seen(NamedTuple):
    """What a library gives for an exhibit: numbers, or the name of the error that it raises."""

    text: str
    how: str
    """``right``, ``wrong``, or ``refused``."""


EXHIBITS: list[Exhibit] = []


def exhibit(
    name: str, source: str, because: str, *right: float
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Add a program to the museum."""

    def add(program: Callable[[Any], Any]) -> Callable[[Any], Any]:
        EXHIBITS.append(Exhibit(name, source, program, right, because))
        return program

    return add


@exhibit(
    "perturbation confusion",
    "Siskind and Pearlmutter, 2005",
    "d/dy (x + y) is 1, so the outer function is x, whose derivative is 1; who confuses the two "
    "tangents gives 2",
    1.0,
)
def _perturbations(at: Any) -> Any:
    inner: Any = lambda x: at.derivative(lambda y: x + y)(at.number(1.0))
    return at.derivative(lambda x: x * inner(x))(at.number(1.0))


@exhibit(
    "sensitivity confusion",
    "the same in reverse mode",
    "the gradient of x times a gradient that does not depend on x is that gradient, 1",
    1.0,
)
def _sensitivities(at: Any) -> Any:
    inner: Any = lambda x: at.grad(lambda y: x + y)(at.number(2.0))
    return at.grad(lambda x: x * inner(x))(at.number(1.0))


@exhibit(
    "the amazing bug",
    "Manzyuk, Pearlmutter, Radul, Rush and Siskind, 2012",
    "of s(u) = λf. λx. f(x + u) the derivative at 0 is λf. f'; twice applied to sin it gives "
    "-sin, and who tags tangents once a derivative gives 0",
    -math.sin(1.0),
)
def _amazing(at: Any) -> Any:
    return at.shifted(at.shifted(at.np.sin))(at.number(1.0))


@exhibit(
    "a product with a zero",
    "every prod whose derivative divides by its argument",
    "the derivative by x0 of x0·x1·x2 is x1·x2, also where x0 is 0; where x1 is 0 too, all are 0",
    *(6.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)
def _products(at: Any) -> Any:
    slopes = at.grad(at.np.prod)
    return [*slopes(at.array([0.0, 2.0, 3.0])), *slopes(at.array([0.0, 0.0, 3.0]))]


@exhibit(
    "where, and 0 · ∞",
    "every manual of automatic differentiation",
    "at 0 the branch that is taken is the constant 0; the infinite slope of the root is not taken",
    0.0,
)
def _where(at: Any) -> Any:
    return at.grad(lambda x: at.np.where(x > 0, at.np.sqrt(x), 0.0 * x))(at.number(0.0))


@exhibit(
    "a branch not taken",
    "sin x / x at 0",
    "at 0 the program is the constant 1; the quotient 0/0 is not taken",
    0.0,
)
def _branch(at: Any) -> Any:
    return at.grad(lambda x: at.np.where(x == 0, 1.0 + 0.0 * x, at.np.sin(x) / x))(at.number(0.0))


@exhibit(
    "the norm at 0",
    "every regulariser",
    "0 is the subgradient of least norm; 0/0 is none",
    0.0,
    0.0,
)
def _norm(at: Any) -> Any:
    return at.grad(lambda x: at.np.sqrt(at.np.sum(x * x)))(at.array([0.0, 0.0]))


@exhibit(
    "the larger of two that are equal", "max of ties", "max(x, x) is x, whose derivative is 1", 1.0
)
def _ties(at: Any) -> Any:
    return at.grad(lambda x: at.np.maximum(x, x))(at.number(3.0))


@exhibit("x ** 0 at 0", "the power rule, 0 · 0⁻¹", "x ** 0 is 1 everywhere, and still at 0", 0.0)
def _power(at: Any) -> Any:
    return at.grad(lambda x: x ** at.number(0.0))(at.number(0.0))


@exhibit(
    "a whole number",
    "the first thing that one types",
    "the derivative of x·x at 3 is 6; the 3 was a number, and not a statement on memory",
    6.0,
)
def _whole(at: Any) -> Any:
    return at.grad(lambda x: x * x)(3)


@exhibit(
    "doubling, forty times",
    "linear negation without sharing (002, section 5)",
    "x = x + x forty times is 2⁴⁰ x; who follows each use visits 2⁴⁰ nodes",
    2.0**40,
)
def _doubling(at: Any) -> Any:
    def doubled(x: Any) -> Any:
        for _ in range(40):
            x = x + x
        return x

    return at.grad(doubled)(at.number(1.0))


@exhibit(
    "sum of environments",
    "cotangents of closures of different code (001, section 3; 002, section 5)",
    "of 2, f gives 2x and g gives 2x² + x, by what they captured; together that is 4x + 3, at 3",
    15.0,
)
def _environments(at: Any) -> Any:
    def called(x: Any) -> Any:
        f, g = at.function(lambda a: a * x), at.function(lambda a: a * (x * x) + x)
        return f(2.0) + g(2.0)

    return at.grad(called)(at.number(3.0))


@exhibit(
    "cotangents that share memory",
    "accumulation in place",
    "the cotangents of x + y are equal and two: to add to one does not change the other",
    1.0,
    1.0,
)
def _aliases(at: Any) -> Any:
    back = at.pullback(lambda x, y: x + y, at.array([1.0, 2.0]), at.array([3.0, 4.0]))
    left, right = back(at.array([1.0, 1.0]))
    left += 1.0
    return right


@exhibit(
    "a pullback that is used again",
    "residuals that are overwritten",
    "the pullback of x0·x1 at (2, 3) gives (3, 2), also after another was made and used, twice",
    3.0,
    2.0,
)
def _again(at: Any) -> Any:
    product: Any = lambda x: at.np.sum(x[0] * x[1])
    first = at.pullback(product, at.array([2.0, 3.0]))
    at.pullback(product, at.array([5.0, 7.0]))(at.number(1.0))
    first(at.number(1.0))
    return first(at.number(1.0))[0]


@exhibit(
    "a fold whose residuals are overwritten",
    "loops that update their state in place",
    "of c = c·x by 2, 3 and 5 each factor's is the product of the others, by what c was before it, "
    "1, 2 and 6; who keeps one place for all rounds, or for both folds, has another number there",
    *(15.0, 10.0, 6.0),
)
def _rounds(at: Any) -> Any:
    def step(c: Any, x: Any) -> Any:
        c *= x
        return c

    product: Any = lambda xs: at.fold(step, at.number(1.0), xs)
    back = at.pullback(product, at.array([2.0, 3.0, 5.0]))
    at.pullback(product, at.array([7.0, 7.0, 7.0]))(at.number(1.0))
    return back(at.number(1.0))[0]


# --- the libraries: each loads itself


def _library(
    numpy: Any, number: Any, array: Any, grad: Any, derivative: Any, pullback: Any
) -> SimpleNamespace:
    """A library, which may differentiate a function that gives a function, as ours is asked to."""

    def shifted(f: Any) -> Any:
        return derivative(lambda u: lambda f: lambda x: f(x + u))(number(0.0))(f)

    def reduced(f: Any, start: Any, xs: Any) -> Any:
        for x in xs:
            start = f(start, x)
        return start

    return SimpleNamespace(
        np=numpy,
        number=number,
        array=array,
        function=lambda f: f,
        fold=reduced,
        grad=grad,
        derivative=derivative,
        pullback=pullback,
        shifted=shifted,
    )


def _ours() -> Any:
    dc = import_module("diffcurry")
    functions = dc.Fun(dc.Real, dc.Real)
    moved = dc.fun(lambda u: dc.fun(lambda f: dc.fun(lambda x: f(x + u), dc.Real), functions))
    derivative: Any = lambda f: lambda x: dc.jvp(f, (x,), (1.0,))[1]
    made = _library(np, float, np.array, dc.grad, derivative, lambda f, *at: dc.vjp(f, *at)[1])

    def shifted(f: Any) -> Any:
        known = dc.fun(f, dc.Real)

        def slope(x: Any) -> Any:
            return derivative(moved)(0.0)(known)(x)

        return dc.fun(slope, dc.Real)

    made.shifted, made.function, made.fold = shifted, lambda f: dc.fun(f, dc.Real), dc.fold
    return made


def _jax() -> Any:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    number: Any = lambda x: jax.numpy.asarray(x, dtype=float)
    derivative: Any = lambda f: lambda x: jax.jvp(f, (x,), (number(1.0),))[1]
    pullback: Any = lambda f, *at: jax.vjp(f, *at)[1]
    made = _library(jax.numpy, number, number, jax.grad, derivative, pullback)
    made.fold = lambda f, start, xs: jax.lax.scan(lambda c, x: (f(c, x), None), start, xs)[0]
    return made


def _autograd() -> Any:
    autograd = import_module("autograd")
    derivative: Any = lambda f: lambda x: autograd.make_jvp(f)(x)(1.0)[1]
    pullback: Any = lambda f, *at: autograd.make_vjp(lambda packed: f(*packed))(tuple(at))[0]
    numpy = import_module("autograd.numpy")
    return _library(numpy, float, np.array, autograd.grad, derivative, pullback)


def _torch() -> Any:
    torch = import_module("torch")
    number: Any = lambda x: torch.tensor(x, dtype=torch.float64)
    derivative: Any = lambda f: lambda x: torch.func.jvp(f, (x,), (number(1.0),))[1]
    pullback: Any = lambda f, *at: torch.func.vjp(f, *at)[1]
    return _library(torch, number, number, torch.func.grad, derivative, pullback)


LIBRARIES: dict[str, Callable[[], Any]] = {
    "diffcurry": _ours,
    "jax": _jax,
    "torch": _torch,
    "autograd": _autograd,
}


def seen(exhibited: Exhibit, library: Any) -> Seen:
    """Run an exhibit. A library may refuse: that is no wrong number, and not the right one."""
    try:
        with np.errstate(all="ignore"):
            found = np.atleast_1d(np.asarray(exhibited.program(library), dtype=float))
    except Exception as error:  # noqa: BLE001  # whatever it says no with
        return Seen(type(error).__name__, "refused")
    is_right = found.shape == np.shape(exhibited.right) and bool(
        np.allclose(found, exhibited.right, rtol=1e-12, atol=1e-12)
    )
    return Seen(_numbers(found), "right" if is_right else "wrong")


def _numbers(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:.6g}" for number in numbers)


def run(name: str) -> dict[str, Any] | None:
    """All exhibits in a library, with its version; None where it is not installed."""
    try:
        library, installed = LIBRARIES[name](), version(name)
    except (ModuleNotFoundError, PackageNotFoundError):
        return None
    return {"version": installed, "seen": {one.name: [*seen(one, library)] for one in EXHIBITS}}


def measured() -> dict[str, dict[str, Any]]:
    """What each library gave when it was last measured, by its name: what ``run`` gives of it."""
    found: dict[str, dict[str, Any]] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found


def museum() -> str:
    """All exhibits as text, a line a library: run where it is installed, else as last measured.

    What libraries warn of is not shown.
    """
    last = measured()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        now = {name: run(name) for name in LIBRARIES}
    lines: list[str] = []
    for one in EXHIBITS:
        lines += [
            "",
            f"{one.name} ({one.source})",
            f"    right: {_numbers(one.right)}; {one.because}",
        ]
        for name, ran in now.items():
            known = ran or last.get(name)
            if known is not None:
                text, how = known["seen"].get(one.name, ("not measured", "refused"))
                when = "" if ran else ", as last measured"
                lines.append(f"  {MARKS[how]} {name} {known['version']}{when}: {text}")
    return "\n".join(lines[1:])
