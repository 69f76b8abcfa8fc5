"""Random objects, arrows, terms, points and instances of laws, as hypothesis strategies.

All shrink to identities, projections and constants, one-element shapes and small integers.

>>> from combinators.objects import Real
>>> from hypothesis import find
>>> from laws.model import Signature
>>> find(arrows(Signature(), Real, Real), lambda f: True)
id
"""

from laws.strategies.arrows import arrows, points, terms
from laws.strategies.instances import covectors, instances, scenes
from laws.strategies.objects import literals, numbers, objects, register
from laws.writing import term_of_several as term_of

__all__ = [
    "arrows",
    "covectors",
    "instances",
    "literals",
    "numbers",
    "objects",
    "points",
    "register",
    "scenes",
    "term_of",
    "terms",
]
