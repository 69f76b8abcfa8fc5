"""The cost of terms without functions (Fig. 11), and how deep array operations nest (5.3).

Cost(c) = Cost(x) = (1, 0, 0, 0)      Cost(+) = (3, 1, 0, 0)    Cost(*) = (3, 0, 1, 0)
Cost(πᵢ(e)) = 1 + Cost(e)             Cost(op1) = (2, 0, 0, 1), and so ∂op1
Cost(let x=e₁ in e₂) = 1 + Cost(e₁) + Cost(e₂)
Cost(map2 (x, y. e₁) e₂ e₃) = Cost(reduce …) = n * (Cost(e₁) + 2) + Cost(e₂) + Cost(e₃)
Cost(scanl (x, y. e₁) e₂ e₃) = Cost(scanr …) = n * (Cost(e₁) + 3) + Cost(e₂) + Cost(e₃)
Cost(shift1L e) = Cost(shift1R e) = n + Cost(e)
NAO(map2 (x, y. e₁) e₂ e₃) = NAO(reduce …) = max(1 + NAO(e₁), NAO(e₂), NAO(e₃))
"""

from __future__ import annotations

from collections import Counter

from combinators.errors import MissingRule
from combinators.terms import Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import length_of
from papers.unary_form import languages as la

MEASURES = {"add": "ADDS", "subtract": "ADDS", "negative": "ADDS", "multiply": "MULTS"}


def cost(t: Term) -> Counter[str]:
    """``Cost(e)``, by measure."""
    here = {"MOVES": 1}
    match t:
        case Const(literal):
            here = {"MOVES": literal.array.size}
        case Var() | Proj() | Let():
            pass
        case Tuple():
            here = {}
        case Prim(f, (Lam(_, e1), *_, a)) if f in la.SECOND_ORDER:
            each = cost(e1) + Counter({"MOVES": 3 if f in (la.SCANL, la.SCANR) else 2})
            here = {measure: length_of(a.type) * count for measure, count in each.items()}
        case Prim(f, (a,)) if f in (la.SHIFT1L, la.SHIFT1R):
            here = {"MOVES": length_of(a.type)}
        case Prim(f, args):
            here = {"MOVES": 1 + len(args), MEASURES.get(f.name, "NLOPS"): 1}
        case _:
            raise MissingRule(f"Fig. 11 of 000 prices no functions: {t!r:.80}")
    return sum(map(cost, la.operands_of(t)), Counter(here))


def nesting(t: Term) -> int:
    """``NAO(e)``."""
    return max((nesting(part) + isinstance(part, Lam) for part in t.below()), default=0)
