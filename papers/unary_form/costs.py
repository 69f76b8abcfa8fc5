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
from papers.unary_form.languages import SCANL, SCANR, SECOND_ORDER, SHIFT1L, SHIFT1R

MEASURES = {"add": "ADDS", "subtract": "ADDS", "negative": "ADDS", "multiply": "MULTS"}


def cost(t: Term) -> Counter[str]:
    """``Cost(e)``, by measure."""
    below = sum((cost(part) for part in t.below() if not isinstance(part, Lam)), Counter[str]())
    return below + Counter(here(t))


def here(t: Term) -> dict[str, int]:
    """What a term costs besides its operands."""
    match t:
        case Const(literal):
            return {"MOVES": literal.array.size}
        case Var() | Proj() | Let():
            return {"MOVES": 1}
        case Tuple():
            return {}
        case Prim(f, (Lam(_, e1), *_, a)) if f in SECOND_ORDER:
            n, moves = length_of(a.type), 3 if f in (SCANL, SCANR) else 2
            return {k: n * v for k, v in (cost(e1) + Counter({"MOVES": moves})).items()}
        case Prim(f, (a,)) if f in (SHIFT1L, SHIFT1R):
            return {"MOVES": length_of(a.type)}
        case Prim(f, args):
            return {"MOVES": 1 + len(args), MEASURES.get(f.name, "NLOPS"): 1}
    raise MissingRule(f"Fig. 11 of 000 prices no functions: {t!r:.80}")


def nesting(t: Term) -> int:
    """``NAO(e)``."""
    return max((nesting(part) + isinstance(part, Lam) for part in t.below()), default=0)
