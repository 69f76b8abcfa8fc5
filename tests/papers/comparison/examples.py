"""The programs of 002: Figure 1, section 5.4, and what doubles again and again."""

from __future__ import annotations

import numpy as np

import diffcurry as dc
from papers.comparison.graphs import graph_of

AT = (5.0, 2.0)


def lam_of(f, *args):
    return dc.fun(f).program(*args).lam


def section_5_4(x1, x2):
    y = x1 - x2
    return y * y


def figure_1(x1, x2):
    return np.sin(section_5_4(x1, x2))


def doubled(times):
    def f(x):
        for _ in range(times):
            x = x + x
        return x

    return f


FIGURE_1 = graph_of(lam_of(figure_1, *AT))
"""Its nodes x1, x2, z1 and z2; y is z3 here."""
