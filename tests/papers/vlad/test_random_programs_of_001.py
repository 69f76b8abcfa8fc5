"""Typable terms: VLAD's J and ``vjp`` give one gradient of random programs."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import diffcurry as dc
from papers.vlad.evaluator import Vlad
from tests.papers.vlad.in_vlad import PRELUDE, in_vlad, numbers
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import programs


@given(st.data())
def test_vlad_and_vjp_agree(data):
    program = data.draw(programs(depth=3))
    x, y, v = data.draw(arguments(program, thousandths))
    given_args = float(x), float(y), np.array(v, dtype=float)
    with np.errstate(all="ignore"):
        value, slopes = dc.value_and_grad(function_of(program), argnums=(0, 1, 2))(*given_args)
    assume(np.all(np.abs(np.hstack([value, *slopes])) < 1e4))

    session = Vlad()
    session.run(PRELUDE)
    session.run(f"(define f {in_vlad(program)})")
    at = f"(cons {x} (cons {y} (list {' '.join(map(str, v))})))"
    np.testing.assert_allclose(session.run(f"(f {at})"), value, rtol=1e-9, atol=1e-9)
    found = numbers(session.run(f"((gradient f) {at})"))
    np.testing.assert_allclose(np.hstack(found), np.hstack(slopes), rtol=1e-8, atol=1e-8)
