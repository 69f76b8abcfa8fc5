"""One program over a mesh of devices: of one process, and of several."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import ShapeMismatch, TypeMismatch

WHY = "JAX is not installed: pip install 'diffcurry[xla]'"
jax = pytest.importorskip("jax", reason=WHY)
SCRIPT = Path(__file__).parent / "over_devices.py"
ROOT = SCRIPT.parent.parent.parent
PARAMETERS = 4


def started(devices, *arguments):
    flags = f"--xla_force_host_platform_device_count={devices}"
    env = os.environ | {"XLA_FLAGS": flags, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def said(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def check(found, devices, share):
    assert found["devices"] == devices
    assert found["error"] < 1e-15
    assert found["again"] < 1e-14
    assert found["is_whole"]
    assert found["share"] == share
    assert 1 <= found["all_reduces"] <= PARAMETERS
    assert not found["others"]


@pytest.mark.slow
def test_eight_devices_give_what_one_gives_and_the_batch_stays_where_it_is():
    check(said(started(8)), 8, [[10, 8]] * 8)


@pytest.mark.slow
def test_two_processes_give_what_one_gives():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{free.getsockname()[1]}"
    both = [started(2, where, "2", str(number)) for number in range(2)]
    for process in both:
        check(said(process), 4, [[10, 16]] * 2)


@pytest.fixture
def parallel():
    from diffcurry.xla import data_parallel

    mesh = jax.make_mesh((1,), ("batch",))
    return lambda axes, f=lambda p, x: np.sum(p["w"] * x): data_parallel(dc.grad(f), mesh, axes)


def test_one_device_is_a_mesh_too(parallel):
    slopes = parallel((None, 0))
    found = slopes({"w": np.arange(3.0)}, np.ones((4, 3)))
    assert np.array_equal(found["w"], np.full(3, 4.0))
    assert "over 1 devices" in repr(slopes)
    assert "all-reduce" not in slopes.compiled_text({"w": np.arange(3.0)}, np.ones((4, 3)))


def test_what_is_placed_stays(parallel):
    slopes = parallel((None, 0))
    placed = slopes.place({"w": np.arange(3.0)}, np.ones((4, 3)))
    again = slopes.place(*placed)
    assert placed[0]["w"] is again[0]["w"]
    assert placed[1] is again[1]
    single = jax.device_put(np.ones((4, 3), np.float32))
    assert np.array_equal(slopes(placed[0], single)["w"], np.full(3, 4.0))


def test_what_is_asked_must_fit(parallel):
    weights = {"w": np.arange(3.0)}
    with pytest.raises(TypeMismatch, match="speaks of 1 arguments, and there are 2"):
        parallel((None,))(weights, np.ones(3))
    with pytest.raises(TypeMismatch, match="no axis of an array of shape"):
        parallel((None, 2))(weights, np.ones((4, 3)))
    with pytest.raises(TypeMismatch, match="do not mirror"):
        parallel(((None, None), 0))(weights, np.ones((4, 3)))


def test_devices_have_equal_shares(parallel, monkeypatch):
    slopes = parallel((None, 0))
    monkeypatch.setattr(type(slopes), "_is_local", lambda self, value: False)
    monkeypatch.setattr(slopes, "mesh", type("Two", (), {"size": 2, "axis_names": ("batch",)})())
    with pytest.raises(ShapeMismatch, match="divided among 2 devices, and 3 is no multiple"):
        slopes.place({"w": np.arange(3.0)}, np.ones((3, 3)))
