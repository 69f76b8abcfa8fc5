"""Random well-typed higher-order programs, differentiated in every way, until the time is over.

    python tests/fuzz.py --seconds 600 --seed 1

Every disagreement is shrunk and shown, with the seed that finds it again. ``--each`` limits how
many programs a check draws before the next check has its turn.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.evidence.programs import agreeing
from tests.strategies.language import Program
from tests.strategies.points import arguments, quarters, thousandths, values
from tests.strategies.programs import RATIONAL, programs

Check = Callable[[Any, int], Any]
"""Draws a program no deeper than so, and raises where something disagrees."""


def exactly(draw: Any, depth: int) -> Any:
    program = draw(programs(RATIONAL, result=agreeing.RESULT, depth=depth))
    x, v = (draw(arguments(program, quarters)) for _ in range(2))
    return agreeing.agree_exactly(program, x, v, draw(values(agreeing.RESULT, quarters)))


def in_floats(draw: Any, depth: int) -> Any:
    program = draw(programs(depth=depth))
    return agreeing.agree_in_floats(program, draw(arguments(program, thousandths)))


def in_second_order(draw: Any, depth: int) -> Any:
    program = draw(programs(RATIONAL, depth=depth))
    x, w = (draw(arguments(program, quarters)) for _ in range(2))
    return agreeing.agree_in_second_order(program, x, w)


def with_high_precision(draw: Any, depth: int) -> Any:
    program = draw(programs(depth=depth))
    x, w = (draw(arguments(program, thousandths)) for _ in range(2))
    return agreeing.agree_with_high_precision(program, x, w)


def in_third_order(draw: Any, depth: int) -> Any:
    program = draw(programs(params=agreeing.OF_ONE_NUMBER, depth=depth))
    return agreeing.agree_in_third_order(program, draw(thousandths))


def with_a_function(draw: Any, depth: int) -> Any:
    program = draw(programs(params=agreeing.WITH_FUNCTION, depth=depth))
    x = draw(arguments(Program(program.params[1:], program.body), thousandths))
    return agreeing.agree_with_a_function(program, x, draw(thousandths))


def written_again(draw: Any, depth: int) -> Any:
    program = draw(programs(depth=depth))
    assert agreeing.written(program) == agreeing.written(program)


CHECKS: list[Check] = [
    exactly,
    in_floats,
    in_second_order,
    with_high_precision,
    in_third_order,
    with_a_function,
    written_again,
]


def batch(check: Check, depth: int, number: int, most: int, counts: Counter[str]) -> None:
    """Some programs of one seed."""

    @seed(number)
    @settings(
        max_examples=most,
        deadline=None,
        database=None,
        print_blob=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def property_(data: Any) -> None:
        counts[check.__name__] += 1
        if check(data.draw, depth) is False:
            counts["unclear"] += 1

    property_()


def turns(first: int) -> Iterator[tuple[Check, int, int]]:
    """The checks in turn, at depths 3 to 6, each with a seed of its own."""
    number = first * 1_000_000
    while True:
        for depth in (3, 4, 5, 6):
            for check in CHECKS:
                number += 1
                yield check, depth, number


def main() -> int:
    """Fuzz; 1 where something disagreed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=20)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    found = 0
    end = time.monotonic() + options.seconds
    for check, depth, number in turns(options.seed):
        if time.monotonic() > end:
            break
        try:
            batch(check, depth, number, options.each, counts)
        except Exception:  # noqa: BLE001 (whatever it is, it is a finding)
            found += 1
            print(f"--- {check.__name__} at depth {depth}, seed {number}:")
            traceback.print_exc(limit=-4, file=sys.stdout)
            sys.stdout.flush()
    total = sum(counts[check.__name__] for check in CHECKS)
    print(f"seed {options.seed}: {total} programs, {found} findings; {dict(counts)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
