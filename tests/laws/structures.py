"""The laws of the textbooks, by name."""

from laws.structures import (
    additive,
    cartesian,
    closed,
    differential,
    loops,
    pullback,
    reverse,
    through_functions,
)

FILES = (
    cartesian,
    closed,
    loops,
    additive,
    differential,
    reverse,
    pullback,
    through_functions,
)

NAMED = {law.name: law for file in FILES for law in file.LAWS}
