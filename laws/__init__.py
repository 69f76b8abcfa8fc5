"""Laws: how do we know? Named, cited equations with both sides as arrows.

This room's place. A law is stated against the protocols of ``combinators`` and never imports an
interpreter; the laws themselves come with the law kit.

Write ``from diffcurry import laws``: a ``laws.py`` of your own that stands earlier on Python's
path shadows a plain ``import laws``.
"""
