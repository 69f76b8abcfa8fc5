"""Hypothesis profiles, chosen by the environment variable DIFFCURRY_PROFILE.

``dev`` is quick, ``ci`` and ``deep`` draw the same examples every time, ``search`` looks further.
Nothing is timed: a slow machine must not fail a law.
"""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("dev", max_examples=20, **UNTIMED)
settings.register_profile("ci", max_examples=100, derandomize=True, print_blob=True, **UNTIMED)
settings.register_profile("deep", max_examples=100, derandomize=True, print_blob=True, **UNTIMED)
settings.register_profile("search", max_examples=5000, **UNTIMED)
os.environ.setdefault("DIFFCURRY_CACHE", "off")
settings.load_profile(os.environ.get("DIFFCURRY_PROFILE", "dev"))


LEFT = "left_to_make_deep"


def pytest_deselected(items):
    """Count the sweeps that a run leaves out; a worker hands its count to the controller."""
    if not items:
        return
    left = Counter(item.originalname for item in items if item.get_closest_marker("slow"))
    config = items[0].config
    getattr(config, "workeroutput", config.stash.setdefault(STASH, {}))[LEFT] = dict(left)


STASH = pytest.StashKey[dict]()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Of the workers, which all leave out the same, one tells."""
    left = getattr(node, "workeroutput", {}).get(LEFT)
    if left:
        node.config.stash[STASH] = {LEFT: left}


def pytest_terminal_summary(terminalreporter, config):
    """Say what `make deep` adds."""
    left = config.stash.get(STASH, {}).get(LEFT)
    if left:
        terminalreporter.section(f"`make deep` adds {sum(left.values())} tests")
        for name, count in left.items():
            terminalreporter.line(f"{count:>5} {name}")
