"""Names in a module of JAX: JAX's own modules and words are kept free."""

from __future__ import annotations

import re

from combinators.kit.names import Names
from interpreters.backends.text.naming import identifier, names_apart

MODULES = ("jax", "jnp", "np", "lax")
WORDS = {"grad": "d", "vjp": "pullback", "jvp": "pushforward"}
"""What our names say instead, where JAX's words would promise JAX's own derivatives."""


def function_name(name: str) -> str:
    """``name`` as that of a function.

    >>> function_name("grad_grad_loss"), function_name("vjp"), function_name("upgrade")
    ('d_d_loss', 'pullback', 'upgrade')
    """
    leading = re.match(r"((grad|vjp|jvp)(_|$))*", name)
    assert leading is not None
    ours = re.sub("grad|vjp|jvp", lambda word: WORDS[word[0]], leading[0])
    return identifier(ours + name[leading.end() :])


def reserved_names(*taken: str) -> Names:
    """Names of variables; none of them hides a keyword, a builtin, a module or what is taken."""
    return names_apart((*MODULES, *taken))
