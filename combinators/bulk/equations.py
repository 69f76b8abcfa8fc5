"""The equations of 003's Figures 9, 10 and 11, and ours, each with the clause that realises it.

The transform does not search for left sides: it evaluates a body at all indices of the builds
around it (``evaluation``), and each equation says what one clause of that evaluation does. A trace
names the equations that were used. They are carried out for all builds around a line at once, on
labelled arrays (``block``), so that ``tr``, ``replicate`` and the axes in front change labels
only.

``build1`` is pushed down (Fig. 9) until its body is ``index`` of something in normal form, which is
a gather (Fig. 11), or does not depend on where it is. ``index`` is pushed down (Fig. 10) where what
it is of depends on a build, or nothing around the index does: only what is asked for is computed.
Its normal forms are those of Theorem 5.1, of a variable, a constant, a stack at its own axis and a
scatter; and of a matrix product, a running sum or product, a padding, a loop, a call, and a reshape
that splits an axis. No result contains ``build1``, but for what ``build1-split`` leaves in a map.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from combinators.bulk.batches import Rep
from combinators.bulk.block import Array, Atom, Block, Labels
from combinators.errors import Place
from combinators.objects import Tensor
from combinators.operation import Operation

_TEXT = {
    "Fig. 9": """
build1-itself: build1 k (λi. i) ⇝ [0, …, k-1]
build1-invariant: build1 k (λi. t)  (i ∉ FV(t)) ⇝ replicate k t
build1-let: build1 k (λi. let x = v in u)
    ⇝ let x = build1 k (λi. v) in build1 k (λi. u[index x [i]/x])
build1-cond: build1 k (λi. cond b u v) ⇝ build1 k (λi. index [u, v] [cond b 0 1])
build1-op: build1 k (λi. op t u) ⇝ op (build1 k (λi. t)) (build1 k (λi. u))
build1-sumOuter: build1 k (λi. sumOuter t) ⇝ sumOuter (tr (build1 k (λi. t)))
build1-gather: build1 k (λi. gather sh t (λis. ix))
    ⇝ gather (k ::: sh) (build1 k (λi. t)) (λ(i ::: is). i ::: ix)
build1-scatter: build1 k (λi. scatter sh t (λis. ix))
    ⇝ scatter (k ::: sh) (build1 k (λi. t)) (λ(i ::: is). i ::: ix)
build1-stack: build1 k (λi. [t₁, …, tₙ]) ⇝ tr [build1 k (λi. t₁), …, build1 k (λi. tₙ)]
build1-replicate: build1 k (λi. replicate n t) ⇝ tr (replicate n (build1 k (λi. t)))
build1-tr: build1 k (λi. tr_b t) ⇝ tr_{0, b+1} (build1 k (λi. t))
build1-reshape: build1 k (λi. reshape sh t) ⇝ reshape (k ::: sh) (build1 k (λi. t))
""",
    "Fig. 10": """
index-nothing: index t [] ⇝ t
index-index: index (index t [u₁, …, uₘ]) [t₁, …, tₙ] ⇝ index t [u₁, …, uₘ, t₁, …, tₙ]
index-let: index (let x = v in t) ix ⇝ let x = v in index t ix
index-cond: index (cond b u v) [t₁, …, tₙ]
    ⇝ let i₁ = t₁ in … cond b (index u [i₁, …]) (index v [i₁, …])
index-op: index (op t u) [t₁, …, tₙ]
    ⇝ let i₁ = t₁ in … op (index t [i₁, …]) (index u [i₁, …])
index-sumOuter: index (sumOuter t) ix ⇝ sumOuter (index (tr_{1, …, n, 0} t) ix)
index-stack: index [t₁, …, tₖ] [u₁, …, uₙ]  (n > 1)
    ⇝ let i₂ = u₂ in … index [index t₁ [i₂, …], …, index tₖ [i₂, …]] [u₁]
index-replicate: index (replicate k t) [u₁, …, uₙ]  (n > 0) ⇝ index t [u₂, …, uₙ]
index-tr: index (tr_b t) ix ⇝ index (gather sh t (λ[i_b]. [i₀, …, iₖ])) ix
index-reshape: index (reshape sh t) ix
    ⇝ index (gather sh t (λis. fromLinearIdx (shape t) (toLinearIdx sh is))) ix
index-gather: index (gather (k ::: sh) t (λ(i ::: is). ix)) (u ::: ix')
    ⇝ index (gather sh t (λis. let i = u in ix)) ix'
""",
    "Fig. 11": """
build1-index-variable: build1 k (λi. index x ix) ⇝ gather (k ::: sh) x (λ[i]. ix)
build1-index-constant: build1 k (λi. index c ix) ⇝ gather (k ::: sh) c (λ[i]. ix)
build1-index-stack: build1 k (λi. index [t₁, …, tₖ] [t])
    ⇝ gather (k ::: sh) (build1 k (λi. [t₁, …, tₖ])) (λ[i]. [i, t])
build1-index-scatter: build1 k (λi. index (scatter sh t (λis₂. ix₂)) ix)
    ⇝ gather (k ::: sh) (build1 k (λi. scatter sh t (λis₂. ix₂))) (λ[i]. i :: ix)
""",
    "section 3.3": """
gather-build1: gather sh t (λis. ix)  (build1 in t, sh is smaller) ⇝ build sh (λis. index t ix)
""",
    "ours": """
index-build1: index (build1 k (λi. t)) (u ::: ix) ⇝ let i = u in index t ix
index-slice: index (slice start step t) [u] ⇝ index t [start + step * u]
gather-affine: gather sh x (λis. a + B · is)
    ⇝ replicate, tr and slice of x, among zeros where it sticks out
build1-reduce: build1 k (λi. max_axes t) ⇝ max_{axes+1} (build1 k (λi. t))
build1-along: build1 k (λi. cumsum_axis t) ⇝ cumsum_{axis+1} (build1 k (λi. t))
build1-slice: build1 k (λi. slice t) ⇝ slice (build1 k (λi. t))
build1-embed: build1 k (λi. embed sh t) ⇝ embed (k ::: sh) (build1 k (λi. t))
build1-matmul: build1 k (λi. t @ u) ⇝ (build1 k (λi. t)) @ (build1 k (λi. u))
build1-plus: build1 k (λi. plus t u) ⇝ plus (build1 k (λi. t)) (build1 k (λi. u))
build1-build1: build1 k (λi. build1 n (λj. t)) ⇝ tr (build1 n (λj. build1 k (λi. t)))
sum-product: sumOuter (replicate t * replicate u) ⇝ a matrix product of t and u
build1-fold: build1 k (λi. fold f t u)
    ⇝ fold (build1 k f) (build1 k (λi. t)) (tr (build1 k (λi. u)))
build1-app: build1 k (λi. f t)
    ⇝ f' (build1 k (λi. t)), with f' = λx. build1 k (λi. f (index x [i]))
build1-split: build1 k (λi. u[e])  (e has no bulk form)
    ⇝ let y = map (λrow. e) rows in build1 k (λi. u[index y [i]])
""",
}


class Equation(NamedTuple):
    """``left ⇝ right``, by name, with the figure of 003 where it stands."""

    name: str
    figure: str
    left: str
    right: str

    def __repr__(self) -> str:
        """On one line."""
        return f"{self.name}: {self.left} ⇝ {self.right}"


EQUATIONS = tuple(
    Equation(name, figure, *both.split(" ⇝ "))
    for figure, text in _TEXT.items()
    for line in text.replace("\n    ", " ").strip().splitlines()
    for name, both in [line.split(": ", 1)]
)
"""All that the transform does, an equation each."""


@dataclass(frozen=True, slots=True)
class Site:
    """An operation on what its operands stand for, and the block where lines go."""

    block: Block
    operation: Operation
    reps: Sequence[Any]
    place: Place | None

    @property
    def parameters(self) -> dict[str, Any]:
        """The operation's own."""
        return self.operation.keywords

    @property
    def type(self) -> Tensor:
        """The type of one value of the line, which is a tensor."""
        obj = self.operation.type(*[rep.type for rep in self.reps])
        assert isinstance(obj, Tensor)
        return obj

    def line(self, args: Sequence[Atom], labels: Labels, **parameters: Any) -> Array:
        """The line that gives the result with these labels, with other parameters for them."""
        line = self.block.operate(changed(self.operation, parameters), *args, place=self.place)
        return Array(line, labels, self.type)


def changed(operation: Operation, parameters: Mapping[str, Any]) -> Operation:
    """The operation with some other parameters."""
    known = ((name, parameters.get(name, value)) for name, value in operation.parameters)
    return Operation(operation.primitive, tuple(known))


Carry = Callable[[Site], Rep | None]
"""What a line stands for, with the lines that it takes; None where there is no bulk form."""
C = TypeVar("C", bound=Carry)


class Clause(NamedTuple):
    """What ``build1`` of an operation is, and the name of the equation that says so."""

    equation: str
    carry: Carry


CLAUSES: dict[str, Clause] = {}
"""By the names of primitives."""


def batched(*names: str, equation: str | None = None) -> Callable[[C], C]:
    """Say what ``build1`` of the primitives of these names is: a function of a line's ``Site``.

    Without it, a primitive that is not elementwise stays in a map of its own.
    """

    def register(carry: C) -> C:
        for name in names:
            CLAUSES[name] = Clause(equation or f"build1-{name}", carry)
        return carry

    return register
