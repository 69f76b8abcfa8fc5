"""The bulk-operation transform (003, section 5): arrays written one element at a time, in bulk.

``bulk`` gives a program of the same type and the same meaning in which no ``map`` or ``build`` is
left that has a bulk form:

    λ(a : Tensor[2, 3], b). build (2, 4) (λi j. sum (build 3 (λp. a[i, p] * b[p, j])))
    λ(a : Tensor[2, 3], b). a @ b

``evaluation`` walks over the program once, and gives each term its value at all indices of the
builds around it (``batches``); ``equations`` are what its clauses realise, in the paper's notation.
"""

from combinators.bulk.equations import EQUATIONS, Equation, Site, batched
from combinators.bulk.evaluation import bulk
from combinators.bulk.walk import has_map

__all__ = ["EQUATIONS", "Equation", "Site", "batched", "bulk", "has_map"]
