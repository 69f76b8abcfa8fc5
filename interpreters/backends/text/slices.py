"""Windows of arrays, as they stand between brackets."""

from __future__ import annotations

Shape = tuple[int, ...]


def slice_text(start: Shape, step: Shape, extent: Shape, shape: Shape, drop: bool = False) -> str:
    """What stands between the brackets; with ``drop``, an axis of extent 1 is an integer."""
    parts = []
    for first, stride, count, n in zip(start, step, extent, shape, strict=True):
        end = first + stride * count
        if drop and count == 1:
            parts.append(str(first))
        elif count == n and stride == 1:
            parts.append(":")
        else:
            begin = "" if first == (0 if stride > 0 else n - 1) and count else str(first)
            stop = "" if end < 0 or (stride > 0 and end >= n and count) else str(end)
            parts.append(f"{begin}:{stop}" + (f":{stride}" if stride != 1 else ""))
    while len(parts) > 1 and parts[-1] == ":":
        parts.pop()
    return ", ".join(parts) or "..."
