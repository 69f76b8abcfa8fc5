"""``fun``: a Python function as a function of the language, typed, checked, compiled as is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_origin, overload

from combinators.errors import TypeMismatch
from combinators.objects import Object
from combinators.tracing.classes import typed
from combinators.tracing.definition import Definition
from combinators.tracing.functions import Specialisable
from combinators.tracing.traced import Traced
from diffcurry.arguments import Names
from diffcurry.closures import of_traced
from diffcurry.function import Function, P, R
from interpreters.backends.llvm.choice import known_backend


@overload
def fun(
    function: Callable[P, R],
    /,
    *types: Object,
    checked: bool = False,
    static: Names = (),
    backend: str | None = None,
) -> Function[P, R]: ...
@overload
def fun(
    *types: Object, checked: bool = False, static: Names = (), backend: str | None = None
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def fun(
    function: Any = None,
    /,
    *types: Any,
    checked: bool = False,
    static: Names = (),
    backend: str | None = None,
) -> Any:
    """A Python function as a function of the language.

    It is typed by ``types``, one object for each parameter; or by its annotations, if every
    parameter is annotated by an object (or float, int, bool); or else by the arguments of each
    call. It is traced once for each choice of types, and free numbers and arrays of Python are
    constants then; where others stand in their places later, it is traced anew.

    An index that is computed reads 0 where it is outside, and puts nowhere; an integer divided by
    zero is 0, and a negative power of an integer its integer part; integers wrap. With ``checked``
    these are errors, ``IndexOutOfRange``, ``DivisionByZero``, ``DomainError`` and
    ``IntegerOverflow``, that name the user's line, here and in every derivative of the function.
    A ``backend`` compiles it, and its derivatives: ``"python"``, ``"llvm"`` or ``"auto"``, of which
    ``backend`` tells; what holds where it is first called is left then.

    What is no number is static: words, truths, None. The function is traced for each, and for each
    value of the parameters that ``static`` names.

    >>> @fun
    ... def area(r):
    ...     return 3.0 * r * r
    >>> area(2.0)
    np.float64(12.0)
    """
    if function is None or isinstance(function, Object) or get_origin(function):
        given = (function, *types) if function is not None else ()
        return lambda f: fun(f, *given, checked=checked, static=static, backend=backend)
    static = (static,) if isinstance(static, str) else tuple(static)
    if isinstance(function, Function):
        backend = backend or function.backend
        is_same = function.checked >= checked and backend == function.backend
        if is_same and not types and not static:
            return function
        if type(function) is Function:
            checked, static = checked or function.checked, static or function.static_names
    types = tuple([typed(one).object for one in types])
    if isinstance(function, Traced):
        function, types = of_traced(function, types)
    if not callable(function):
        raise TypeMismatch(f"fun takes a Python function, and {function!r:.60} is not callable")
    if checked and isinstance(function, Function) and type(function) is not Function:
        raise TypeMismatch(
            f"{function!r:.60} is made of another function; check that one, as in "
            "grad(fun(f, checked=True))"
        )
    if isinstance(function, Specialisable):
        types = types or function.types or ()
    if type(function) in (Definition, Function):  # others are more than their Python function
        function = function.function
    named = None if backend is None else known_backend(backend)
    return Function(function, types or None, checked=checked, static=static, backend=named)
