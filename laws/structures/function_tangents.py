"""Cotangents of functions, in the two forms of *The differentiable curry* (004, section 4).

In one form a function's cotangent is the list of its calls, ``[(b, ȳ), …]`` (Figures 3 and 6); in
the other it is the cotangent of what the function captured (Figure 5). A model says

- ``pull(arrow, point, cotangent)``: what the pullback of an arrow gives, in the model's own form;
- ``covector(probe, obj)``: a probe's covector in that form, lists of calls among them, and
  ``sparse(vector, obj)`` a value's;
- ``part(cotangent, index)`` of a product's cotangent, ``plus(cotangents, obj)``;
- ``told(cotangent, obj, point, probes)``: the numbers in a cotangent at a point, with their places;
- ``calls(cotangent)``: a function's cotangent as a list, in the first form;
- ``captured(cotangent)`` and ``environment(cotangent)``: between a function's cotangent and that of
  the product of what it captured, in the second form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from combinators.kit.quotient import Quotient
from combinators.objects import Fun, Object, Product
from laws.language import (
    D,
    Generator,
    Inner,
    Plus,
    R,
    Variable,
    Zero,
    curry,
    ev,
    pair,
    points,
    uncurry,
)
from laws.law import Computed, Law, Structure
from laws.observation import leaves
from laws.structures.closed import CLOSED

FUNCTION_TANGENTS = Structure(
    "function tangents",
    "Function tangents",
    (CLOSED,),
    methods=("pull", "covector", "part", "plus", "told"),
)
CALLS = Structure("calls", "Lists of calls", (FUNCTION_TANGENTS,), methods=("calls",))
ENVIRONMENTS = Structure(
    "environments", "Environments", (FUNCTION_TANGENTS,), methods=("captured", "environment")
)
PULLED = Structure("pulled functions", "Pulled functions", (CLOSED,), methods=("R",))
PAIRED = Structure(
    "paired functions",
    "Paired functions",
    (FUNCTION_TANGENTS,),
    methods=("D", "inner", "add", "zero", "sparse"),
)

A, B, C = (Variable(name, "data") for name in "ABC")
f = Generator("f", Product(A, B), C)
(a,), (b,) = points("a", A), points("b", B)
code = curry(f)

X, Y, Z = (Variable(name, "vector") for name in "XYZ")
smooth = Generator("f", Product(X, Y), Z)
x, v = points("a v", X)
b1, b2 = points("b₁ b₂", Y)
y1, y2 = points("ȳ₁ ȳ₂", Z)

CURRY = "Vytiniotis et al., The differentiable curry, section 4.1"


class _Here:
    """What the laws say of one scene."""

    def __init__(self, scene: Any) -> None:
        self.scene, self.model, self.probes = scene, scene.model, scene.probes
        self.a, self.b = scene.at(a), scene.at(b)
        self.A, self.B, self.C = (scene.obj(obj) for obj in (A, B, C))
        self.calls = self.probes.cotangent("cs", Fun(self.B, self.C))
        self.more = self.probes.cotangent("ds", Fun(self.B, self.C))

    def result(self, name: str = "ȳ") -> Any:
        return self.model.covector(self.probes.cotangent(name, self.C), self.C)

    def closure(self) -> Any:
        return self.model.value(self.model.run(self.scene.arrow(code), self.a))

    def inside(self) -> Any:
        """``R[f]((a, b), ȳ)``."""
        return self.model.pull(self.scene.arrow(f), (self.a, self.b), self.result())

    def evaluated(self) -> Any:
        """``R[eval]((curry(f)(a), b), ȳ)``."""
        evaluate = self.scene.arrow(ev(B, C))
        return self.model.pull(evaluate, (self.closure(), self.b), self.result())

    def curried(self, cotangent: Any) -> Any:
        """``R[curry(f)](a, cs)``."""
        return self.model.pull(self.scene.arrow(code), self.a, cotangent)

    def of_calls(self, calls: list[Any]) -> Any:
        return self.curried(self.model.covector(calls, Fun(self.B, self.C)))

    def told(self, cotangent: Any, obj: Object, point: Any) -> dict[str, Any]:
        return dict(self.model.told(cotangent, obj, point, self.probes))

    def at_a(self, cotangent: Any) -> dict[str, Any]:
        return self.told(cotangent, self.A, self.a)

    def list_of(self, calls: Iterable[tuple[Any, Any]]) -> Quotient:
        """Calls, to be compared up to the quotient."""
        return Quotient.of_calls(
            (
                [leaf for _, leaf in leaves(self.model, self.B, argument, self.probes)],
                list(self.told(cotangent, self.C, None).values()),
            )
            for argument, cotangent in calls
        )


def _side(text: str, value: Callable[[_Here], Any], latex: str = "") -> Computed:
    return Computed(text, lambda scene: value(_Here(scene)), (f, a, b), latex)


def _law(name: str, statement: str, lhs: Computed, rhs: Computed, of: Structure) -> Law:
    return Law(name, statement, lhs, rhs, of, CURRY)


def _called(here: _Here) -> dict[str, Any]:
    pulled = here.evaluated()
    return {
        "function": here.list_of(here.model.calls(here.model.part(pulled, 0))),
        "argument": here.told(here.model.part(pulled, 1), here.B, here.b),
    }


def _one_call(here: _Here) -> dict[str, Any]:
    return {
        "function": here.list_of([(here.b, here.result())]),
        "argument": here.told(here.model.part(here.inside(), 1), here.B, here.b),
    }


def _summed(here: _Here) -> dict[str, Any]:
    """``Σ π0 R[f]((a, b), ȳ)`` over the calls, each run for itself."""
    model, arrow = here.model, here.scene.arrow(f)
    parts = [
        model.part(model.pull(arrow, (here.a, argument), cotangent), 0)
        for argument, cotangent in model.covector(here.calls, Fun(here.B, here.C))
    ]
    return here.at_a(model.plus(parts, here.A))


def _twice(here: _Here, *, merged: bool) -> dict[str, Any]:
    model = here.model
    first, second = here.result(), here.result("z̄")
    once = [(here.b, model.plus([first, second], here.C))]
    return here.at_a(here.curried(once if merged else [(here.b, first), (here.b, second)]))


def _environment(here: _Here) -> dict[str, Any]:
    captured = here.model.covector((here.probes.cotangent("ē", here.A),), Product(here.A))
    return here.at_a(here.curried(here.model.environment(captured)))


def _given_environment(here: _Here) -> dict[str, Any]:
    return here.at_a(here.model.covector(here.probes.cotangent("ē", here.A), here.A))


def _handed_on(here: _Here) -> dict[str, Any]:
    model, pulled = here.model, here.evaluated()
    captured = model.captured(model.part(pulled, 0))
    return {
        "environment": here.at_a(model.part(captured, 0)),
        "argument": here.told(model.part(pulled, 1), here.B, here.b),
    }


def _of_the_code(here: _Here) -> dict[str, Any]:
    model, pulled = here.model, here.inside()
    return {
        "environment": here.at_a(model.part(pulled, 0)),
        "argument": here.told(model.part(pulled, 1), here.B, here.b),
    }


def _paired(scene: Any) -> Any:
    """``⟨v, R[curry(f)](a, [(b₁, ȳ₁), (b₂, ȳ₂)])⟩``."""
    model, dom = scene.model, scene.obj(X)
    calls = [(scene.at(b1), scene.at(y1)), (scene.at(b2), scene.at(y2))]
    given = [(point, model.sparse(value, scene.obj(Z))) for point, value in calls]
    pulled = model.pull(scene.arrow(curry(smooth)), scene.at(x), given)
    found = [leaf for _, leaf in model.told(pulled, dom, scene.at(x), scene.probes)]
    along = [leaf for _, leaf in leaves(model, dom, scene.at(v), scene.probes)]
    products = [np.sum(p * q) for p, q in zip(found, along, strict=True)]
    return reduce(add, products) if products else 0


def _moving(argument: Generator, cotangent: Generator) -> Inner:
    """``⟨D[f]((a, b), (v, 0)), ȳ⟩``."""
    still = Zero(Product(), Y)
    return Inner(pair(pair(x, argument), pair(v, still)) >> D(smooth), cotangent)


LAWS = (
    _law(
        "H1a",
        "eval hands its function the list of one call, and its argument what the function does",
        _side("R[eval]((curry(f)(a), b), ȳ)", _called),
        _side("([(b, ȳ)], π1 R[f]((a, b), ȳ))", _one_call),
        CALLS,
    ),
    _law(
        "H1b",
        "curry sums what each call gives",
        _side("R[curry(f)](a, cs)", lambda here: here.at_a(here.of_calls(here.calls))),
        _side("Σ_{(b,ȳ)∈cs} π0 R[f]((a, b), ȳ)", _summed),
        CALLS,
    ),
    _law(
        "H2a",
        "two lists of calls, one after the other, give the sum",
        _side(
            "R[curry(f)](a, cs ++ ds)",
            lambda here: here.at_a(here.of_calls(here.calls + here.more)),
        ),
        _side(
            "R[curry(f)](a, cs) + R[curry(f)](a, ds)",
            lambda here: here.at_a(
                here.model.plus([here.of_calls(here.calls), here.of_calls(here.more)], here.A)
            ),
        ),
        FUNCTION_TANGENTS,
    ),
    _law(
        "H2b",
        "no calls give zero",
        _side("R[curry(f)](a, [])", lambda here: here.at_a(here.of_calls([]))),
        _side("0", lambda here: here.at_a(here.model.plus([], here.A))),
        FUNCTION_TANGENTS,
    ),
    _law(
        "H2c",
        "the order of calls does not matter",
        _side("R[curry(f)](a, cs)", lambda here: here.at_a(here.of_calls(here.calls))),
        _side(
            "R[curry(f)](a, reversed cs)", lambda here: here.at_a(here.of_calls(here.calls[::-1]))
        ),
        FUNCTION_TANGENTS,
    ),
    _law(
        "H3a",
        "two calls with one argument are a call with the sum",
        _side("R[curry(f)](a, [(b, ȳ), (b, z̄)])", lambda here: _twice(here, merged=False)),
        _side("R[curry(f)](a, [(b, ȳ + z̄)])", lambda here: _twice(here, merged=True)),
        FUNCTION_TANGENTS,
    ),
    _law(
        "H3b",
        "a call with zero is no call",
        _side(
            "R[curry(f)](a, [(b, 0)])",
            lambda here: here.at_a(here.curried([(here.b, here.model.plus([], here.C))])),
        ),
        _side("R[curry(f)](a, [])", lambda here: here.at_a(here.of_calls([]))),
        FUNCTION_TANGENTS,
    ),
    _law(
        "H4a",
        "curry hands the cotangent of the environment on",
        _side("R'[curry(f)](a, ē)", _environment),
        _side("ē", _given_environment),
        ENVIRONMENTS,
    ),
    _law(
        "H4b",
        "eval gives the cotangents of the environment and of the argument",
        _side("R'[eval]((curry(f)(a), b), ȳ)", _handed_on),
        _side("R'[f]((a, b), ȳ)", _of_the_code),
        ENVIRONMENTS,
    ),
    _law(
        "H5",
        "what eval hands to a function and a call of it give one gradient: the two forms agree",
        _side(
            "R[curry(f)](a, π0 R[eval]((curry(f)(a), b), ȳ))",
            lambda here: here.at_a(here.curried(here.model.part(here.evaluated(), 0))),
        ),
        _side(
            "R[curry(f)](a, [(b, ȳ)])",
            lambda here: here.at_a(here.curried([(here.b, here.result())])),
        ),
        FUNCTION_TANGENTS,
    ),
    Law(
        "H6",
        "β on pullbacks: a curried function that is applied pulls back as its body",
        R(uncurry(curry(f))),
        R(f),
        PULLED,
        CURRY,
        implied_by=("E1",),
    ),
    Law(
        "H7",
        "transposes at function types: ⟨k, cs⟩ = Σ ⟨k(b), ȳ⟩ is what calls mean",
        Plus(_moving(b1, y1), _moving(b2, y2)),
        Computed(
            "⟨v, R[curry(f)](a, [(b₁, ȳ₁), (b₂, ȳ₂)])⟩", _paired, (smooth, x, v, b1, b2, y1, y2)
        ),
        PAIRED,
        "Vytiniotis et al., section 4.1; law L3 at function types",
        tame=True,
    ),
)
