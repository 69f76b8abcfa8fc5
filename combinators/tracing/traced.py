"""Traced values: what a user's Python function is run on, so that it writes down a term.

Python's operators and NumPy's functions on a traced value look up the language's own functions and
add a node to the current scope. What Python would have to know the number for is an error that says
what to write instead.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import lru_cache, partial, wraps
from typing import Any

import numpy as np

from combinators.errors import (
    ConcreteValueNeeded,
    ImmutableValue,
    MissingAttribute,
    ShapeMismatch,
    TypeMismatch,
    is_passed_over,
)
from combinators.objects import Fun, Mu, Object, Sum, Tensor, Vector
from combinators.terms import Var
from combinators.tracing.in_place import written_into
from combinators.tracing.parameters import takes
from combinators.tracing.refusals import WRITTEN, concrete, instead, no_word, refused, unknown
from combinators.tracing.scope import Scope

LIBRARY: dict[str, Callable[..., Any]] = {}
"""The functions of the language, by the names that NumPy gives them."""

WORDS: dict[str, Callable[..., Any]] = {}
"""Those of them that a user may write, by their own names."""

NUMPY: dict[Any, Callable[..., Any]] = {}
"""The functions of the language, by the NumPy functions that they stand for."""


_takes = lru_cache(maxsize=1 << 10)(takes)


def library(*names: str, word: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function answer to ``names``, and to NumPy's functions of these names.

    ``linalg.solve`` is that of ``np.linalg``. It is a ``word`` of the language, unless only the
    language's own functions use it, or NumPy's.
    """

    def register(given: Callable[..., Any]) -> Callable[..., Any]:
        function = _naming(given) if word and not hasattr(given, "arity") else given
        if word:
            WORDS[function.__name__] = function
        for name in names:
            LIBRARY[name] = function
            if (known := of_numpy(name)) is not None:
                NUMPY[known] = function
        return function

    return register


def of_numpy(name: str) -> Any:
    """NumPy's function of that name; None where there is none."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _naming(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, whose errors name it."""
    name = "x[…]" if function.__name__ == "getitem" else function.__name__

    @wraps(function)
    def named(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (ShapeMismatch, TypeMismatch) as error:
            error.during(name)
            raise

    return named


def counted(number: int) -> str:
    """So many arguments, in words."""
    return f"{number} argument{'s' * (number != 1)}"


UNROLLED = 500
"""So many rounds a ``for`` over a traced array is written out at most."""
_NO_ARRAY = "write np.stack, or no dtype=; to index one of NumPy's, index(a, i)"
LOOPS = "write fold(f, init, xs), scan(f, init, xs) or map(f, xs)"


def _operator(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    def apply(self: Traced, *other: Any) -> Any:
        if other and other[0] is NotImplemented:
            return NotImplemented
        return LIBRARY[name](*other, self) if swapped else LIBRARY[name](self, *other)

    return apply


def _method(name: str, numpys: str = "") -> Callable[..., Any]:
    def apply(self: Traced, *args: Any, **kwargs: Any) -> Any:
        return applied(f"x.{numpys or name}", LIBRARY[name], (self, *args), kwargs)

    return apply


class Traced:
    """A value that is not there yet: a variable of the term that is being written."""

    __slots__ = ("scope", "variable")

    def __init__(self, variable: Var, scope: Scope) -> None:
        """The value of ``variable``, made in ``scope``."""
        self.variable = variable
        self.scope = scope

    @property
    def type(self) -> Object:
        """Its object."""
        return self.variable.type

    @property
    def __class__(self) -> Any:
        """Its class; of a sum, whose class is not known yet, an error where a user asks for it."""
        if isinstance(self.variable.type, Sum | Mu):
            frame = sys._getframe(1)
            package = str(frame.f_globals.get("__name__")).partition(".")[0]
            if package not in sys.stdlib_module_names - {"__main__"} and not is_passed_over(frame):
                raise ConcreteValueNeeded(
                    f"isinstance and match ask {self!r} for its class, which a trace does not "
                    f"have; {instead(self.type)}"
                )
        return type(self)

    @__class__.setter
    def __class__(self, kind: Any) -> None:
        raise ImmutableValue(f"{self!r} stays what it is")

    def _tensor(self, asked: str) -> Tensor:
        if not isinstance(self.type, Tensor):
            write = instead(self.type)
            raise TypeMismatch(f"{self!r} is no tensor and has no {asked}{write and '; ' + write}")
        return self.type

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor: known while tracing."""
        return self._tensor("shape").shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type of the tensor: known while tracing."""
        return np.dtype(self._tensor("dtype").dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._tensor("size").size

    @property
    def T(self) -> Any:
        """The transpose."""
        return LIBRARY["transpose"](self)

    def __repr__(self) -> str:
        """Its name and type."""
        return f"{self.variable.name} : {self.type!r}"

    __add__, __radd__ = _operator("add"), _operator("add", swapped=True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", swapped=True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", swapped=True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", swapped=True)
    __floordiv__ = _operator("floor_divide")
    __rfloordiv__ = _operator("floor_divide", swapped=True)
    __mod__, __rmod__ = _operator("remainder"), _operator("remainder", swapped=True)
    __pow__, __rpow__ = _operator("power"), _operator("power", swapped=True)
    __matmul__, __rmatmul__ = _operator("matmul"), _operator("matmul", swapped=True)
    __and__, __rand__ = _operator("bitwise_and"), _operator("bitwise_and", swapped=True)
    __or__, __ror__ = _operator("bitwise_or"), _operator("bitwise_or", swapped=True)
    __xor__, __rxor__ = _operator("bitwise_xor"), _operator("bitwise_xor", swapped=True)
    __lshift__ = __rlshift__ = no_word("<<", "x * 2**n")
    __rshift__, __rrshift__ = _operator("compose"), _operator("compose", swapped=True)
    __divmod__ = __rdivmod__ = no_word("divmod", "x // y and x % y")
    __round__, __trunc__ = no_word("round", "np.round(x)"), no_word("math.trunc", "np.trunc(x)")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")
    __neg__, __abs__ = _operator("negative"), _operator("absolute")
    __invert__, __pos__ = _operator("invert"), _operator("positive")
    __hash__ = object.__hash__
    __array_priority__ = 1000

    sum, prod, mean = _method("sum"), _method("prod"), _method("mean")
    var, std = _method("var"), _method("std")
    max, min = _method("max"), _method("min")
    any, all = _method("any"), _method("all")
    argmax, argmin = _method("argmax"), _method("argmin")
    reshape, transpose = _method("reshape"), _method("transpose")
    cumsum, dot, astype = _method("cumsum"), _method("dot"), _method("astype")
    squeeze, clip, round = _method("squeeze"), _method("clip"), _method("round")
    ravel, flatten = _method("ravel"), _method("ravel", "flatten")
    swapaxes, take = _method("swapaxes"), _method("take")

    def __getitem__(self, key: Any) -> Any:
        """``x[2]``, ``x[1:5, :]``, ``x[indices]``; of a vector, ``x[2]``."""
        return LIBRARY["item" if isinstance(self.type, Vector) else "getitem"](self, key)

    def __getattr__(self, name: str) -> Any:
        """Say that NumPy's other methods are not in the language."""
        if name.startswith("__"):
            raise AttributeError(name)
        if isinstance(self.type, Sum | Mu):
            return LIBRARY["field"](self, name)
        if getattr(getattr(np, name, None), "nin", 0) == 1 and name in LIBRARY:
            return partial(LIBRARY[name], self)  # NumPy asks elements of its arrays for it
        near = get_close_matches(
            name, [word for word in dir(Traced) if not word.startswith("_")], 1
        )
        advice = f"did you mean x.{near[0]}?" if near else WRITTEN
        raise MissingAttribute(f"{self!r} has no {name} in the language; {advice}")

    def __call__(self, *args: Any) -> Any:
        """The application of a function value: a node of its own."""
        if not isinstance(self.type, Fun):
            raise TypeMismatch(f"{self!r} is called, and is not a function")
        return LIBRARY["call"](self, args)

    def __len__(self) -> int:
        """The extent of the leading axis."""
        if isinstance(self.type, Vector):
            return self.type.length
        if not self.shape:
            raise TypeMismatch(f"{self!r} is a number and has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Its rows, one after the other: a ``for`` is written out, and an unpacking is."""
        if not isinstance(self.type, Vector | Tensor):
            raise ConcreteValueNeeded(
                f"a for loop or an unpacking iterates over {self!r}; {instead(self.type) or LOOPS}"
            )
        if len(self) > UNROLLED:
            raise ConcreteValueNeeded(
                f"a for loop over {self!r} would be written out, {len(self)} times; {LOOPS}"
            )
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """NumPy's array of its elements, which are floats, as in ``np.array([[x, -y], [y, x]])``.

        It is taken for a traced array again where it meets the language.
        """
        may_be_index = not isinstance(self.type, Tensor) or self.dtype.kind != "f"
        if dtype is not None or may_be_index or self.size > UNROLLED:
            raise ConcreteValueNeeded(
                f"NumPy asks {self!r} for its array, which a trace does not have; "
                f"{instead(self.type) or _NO_ARRAY}"
            )
        whole = np.empty(self.shape, object)
        for index in np.ndindex(self.shape):
            whole[index] = self[index] if index else self
        return whole

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        """``np.sin(x)`` is the language's own ``sin``."""
        return of_ufunc(ufunc, method, args, kwargs)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """``np.sum(x)`` is the language's own ``sum``."""
        return of_function(func, args, kwargs)

    __bool__ = refused(
        "Python's if, while, and, or, not ask {!r} for a truth value, which a trace does not have; "
        "write cond(p, lambda: a, lambda: b), case(s, f, g) or while_loop(test, body, init); "
        "p & q, p | q, ~p; or np.where(p, a, b) elementwise",
        ConcreteValueNeeded,
    )
    __float__ = concrete(
        "float(x) or math.f(x)", "use x itself, x.astype(float), or np.sin for math.sin"
    )
    __int__ = concrete("int(x)", "use x.astype(int)")
    __complex__ = concrete("complex(x)", "the language has no complex numbers yet")
    __index__ = concrete(
        "range(x), a shape or a list index",
        "shapes are static; to index a traced array write a[x] or np.take(a, x); to go round so "
        "often, while_loop(test, body, init)",
    )
    __contains__ = refused(
        "`in` searches {!r}, which a trace cannot; write np.max(x == item) instead",
        ConcreteValueNeeded,
    )
    __setitem__ = refused(
        "{!r} is assigned into, and values of the language do not change; write "
        "x = set_at(x, i, v), or add_at for +=",
        ImmutableValue,
    )

    def __format__(self, spec: str) -> str:
        """Its name and type; there is no number to format yet."""
        if spec:
            raise ConcreteValueNeeded(
                f"the format {spec!r} asks {self!r} for a number, which a trace does not have; "
                "write {x} alone for its name and type"
            )
        return repr(self)


_REDUCE = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logaddexp": "logsumexp",
    "logical_and": "all",
    "logical_or": "any",
}
_ACCUMULATE = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}


def of_ufunc(ufunc: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.sin(x)``, ``np.add.reduce(x)``, ``np.multiply.outer(x, y)``, by the language's own."""
    function = NUMPY.get(ufunc) or _of_scipy(ufunc)
    if not kwargs and method == "__call__" and function and _takes(function, len(args)):
        return function(*args)
    if kwargs.get("out") is not None:
        return written_into(function, ufunc, args, kwargs)
    name = ufunc.__name__
    if method == "outer" and function and not kwargs:
        x, y = args
        return function(LIBRARY["reshape"](x, np.shape(x) + (1,) * np.ndim(y)), y)
    table = {"reduce": _REDUCE, "accumulate": _ACCUMULATE}.get(method, {})
    if name in table:
        kwargs.setdefault("axis", 0)
        return applied(f"np.{name}.{method}", LIBRARY[table[name]], args[:1], kwargs)
    if method != "__call__" or function is None:
        raise unknown(f"np.{name}" if method == "__call__" else f"np.{name}.{method}", WORDS)
    if "dtype" in kwargs:
        to = kwargs.pop("dtype")
        args = tuple(LIBRARY["astype"](arg, to) for arg in args)
    return applied(f"np.{name}", function, args, kwargs)


def _of_scipy(ufunc: Any) -> Callable[..., Any] | None:
    """The word for a ufunc of ``scipy.special``, which has its name there."""
    special = sys.modules.get("scipy.special")
    name = ufunc.__name__
    if special is None or getattr(special, name, None) is not ufunc:
        return None
    return LIBRARY.get(f"special.{name}") or WORDS.get(name)


def of_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.sum(x)`` is the language's own ``sum``."""
    name = f"{function.__module__}.{function.__name__}"
    if function not in NUMPY:
        raise unknown(name, WORDS)
    return applied(name.replace("numpy.", "np."), NUMPY[function], args, kwargs)


def applied(name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``function`` called as NumPy's ``name``; it raises where that takes what ours does not."""
    if kwargs or not _takes(function, len(args)):
        signature = inspect.signature(function)
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            most = len(signature.parameters)
            what = str(error)
            if most < len(args):
                what = f"it takes at most {counted(most)}, and was given {len(args)}"
                ufunc = getattr(np, name.removeprefix("np."), None)
                if isinstance(ufunc, np.ufunc) and len(args) > ufunc.nin:
                    what += "; NumPy writes into the last, and values do not change"
            known = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
            ours = f"{function.__name__}{inspect.Signature(known)}"
            raise TypeMismatch(f"{name} of a traced value: {what}; here it is {ours}") from None
    return function(*args, **kwargs)
