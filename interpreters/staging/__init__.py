"""Modes over the Terms carrier: running an arrow writes a program (004, section 5).

A border is where a program goes on elsewhere: a branch, the rounds of a loop, a function. Across it
a value goes as one term. The steps of a block leave their transposes on a tape; run backwards in a
block of its own, the tape writes the pullback, and what it mentions of the forward block are the
residuals, which go across as one record.
"""
