"""Object code kept on disk, by what it was made from; whatever is not surely ours is made anew.

    ~/.cache/diffcurry/3f9a…    magic, the digest of name and code, code           -rw-------

It lies in ``$XDG_CACHE_HOME/diffcurry``, else in ``~/.cache/diffcurry``; ``DIFFCURRY_CACHE`` names
another directory, or says ``off``. The directory has to be ours alone, a file ours, and written by
nobody else; both are asked of what was opened, so that nothing is exchanged in between. Files are
written beside and moved into their place, which many processes may do at once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

VARIABLE = "DIFFCURRY_CACHE"
MOST = 64 << 20
"""Bytes that are kept; of more, the oldest go until half is left."""
_MAGIC = b"diffcurry object 1\n"
_DIGEST = 32


def directory() -> Path | None:
    """Where object code is kept; None where it is not."""
    named = os.environ.get(VARIABLE)
    if named == "off" or not hasattr(os, "geteuid"):
        return None
    if named:
        return Path(named)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "diffcurry"


def kept(name: str) -> bytes | None:
    """The code of a name; None where there is none that is whole and ours."""
    with suppress(OSError, RuntimeError), _opened() as where:
        if where is None:
            return None
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where)
        with os.fdopen(file, "rb") as stream:
            if not _is_ours(file, stat.S_ISREG, 0o022):
                return None
            whole = stream.read()
            os.utime(file)  # the oldest is what was not used for longest
        code = whole[len(_MAGIC) + _DIGEST :]
        return code if whole == _sealed(name, code) else None
    return None


def keep(name: str, code: bytes) -> None:
    """Keep the code of a name, where that can be."""
    with suppress(OSError, RuntimeError), _opened() as where:
        if where is None:
            return
        beside = f"{name}.{token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(beside, flags, 0o600, dir_fd=where), "wb") as stream:
                stream.write(_sealed(name, code))
            os.replace(beside, name, src_dir_fd=where, dst_dir_fd=where)
        except OSError:
            os.unlink(beside, dir_fd=where)
            raise
        if name.startswith("0"):  # a look at all of them, one time in sixteen
            _bound(where)


def _sealed(name: str, code: bytes) -> bytes:
    return _MAGIC + sha256(name.encode() + code).digest() + code


@contextmanager
def _opened() -> Iterator[int | None]:
    """The directory, made where it is missing; None where others could have written into it."""
    path = directory()
    if path is None:
        yield None
        return
    if not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    where = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield where if _is_ours(where, stat.S_ISDIR, 0o077) else None
    finally:
        os.close(where)


def _is_ours(file: int, is_kind: Callable[[int], bool], others: int) -> bool:
    """Whether what is open is of a kind, belongs to us, and lets others do none of these."""
    found = os.fstat(file)
    return is_kind(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & others


def _bound(where: int) -> None:
    """Remove the oldest files, if all together are too large."""
    found = []
    for name in os.listdir(where):
        with suppress(FileNotFoundError):  # another process may remove them too
            known = os.stat(name, dir_fd=where, follow_symlinks=False)
            found.append((known.st_mtime_ns, known.st_size, name))
    total = sum(size for _, size, _ in found)
    if total <= MOST:
        return
    for _, size, name in sorted(found):
        if total <= MOST // 2:
            return
        total -= size
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=where)
