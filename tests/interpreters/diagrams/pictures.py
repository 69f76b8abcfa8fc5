"""Draw those of docs/diagrams.md again: ``python -m tests.interpreters.diagrams.pictures``."""

from pathlib import Path

import numpy as np

import diffcurry as dc
from combinators.objects import Real, Tensor

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "pictures"


@dc.fun
def cell(h, x, w, u):
    return np.tanh(w @ h + u * x)


product = dc.fun(lambda x, y: np.sin(x) * y + x, Real, Real)


@dc.fun
def closure(x: float) -> float:
    step = dc.fun(lambda t: t * x + 1.0, Real)
    return step(step(x))


network = dc.fun(
    lambda w, u, xs: np.sum(dc.fold(lambda h, x: cell(h, x, w, u), np.zeros(3), xs)),
    Tensor((3, 3)),
    Tensor((3,)),
    Tensor((5,)),
)
PICTURES = {
    "product": product.diagram(),
    "closure": closure.diagram(),
    "network": network.diagram(),
    "pullback": product.diagram(derivative=True),
}

if __name__ == "__main__":
    for name, picture in PICTURES.items():
        picture.save(FOLDER / f"{name}.svg")
