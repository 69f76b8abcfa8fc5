"""How much a program computes, about: what is long lets other threads run, and hears Ctrl-C.

fold of 10⁶ rounds, 5 numbers in each:    5·10⁶ in all; every 2¹⁹ rounds, has anyone asked?
"""

from __future__ import annotations

from math import prod

from interpreters.backends.llvm.graph import FunctionGraph, Node, NodeBlock, bodies

LONG = 1 << 16
"""Numbers from which on other threads of Python run meanwhile: some 30 microseconds."""
PATIENCE = 1 << 22
"""Numbers after which it is asked whether to go on: some 5 to 50 milliseconds."""
FEW = 100
"""How many rounds there are, where nobody knows."""
ASKS = "dc_interrupted"
INTERRUPTED = f"""define internal i1 @{ASKS}() noinline cold {{
  %state = call i32 @PyGILState_Ensure()
  %thread = call ptr @PyEval_SaveThread()
  call void @PyEval_RestoreThread(ptr %thread)
  %found = call i32 @PyErr_CheckSignals()
  call void @PyGILState_Release(i32 %state)
  %raised = icmp ne i32 %found, 0
  ret i1 %raised
}}
declare i32 @PyGILState_Ensure()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()
declare void @PyGILState_Release(i32)
"""
"""Whether a signal came whose handler raised, in Python; other threads have their turn, too."""
_FREE = frozenset(("param", "fill", "constant", "iota", "view", "carry", "out"))


def efforts(function: FunctionGraph) -> dict[NodeBlock, int]:
    """How many numbers each block computes, with those inside it; of a choice, on both sides."""
    blocks = [function.block]
    for block in blocks:
        for node in block.nodes:
            blocks += bodies(node)
    found: dict[NodeBlock, int] = {}
    for block in reversed(blocks):
        found[block] = 1 + sum(_effort(node, found) for node in block.nodes)
    return found


def _effort(node: Node, known: dict[NodeBlock, int]) -> int:
    inside = sum(known[block] for block in bodies(node))
    if node.op == "loop":
        return (FEW if node.par.is_while else int(node.par.length)) * inside
    if node.op in _FREE or inside:
        return inside
    if node.op == "matmul":
        return node.size * node.args[0].shape[-1]
    return max([node.size, *(prod(arg.shape) for arg in node.args)])


def rounds_between(effort: int, length: int) -> int:
    """Of rounds of an effort, after how many it is asked whether to go on; 0 is never."""
    if effort * length < PATIENCE:
        return 0
    return 1 << max(0, (PATIENCE // effort).bit_length() - 1)
