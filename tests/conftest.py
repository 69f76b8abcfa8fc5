"""Hypothesis profiles, chosen by the environment variable DIFFCURRY_PROFILE.

``dev`` is quick, ``ci`` draws the same examples every time, ``deep`` searches. Nothing is timed:
a slow machine must not fail a law.
"""

import os

from hypothesis import HealthCheck, settings

UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("dev", max_examples=20, **UNTIMED)
settings.register_profile("ci", max_examples=100, derandomize=True, print_blob=True, **UNTIMED)
settings.register_profile("deep", max_examples=5000, **UNTIMED)
settings.load_profile(os.environ.get("DIFFCURRY_PROFILE", "dev"))
