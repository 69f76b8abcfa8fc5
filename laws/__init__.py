"""Laws: how do we know? Named, cited equations with both sides as arrows.

The room is empty yet: the laws are tests, and ``docs/laws.md`` names them. What will stand here is
stated against the protocols of ``combinators`` and imports no interpreter.

A ``laws.py`` of your own that stands earlier on Python's path shadows this package.
"""
