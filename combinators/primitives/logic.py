"""Logic on booleans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.primitives.family import stepwise
from combinators.primitives.typing import DType, predicate


def _logic(kinds: Sequence[Any]) -> Sequence[DType]:
    found = np.result_type(*kinds)
    if found != np.bool_:
        raise TypeMismatch(
            f"logic, and the operators & | ^ ~, are for booleans, not for {found}; "
            "write a comparison, as in x != 0"
        )
    return [np.dtype(np.bool_)] * len(kinds)


logical_and = stepwise(
    "logical_and", "``x & y``.", "bitwise_and", promote=_logic, typing=predicate, infix="&"
)
logical_or = stepwise(
    "logical_or", "``x | y``.", "bitwise_or", promote=_logic, typing=predicate, infix="|"
)
logical_xor = stepwise(
    "logical_xor", "``x ^ y``.", "bitwise_xor", promote=_logic, typing=predicate, infix="^"
)
logical_not = stepwise("logical_not", "``~x``.", "invert", promote=_logic, typing=predicate)
