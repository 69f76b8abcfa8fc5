"""Run in a process of its own: the gradient of a network over several devices, or processes.

``over_devices.py``, or ``over_devices.py HOST:PORT COUNT NUMBER`` for one of several processes.
It prints what the tests ask as JSON.
"""

import json
import sys

import jax
import numpy as np

import diffcurry as dc
from diffcurry.xla import data_parallel, xla

BATCH = 64


def loss(weights, images, labels):
    (first, one), (second, two) = weights["inner"], weights["outer"]
    scores = np.tanh(images @ first + one) @ second + two
    return np.mean(dc.logsumexp(scores, 1) - np.sum(scores * labels.T, axis=1))


def data():
    random = np.random.default_rng(0)
    shapes = {"inner": (20, 16), "outer": (16, 10)}
    weights = {
        name: (random.standard_normal(shape) / 4, random.standard_normal(shape[1]) / 4)
        for name, shape in shapes.items()
    }
    labels = np.eye(10)[random.integers(0, 10, BATCH)].T
    return weights, random.standard_normal((BATCH, 20)), labels


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def error(found, true):
    pairs = zip(leaves(found), leaves(true), strict=True)
    return max(float(np.max(np.abs(a - b))) for a, b in pairs)


def main(where="", count="1", number="0"):
    if where:
        jax.distributed.initialize(where, int(count), int(number))
    share, mine = BATCH // int(count), int(number)
    rows = slice(mine * share, (mine + 1) * share)
    weights, images, labels = data()
    mesh = jax.make_mesh((len(jax.devices()),), ("batch",))
    function = dc.value_and_grad(loss)
    single = xla(function)(weights, images, labels)
    parallel = data_parallel(function, mesh, ({"inner": None, "outer": (None, None)}, 0, -1))
    given = weights, images[rows], labels[:, rows]
    found = parallel(*given)
    placed = parallel.place(*given)
    slopes = data_parallel(dc.grad(loss), mesh, (None, 0, 1))
    text = slopes.compiled_text(*placed)
    again = parallel(found[1], *placed[1:])
    said = {
        "devices": len(jax.devices()),
        "error": error(found, single),
        "again": error(again, xla(function)(single[1], images, labels)),
        "is_whole": all(leaf.is_fully_replicated for leaf in jax.tree.leaves(found)),
        "share": [shard.data.shape for shard in placed[2].addressable_shards],
        "all_reduces": text.count(" all-reduce(") + text.count(" all-reduce-start("),
        "others": [w for w in ("all-gather", "all-to-all", "permute") if f"{w}(" in text],
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
