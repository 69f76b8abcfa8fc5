"""Coproducts, recursive types and recursive functions, and the derivatives of each.

A sum's tangents are zero or tangents of the alternative that the value is (``tag``): that of
another does not exist. Of recursive functions the laws ask those that end: ``rec(f, g)``, that goes
down a list, of ``f`` at its end and ``g`` of the first and what is given of the rest, and
``count(f, h, g)``, that counts down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Choice, Constant, Id, Morphism, Projection
from combinators.objects import Bool, Mu, Product, Sum, Unit
from combinators.tracing.classes import list_of
from laws.language import (
    D,
    Generator,
    Plus,
    R,
    Recursive,
    Variable,
    Zero,
    discard,
    first,
    pair,
    parallel,
    points,
    second,
    tangent,
)
from laws.law import Structure, stating
from laws.recursion import (
    call,
    case,
    cons,
    inject,
    is_alternative,
    nil,
    payload,
    roll,
    sum_inside,
    unroll,
)
from laws.structures.categories import CLOSED, DISTRIBUTIVE, known
from laws.structures.derivatives import ADDITIVE, DIFFERENTIAL, additive
from laws.structures.pullback import PULLBACK

COPRODUCT = Structure("coproduct", "Coproducts", (DISTRIBUTIVE,), features=("sums",))
RECURSIVE_TYPES = Structure(
    "recursive types", "Recursive types", (COPRODUCT,), features=("recursion",)
)
RECURSION = Structure("recursion", "Recursion", (RECURSIVE_TYPES, CLOSED))
TAGGED = Structure(
    "tagged", "Tangents of sums", (ADDITIVE, COPRODUCT), arrows=("primitive",), features=("sums",)
)
TAGGED_CELLS = Structure("tagged cells", "Tangents of lists", (TAGGED, RECURSIVE_TYPES))
COPRODUCT_PULLBACK = Structure("coproduct pullback", "Pullbacks of cases", (PULLBACK, TAGGED))
COPRODUCT_DERIVATIVE = Structure(
    "coproduct derivative", "Derivatives of cases", (DIFFERENTIAL, TAGGED)
)
RECURSIVE_PULLBACK = Structure(
    "recursive pullback", "Pullbacks of recursion", (COPRODUCT_PULLBACK, RECURSION)
)
RECURSIVE_DERIVATIVE = Structure(
    "recursive derivative", "Derivatives of recursion", (COPRODUCT_DERIVATIVE, RECURSION)
)

A, B, C, E, X = (Variable(name) for name in "ABCEX")
f, g, h = Generator("f", A, C), Generator("g", B, C), Generator("h", C, E)
either = Sum(A, B)
whole, test = Generator("k", either, C), Generator("p", A, Bool)
inl, inr = (inject(either, index) for index in (0, 1))

law = stating(COPRODUCT, "Lambek and Scott 1986, I.8: bicartesian closed categories")
distributive = stating(
    COPRODUCT, "Carboni, Lack and Walters 1993, Extensive and distributive categories"
)

_sides = Sum(Product(X, A), Product(X, B))
_outside, _spread = Product(X, either), Product(X, either, A)


def _opened(index: int) -> Morphism:
    """``X × (A + B) → X × Aᵢ``, where the value is that alternative."""
    return pair(first(X, either), second(X, either) >> payload(either, index))


_distributed = pair(second(X, either) >> is_alternative(either, 0), Id(_outside)) >> Choice(
    _opened(0) >> inject(_sides, 0), _opened(1) >> inject(_sides, 1)
)
_collected = case(parallel(Id(X), inl), parallel(Id(X), inr))
_TRUTH = Sum(Unit, Unit)
_as_sum = Choice(discard(A) >> inject(_TRUTH, 0), discard(A) >> inject(_TRUTH, 1))
yes, no = Generator("f", A, C), Generator("g", A, C)

COPRODUCTS = (
    law("sum-β-left", "a case of the first alternative is its branch")(inl >> case(f, g), f),
    law("sum-β-right", "a case of the second alternative is its branch")(inr >> case(f, g), g),
    law("sum-η", "what starts from a sum is a case of what it does to each alternative")(
        case(inl >> whole, inr >> whole), whole
    ),
    law("sum-fusion", "what comes after a case goes into both branches")(
        case(f, g) >> h, case(f >> h, g >> h)
    ),
    law("sum-out", "what was put into an alternative comes out of it")(
        inr >> payload(either, 1), Id(B)
    ),
    law("sum-is", "a value is the alternative that it was made as, and no other")(
        inr >> pair(is_alternative(either, 0), is_alternative(either, 1)),
        pair(known(False, B), known(True, B)),
    ),
    distributive("sum-distr", "beside a sum is a sum: A × (B + C) = A × B + A × C")(
        _distributed >> _collected, Id(_outside)
    ),
    distributive("sum-distr-back", "and back: A × B + A × C = A × (B + C)")(
        _collected >> _distributed, Id(_sides)
    ),
    distributive("sum-bool", "a case of 1 + 1 is a choice")(
        pair(pair(test, Id(A)) >> _as_sum, Id(A))
        >> pair(first(_TRUTH, A) >> is_alternative(_TRUTH, 0), second(_TRUTH, A))
        >> Choice(yes, no),
        pair(test, Id(A)) >> Choice(yes, no),
    ),
)

CELLS = list_of(A)
INSIDE = sum_inside(CELLS)
law = stating(
    RECURSIVE_TYPES, "Pierce 2002, Types and programming languages, 20.2: iso-recursive types"
)

ROLLED = (
    law("roll-unroll", "a recursive type is what it unfolds to")(
        roll(CELLS) >> unroll(CELLS), Id(INSIDE)
    ),
    law("unroll-roll", "what a recursive type unfolds to is rolled up again")(
        unroll(CELLS) >> roll(CELLS), Id(CELLS)
    ),
)

CONTEXT = Product(X)
end, more = Generator("f", CONTEXT, C), Generator("g", Product(X, A, C), C)
item, rest = Generator("a", CONTEXT, A), Generator("l", CONTEXT, CELLS)
base, following = Generator("f", Product(X, A), C), Generator("h", Product(X, A), A)
given, before = Projection(CONTEXT, 0), Generator("k", E, X)
_inside = [Projection(Product(E, A, C), index) for index in range(3)]
REC, COUNT = Recursive("rec", end, more), Recursive("count", base, following, more)


def rounds(count: int) -> Morphism:
    """``count(f, h, g)(n, a)``."""
    number = Constant(CONTEXT, Literal(float(count)))
    return call(COUNT, pair(number, item))


def written_out(count: int, state: Morphism = item) -> Morphism:
    """What that is."""
    here = pair(given, state)
    if not count:
        return here >> base
    return pair(given, state, written_out(count - 1, here >> following)) >> more


law = stating(
    RECURSION, "Plotkin 1977, LCF considered as a programming language: fix f = f (fix f)"
)
of_lists = stating(RECURSION, "Bird 1987, An introduction to the theory of lists")

RECURSIONS = (
    law("fix", "a recursive function is its step, given itself: fix s = λx. s (fix s, x)")(
        REC, Recursive("unrolled", end, more)
    ),
    law("fix-count", "a function that calls itself twice, and its calls written out")(
        rounds(2), written_out(2)
    ),
    law("fix-captures", "a recursive function captures what was computed before it", tame=True)(
        pair(first(E) >> before) >> REC,
        Recursive(
            "rec",
            pair(first(E) >> before) >> end,
            pair(_inside[0] >> before, *_inside[1:]) >> more,
        ),
    ),
    of_lists("rec-nil", "of an empty list recursion is where it ends")(
        call(REC, nil(A, CONTEXT)), end
    ),
    of_lists("rec-cons", "of a list it is what is made of the first and of the rest")(
        call(REC, cons(item, rest)), pair(given, item, call(REC, rest)) >> more
    ),
)

V, W = Variable("V", "vector"), Variable("W", "vector")
VECTORS = Sum(V, W)
SPACE = tangent(VECTORS)
assert isinstance(SPACE, Sum)
u, v = Generator("u", A, V), Generator("v", A, V)
tag, untag = inject(SPACE, 0), payload(SPACE, 0)
ROWS = tangent(list_of(V))
assert isinstance(ROWS, Mu)
LINKS = sum_inside(ROWS)
u_1, v_1, u_2, v_2 = (Generator(name, A, V) for name in ("u", "v", "x", "y"))

law = stating(
    TAGGED,
    "Nunes and Vákár 2023, CHAD for expressive total languages: tangents of sums",
    tame=True,
)


def cell(head: Morphism, tail: Morphism, rows: Mu = ROWS) -> Morphism:
    """The tangent of a list that moves as ``head`` does, and then as ``tail``."""
    return pair(head, tail) >> inject(LINKS, 1) >> roll(rows)


def two(one: Morphism, other: Morphism) -> Morphism:
    """The tangent of a list of two or more."""
    return cell(one, cell(other, Zero(A, ROWS)))


TANGENTS = (
    law("tag-plus", "tangents of one alternative are added as its own are")(
        *additive(lambda u: u >> tag, u, v)
    ),
    law("tag-zero", "zero adds nothing to a tangent of an alternative")(
        Plus(u >> tag, Zero(A, SPACE)), u >> tag
    ),
    law("tag-comm", "tangents of one alternative are added in any order")(
        Plus(u >> tag, v >> tag), Plus(v >> tag, u >> tag)
    ),
    law("untag-tag", "the tangent of an alternative is what was tagged")(u >> tag >> untag, u),
    law("untag-zero", "of zero the tangent of an alternative is zero")(
        Zero(A, SPACE) >> untag, Zero(A, V)
    ),
    law("cells-plus", "tangents of a list are added item by item", structure=TAGGED_CELLS)(
        Plus(two(u_1, u_2), two(v_1, v_2)), two(Plus(u_1, v_1), Plus(u_2, v_2))
    ),
    law("cells-zero", "zero adds nothing to a tangent of a list", structure=TAGGED_CELLS)(
        Plus(two(u_1, u_2), Zero(A, ROWS)), two(u_1, u_2)
    ),
)

P, Q, S = (Variable(name, "data") for name in "PQS")
data = Sum(P, Q)
onto, other = Generator("f", P, S), Generator("g", Q, S)
(p,), (q,) = points("p", P), points("q", Q)
(dp,), (dq,), (ds,) = points("u", tangent(P)), points("v", tangent(Q)), points("w", tangent(S))
COTANGENTS = tangent(data)
assert isinstance(COTANGENTS, Sum)
in_p, in_q = (inject(data, index) for index in (0, 1))
tag_p, tag_q = (inject(COTANGENTS, index) for index in (0, 1))

law = stating(
    COPRODUCT_PULLBACK,
    "Vytiniotis et al., section 6.2; Nunes and Vákár 2023, CHAD for expressive total languages",
    tame=True,
)

PULLED = (
    law("R-in", "an injection pulls back what is tagged as its alternative")(
        pair(p, dp >> tag_p) >> R(in_p), dp
    ),
    law("R-out", "what takes out an alternative pulls back to the tangent of that alternative")(
        pair(q >> in_q, dq) >> R(payload(data, 1)), dq >> tag_q
    ),
    law("R-case-left", "a case pulls back through the branch that was taken, and tags it")(
        pair(p >> in_p, ds) >> R(case(onto, other)), pair(p, ds) >> R(onto) >> tag_p
    ),
    law("R-case-right", "… whichever it is: that of the other alternative does not exist")(
        pair(q >> in_q, ds) >> R(case(onto, other)), pair(q, ds) >> R(other) >> tag_q
    ),
    law("R-case", "β on pullbacks: a case of what was injected pulls back as its branch")(
        R(in_p >> case(onto, other)), R(onto)
    ),
)

moved, beside = Generator("f", V, U := Variable("U", "vector")), Generator("g", W, U)
(x,), (dx,) = points("x", V), points("v", V)
law = stating(
    COPRODUCT_DERIVATIVE,
    "Cockett and Cruttwell 2014: the tangent functor keeps coproducts, T (A + B) = T A + T B",
    tame=True,
)

PUSHED = (
    law("D-in", "an injection moves as its argument does, and tags it")(
        pair(x, dx) >> D(inject(VECTORS, 0)), dx >> tag
    ),
    law("D-case", "a case moves as the branch that was taken")(
        pair(x >> inject(VECTORS, 0), dx >> tag) >> D(case(moved, beside)),
        pair(x, dx) >> D(moved),
    ),
)


def _recursive(derived: Callable[[Morphism], Morphism], obj: Variable, to: Variable) -> Any:
    """The derivative of recursion down a list that is made, and of what it is, written out."""
    context = Product(obj)
    end, more = Generator("f", context, to), Generator("g", Product(obj, A, to), to)
    items = [Generator(name, context, A) for name in ("a", "b")]
    cells = cons(items[0], cons(items[1], nil(A, context)))
    function = Recursive("rec", end, more)
    here = Projection(context, 0)
    last = pair(here, items[1], end) >> more
    return (
        derived(call(function, cells)),
        derived(pair(here, items[0], last) >> more),
    )


law = stating(
    RECURSIVE_PULLBACK,
    "Pearlmutter and Siskind 2008, Lambda the ultimate backpropagator: J of recursive closures",
    tame=True,
)
pushed = stating(
    RECURSIVE_DERIVATIVE,
    "Abadi and Plotkin 2020, A simple differentiable programming language: recursion",
    tame=True,
)

RECURSIVELY = (
    law("R-rec", "recursion pulls back as its calls, written out")(*_recursive(R, Q, S)),
    pushed("D-rec", "recursion moves as its calls, written out")(*_recursive(D, V, W)),
)

LAWS = (*COPRODUCTS, *ROLLED, *RECURSIONS, *TANGENTS, *PULLED, *PUSHED, *RECURSIVELY)
