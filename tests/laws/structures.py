"""The laws of the textbooks, by name."""

from laws.structures import (
    additive,
    cartesian,
    category,
    closed,
    closed_differential,
    differential,
    distributive,
    iterated,
    loops,
    pullback,
    reverse,
    through_functions,
)

FILES = (
    category,
    cartesian,
    closed,
    distributive,
    loops,
    additive,
    differential,
    closed_differential,
    reverse,
    iterated,
    pullback,
    through_functions,
)

NAMED = {law.name: law for file in FILES for law in file.LAWS}
