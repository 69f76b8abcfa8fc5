"""Long's comparison (002): ways to a gradient, each as its paper writes it, side by side.

A graph that is walked (2), linear negation (3.1, 5.1), CHAD (5.2), Krawiec's monad (6.1) and the
calculus that Long proposes (6.2). ``compare`` holds them against one another.
"""
