"""The Differentiable Curry (004): rep-functions, simply and dependently typed, by its figures.

A program is taken to combinators by J (Fig. 1, ``combinators/translate.py``), and interpreted by
``interpret`` in one of the categories here. They recurse where the figures do, so a program that
calls itself a thousand deep is for the fast modes.
"""
