"""Programs as machine code, by way of LLVM: an optional extra, ``diffcurry[native]``.

The way of a program: a λ becomes a graph of arrays and numbers (``graph``, ``lowering``), the graph
a plan of what stands in memory and what is computed together (``memory``, ``fusion``), the plan
LLVM's text (``emission``), and that a function of Python (``machine``, ``entry``).
"""
