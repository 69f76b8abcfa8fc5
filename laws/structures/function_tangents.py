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

A user sees a cotangent of a function as the list of its calls or as what it captured, a tangent as
a function or not at all where it is zero, and what is shown and read back is what it was:

- ``shows``: whether its numbers are such as users are shown;
- ``show(cotangent, obj, value)`` and ``read(shown, obj, value)``, of a cotangent at a value;
- ``push(arrow, point, probe)``: the tangent that an arrow gives along a probe, and
  ``show_tangent(tangent, obj)``, ``read_tangent(shown, obj, value)``;
- ``told_tangent(tangent, obj, probes)``: the numbers in a tangent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial, reduce
from operator import add
from typing import Any

import numpy as np

from combinators.kit.quotient import Quotient
from combinators.morphisms import Curry, Morphism, Projection
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
from laws.law import Law, Structure, stating
from laws.observation import at_value, leaves
from laws.structures.categories import CLOSED

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


class _Here:
    """What the laws say of one scene."""

    def __init__(self, scene: Any) -> None:
        self.scene, self.model, self.probes = scene, scene.model, scene.probes
        self.a, self.b = scene.at(a), scene.at(b)
        self.A, self.B, self.C = (scene.obj(obj) for obj in (A, B, C))
        self.calls = self.probes.cotangent("cs", Fun(self.B, self.C))
        self.more = self.probes.cotangent("ds", Fun(self.B, self.C))

    @cached_property
    def y(self) -> Any:
        return self.result("ȳ")

    @cached_property
    def e(self) -> Any:
        """``ē``, of the product of what the function captures."""
        return self.model.covector((self.probes.cotangent("ē", self.A),), Product(self.A))

    def result(self, name: str) -> Any:
        return self.model.covector(self.probes.cotangent(name, self.C), self.C)

    def inside(self) -> Any:
        """``R[f]((a, b), ȳ)``."""
        return self.model.pull(self.scene.arrow(f), (self.a, self.b), self.y)

    def evaluated(self) -> Any:
        """``R[eval]((curry(f)(a), b), ȳ)``."""
        closure = self.model.value(self.model.run(self.scene.arrow(code), self.a))
        return self.model.pull(self.scene.arrow(ev(B, C)), (closure, self.b), self.y)

    def curried(self, cotangent: Any) -> Any:
        """``R[curry(f)](a, cs)``."""
        return self.model.pull(self.scene.arrow(code), self.a, cotangent)

    def of_calls(self, calls: list[Any]) -> Any:
        return self.curried(self.model.covector(calls, Fun(self.B, self.C)))

    def sum(self, *cotangents: Any) -> Any:
        return self.model.plus(list(cotangents), self.A)

    def told(self, cotangent: Any, obj: Object, point: Any) -> dict[str, Any]:
        return dict(self.model.told(cotangent, obj, point, self.probes))

    def at_a(self, cotangent: Any) -> dict[str, Any]:
        return self.told(cotangent, self.A, self.a)

    def at_b(self, pulled: Any) -> dict[str, Any]:
        """The argument's cotangent, in that of a function or an environment and its argument."""
        return self.told(self.model.part(pulled, 1), self.B, self.b)

    def list_of(self, calls: Iterable[tuple[Any, Any]]) -> Quotient:
        """Calls, to be compared up to the quotient."""
        return Quotient.of_calls(
            (
                [leaf for _, leaf in leaves(self.model, self.B, argument, self.probes)],
                list(self.told(cotangent, self.C, None).values()),
            )
            for argument, cotangent in calls
        )


def _called(here: _Here) -> dict[str, Any]:
    pulled = here.evaluated()
    calls = here.list_of(here.model.calls(here.model.part(pulled, 0)))
    return {"function": calls, "argument": here.at_b(pulled)}


def _one_call(here: _Here) -> dict[str, Any]:
    return {"function": here.list_of([(here.b, here.y)]), "argument": here.at_b(here.inside())}


def _summed(here: _Here) -> Any:
    """``Σ π0 R[f]((a, b), ȳ)`` over the calls, each run for itself."""
    model, arrow = here.model, here.scene.arrow(f)
    calls = model.covector(here.calls, Fun(here.B, here.C))
    return here.sum(*(model.part(model.pull(arrow, (here.a, b), y), 0) for b, y in calls))


def _twice(here: _Here, *, merged: bool) -> Any:
    calls = [(here.b, here.y), (here.b, here.result("z̄"))]
    once = [(here.b, here.model.plus([y for _, y in calls], here.C))]
    return here.curried(once if merged else calls)


def _handed_on(here: _Here) -> dict[str, Any]:
    pulled = here.evaluated()
    captured = here.model.captured(here.model.part(pulled, 0))
    return {"environment": here.at_a(here.model.part(captured, 0)), "argument": here.at_b(pulled)}


def _of_the_code(here: _Here) -> dict[str, Any]:
    pulled = here.inside()
    return {"environment": here.at_a(here.model.part(pulled, 0)), "argument": here.at_b(pulled)}


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


def _moving(argument: Generator, cotangent: Generator) -> Morphism:
    """``⟨D[f]((a, b), (v, 0)), ȳ⟩``."""
    still = Zero(Product(), Y)
    return Inner(pair(pair(x, argument), pair(v, still)) >> D(smooth), cotangent)


CURRY = "Vytiniotis et al., The differentiable curry, section 4.1"
Told = Callable[[_Here], Any]


def here(
    name: str, statement: str, of: Structure = FUNCTION_TANGENTS, *, at_a: bool = True
) -> Callable[[tuple[str, Told], tuple[str, Told]], Law]:
    """A law of what is told of one scene; ``at_a``, of cotangents of what a function captures."""
    equation = stating(of, CURRY)(name, statement, of=(f, a, b))

    def side(text: str, value: Told) -> tuple[str, Callable[[Any], Any]]:
        def told(scene: Any) -> Any:
            here = _Here(scene)
            return here.at_a(value(here)) if at_a else value(here)

        return text, told

    return lambda lhs, rhs: equation(side(*lhs), side(*rhs))


OF_FUNCTIONS = (
    here(
        "H1a",
        "eval hands its function the list of one call, and its argument what the function does",
        CALLS,
        at_a=False,
    )(("R[eval]((curry(f)(a), b), ȳ)", _called), ("([(b, ȳ)], π1 R[f]((a, b), ȳ))", _one_call)),
    here("H1b", "curry sums what each call gives", CALLS)(
        ("R[curry(f)](a, cs)", lambda here: here.of_calls(here.calls)),
        ("Σ_{(b,ȳ)∈cs} π0 R[f]((a, b), ȳ)", _summed),
    ),
    here("H2a", "two lists of calls, one after the other, give the sum")(
        ("R[curry(f)](a, cs ++ ds)", lambda here: here.of_calls(here.calls + here.more)),
        (
            "R[curry(f)](a, cs) + R[curry(f)](a, ds)",
            lambda here: here.sum(here.of_calls(here.calls), here.of_calls(here.more)),
        ),
    ),
    here("H2b", "no calls give zero")(
        ("R[curry(f)](a, [])", lambda here: here.of_calls([])), ("0", _Here.sum)
    ),
    here("H2c", "the order of calls does not matter")(
        ("R[curry(f)](a, cs)", lambda here: here.of_calls(here.calls)),
        ("R[curry(f)](a, reversed cs)", lambda here: here.of_calls(here.calls[::-1])),
    ),
    here("H3a", "two calls with one argument are a call with the sum")(
        ("R[curry(f)](a, [(b, ȳ), (b, z̄)])", partial(_twice, merged=False)),
        ("R[curry(f)](a, [(b, ȳ + z̄)])", partial(_twice, merged=True)),
    ),
    here("H3b", "a call with zero is no call")(
        (
            "R[curry(f)](a, [(b, 0)])",
            lambda here: here.curried([(here.b, here.model.plus([], here.C))]),
        ),
        ("R[curry(f)](a, [])", lambda here: here.of_calls([])),
    ),
    here("H4a", "curry hands the cotangent of the environment on", ENVIRONMENTS)(
        ("R'[curry(f)](a, ē)", lambda here: here.curried(here.model.environment(here.e))),
        ("ē", lambda here: here.model.part(here.e, 0)),
    ),
    here(
        "H4b",
        "eval gives the cotangents of the environment and of the argument",
        ENVIRONMENTS,
        at_a=False,
    )(("R'[eval]((curry(f)(a), b), ȳ)", _handed_on), ("R'[f]((a, b), ȳ)", _of_the_code)),
    here(
        "H5",
        "what eval hands to a function and a call of it give one gradient: the two forms agree",
    )(
        (
            "R[curry(f)](a, π0 R[eval]((curry(f)(a), b), ȳ))",
            lambda here: here.curried(here.model.part(here.evaluated(), 0)),
        ),
        ("R[curry(f)](a, [(b, ȳ)])", lambda here: here.curried([(here.b, here.y)])),
    ),
    stating(PULLED, CURRY)(
        "H6",
        "β on pullbacks: a curried function that is applied pulls back as its body",
        implied_by="E1",
    )(R(uncurry(code)), R(f)),
    stating(PAIRED, "Vytiniotis et al., section 4.1; law L3 at function types", tame=True)(
        "H7",
        "transposes at function types: ⟨k, cs⟩ = Σ ⟨k(b), ȳ⟩ is what calls mean",
        of=(smooth, x, v, b1, b2, y1, y2),
    )(
        Plus(_moving(b1, y1), _moving(b2, y2)),
        ("⟨v, R[curry(f)](a, [(b₁, ȳ₁), (b₂, ȳ₂)])⟩", _paired),
    ),
)

SHOWN_COTANGENTS = Structure(
    "shown cotangents",
    "Cotangents as they are shown",
    (FUNCTION_TANGENTS,),
    methods=("shows", "show", "read"),
)
SHOWN_TANGENTS = Structure(
    "shown tangents",
    "Tangents as they are shown",
    (CLOSED,),
    methods=("shows", "push", "show_tangent", "read_tangent", "told_tangent"),
)

captured = Product(Variable("A"), Variable("B"))
function = Generator("f", captured.snoc(Variable("C")), Variable("D"))
(point,) = points("x", captured)
made = Curry(pair(function, *(Projection(function.dom, index) for index in (0, 1))))
"""It gives what it captured too, so that no cotangent of it is zero for every probe."""


def _cotangent(scene: Any, *, shown: bool) -> dict[str, Any]:
    """By its numbers; ``shown`` says whether a user was in between."""
    model, obj = scene.model, scene.obj(made.cod)
    value = model.value(model.run(scene.arrow(made), scene.at(point)))
    given = at_value(model, scene.probes.cotangent("c", obj), obj, value)
    cotangent = model.covector(given, obj)
    if shown:
        cotangent = model.read(model.show(cotangent, obj, value), obj, value)
    return dict(model.told(cotangent, obj, value, scene.probes))


def _tangent(scene: Any, *, shown: bool) -> dict[str, Any]:
    """``D[curry⟨f, π0, π1⟩](x, v)`` by its numbers."""
    model, obj, arrow, at = scene.model, scene.obj(made.cod), scene.arrow(made), scene.at(point)
    tangent = model.push(arrow, at, scene.probes.cotangent("v", scene.obj(captured)))
    if shown:
        value = model.value(model.run(arrow, at))
        tangent = model.read_tangent(model.show_tangent(tangent, obj), obj, value)
    return dict(model.told_tangent(tangent, obj, scene.probes))


law = stating(
    SHOWN_COTANGENTS,
    "up to the equivalence of Vytiniotis et al., The differentiable curry, Fig. 4",
    of=(function, point),
)

SHOWN = (
    law("U1", "a cotangent of a function is read as what was shown")(
        ("read(show(c))", partial(_cotangent, shown=True)), ("c", partial(_cotangent, shown=False))
    ),
    law("U2", "the tangent of a function is read as what was shown", structure=SHOWN_TANGENTS)(
        ("read(show(D[curry⟨f, π0, π1⟩](x, v)))", partial(_tangent, shown=True)),
        ("D[curry⟨f, π0, π1⟩](x, v)", partial(_tangent, shown=False)),
    ),
)

LAWS = (*OF_FUNCTIONS, *SHOWN)
