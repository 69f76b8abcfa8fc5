"""A closed λ as a module of Python that stands alone, and as the function in it.

A program ends with a look at results in doubt, and gives what is nobody else's:

    z = v * p                              scale v p, a product in which zeros absorb
    if math.isnan(z):
        return _f_carefully(v, p)          which is written when it is first needed
    return z
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Mu, Object, Real, Sum, Tangent, Tensor, components
from combinators.operation import VIEWS, check_size, is_beyond_memory
from combinators.terms import Lam, Prim, Term
from interpreters.backends.analysis.captures import Occurrences, surveyed
from interpreters.backends.analysis.facts import Fact, ProgramFacts, component
from interpreters.backends.analysis.lines import (
    CAREFUL,
    DOUBTFUL,
    OPTIMISTIC,
    Hidden,
    hides_zeros,
    lines_of,
)
from interpreters.backends.python.array_places import checked, in_zeros, placed, total
from interpreters.backends.python.numpy_arrays import filled
from interpreters.backends.python.python_arrays import arrays, compound, elements, filled_out
from interpreters.backends.python.python_blocks import choice, loop
from interpreters.backends.python.python_functions import closure, in_depth
from interpreters.backends.python.python_helpers import HELPERS
from interpreters.backends.python.python_numbers import number_of, real, reals
from interpreters.backends.python.python_recursion import in_place, recursive
from interpreters.backends.python.python_sums import of_sum, zero_of_sum
from interpreters.backends.text.layout import Assign, Clause, Do, Text, call, several, tuple_of
from interpreters.backends.text.leaves import (
    Bundle,
    CapturedLam,
    Leaf,
    Placed,
    Spread,
    Value,
    is_array,
    leaf_types,
)
from interpreters.backends.text.module import (
    FEW,
    Array,
    Module,
    as_range,
    diagonal,
    executed,
    nested,
    stepped,
)
from interpreters.backends.text.term_writer import Writer

LONGEST = 79
"""How long an array is that is written on a line."""


class PythonModule(Module):
    """Functions and constants, which need ``math`` and NumPy at most."""

    helpers = HELPERS
    imports: ClassVar = {
        "contextlib": "import contextlib",
        "functools": "import functools",
        "gc": "import gc",
        "math": "import math",
        "sys": "import sys",
        "threading": "import threading",
        "np": "\nimport numpy as np",
    }

    apart = frozenset({"contextlib", "gc", "sys", "threading"})
    of_bytes = "np.frombuffer"

    def array_text(self, array: Array) -> Text | None:
        """An array that can be said in a few words; None of others."""
        if not array.size:
            return f'np.zeros({array.shape}, dtype="{array.dtype.name}")'
        is_small = array.size <= FEW and as_range(array) is None
        found = diagonal(array) or (None if is_small else stepped(array))
        if found is None and array.size <= FEW and array.dtype.name in ("float64", "int64"):
            text = f"np.array({nested(array, repr)})"
            return text if np.all(np.isfinite(array)) and len(text) < LONGEST else None
        return found

    def dtype(self, dtype: np.dtype[Any]) -> str:
        """An element type, as an argument."""
        return f'dtype="{dtype.newbyteorder("<").str}"'


LONGEST_ARGUMENT = 20
"""How long an argument is that stands in a call."""


class PythonWriter(Writer):
    """Writes the functions of one program into a module, quick or careful."""

    backend = "Python"
    number_of, elements, sum = number_of, elements, total
    placed, checked, arrays = placed, checked, arrays
    closure, recursive, in_place = closure, recursive, in_place
    choice, loop, compound = choice, loop, compound
    of_sum, zero_of_sum = of_sum, zero_of_sum

    def __init__(self, *args: Any, **options: Any) -> None:
        """Of a module, a survey and the lines of a program, careful or not."""
        super().__init__(*args, **options)
        self._reals = reals(self)
        self._zero_texts: dict[int, Text] = {}

    def direct(self, term: Prim, wish: str) -> Value:
        """A term made of a few primitives of tensors; most are of reals."""
        if term.type is Real:
            name = term.operation.primitive.name
            form = self._reals.get(name)
            if form is not None:
                leaves: list[Any] = []
                for arg in term.args:
                    if arg.type is not Real:
                        break
                    leaves.append(self.operand(arg))
                else:
                    return real(self, name, form, leaves)
        return super().direct(term, wish)

    def argument(self, leaf: Leaf) -> str:
        """The text that is given to a function; a long one stands on a line of its own."""
        return self.named(leaf).text if len(leaf.text) > LONGEST_ARGUMENT else leaf.text

    def made(self, value: Spread | Placed, wish: str) -> Leaf:
        """The array that waited."""
        if isinstance(value, Spread):
            return filled_out(self, value, wish)
        return in_zeros(self, value, wish)

    def text(self, value: Value, wish: str = "t") -> Recursive[Text]:
        """The value as text; a zero of products stands at the top of the module."""
        if isinstance(value, Bundle) and value is self.zero_values.get(id(value.type)):
            return self._zero_text(value)
        return super().text(value, wish)

    def _zero_text(self, value: Bundle) -> Recursive[Text]:
        if id(value) in self._zero_texts:
            return self._zero_texts[id(value)]
        texts: list[Text] = []
        for part in value.parts:
            if isinstance(part, Spread):
                texts.append(filled(part.inner.text, part.inner.literal, part.type))
            elif isinstance(part, Bundle):
                texts.append((yield self._zero_text(part)))
            else:
                texts.append(cast("Leaf", part).text)
        text = tuple_of(tuple(texts))
        if any(isinstance(part, Bundle) for part in value.parts):
            text = self.module.zero(value.type, text)
        self._zero_texts[id(value)] = text
        return text


class PythonProgram:
    """A program as Python. What is not asked for is not written."""

    backend = "python"

    def __init__(self, lam: Lam, name: str, doc: str, survey: Occurrences | None) -> None:
        """Of the closed λ ``lam``, which may have been surveyed."""
        self._lam, self._survey = lam, survey or surveyed(lam)
        if any(map(is_beyond_memory, self._survey.objects)):
            _check_sizes(lam)
        self._module = PythonModule(name)
        self._lines, level = self._read()
        is_quick = not _holds_function(lam.body.type)
        self._again = self._written(self._module.name, doc, level, careful=not is_quick)
        self.name = self._module.name
        self._function: weakref.ref[Callable[..., Any]] | None = None

    @cached_property
    def source(self) -> str:
        """The text of a module that needs ``math`` and ``numpy`` at most, and nothing of ours."""
        if self._again:
            self._written(self._again, "", CAREFUL, careful=True)
        return self._module.source()

    @property
    def computes_arrays(self) -> bool:
        """Whether arrays are computed in it."""
        return "np." in self.source

    @property
    def function(self) -> Callable[..., Any]:
        """The function: of Python's numbers, NumPy's arrays, tuples, and functions of them.

        It raises IndexError for an index that is out of range.
        """
        known = self._function() if self._function is not None else None
        if known is None:
            known = self._loaded()
            self._function = weakref.ref(known)
        return known

    def _loaded(self) -> Callable[..., Any]:
        if "source" in vars(self) or not self._again:
            whole: Callable[..., Any] = self._executed(self.source)[self.name]
            return whole
        space = self._executed(self._module.source())
        again, this = self._again, weakref.ref(self)

        def carefully(*args: Any) -> Any:
            # The careful version is written when the quick one first needs it.
            compiled = this()
            assert compiled is not None
            space[again] = compiled._executed(compiled.source)[again]
            return space[again](*args)

        space[again] = carefully
        # The function holds the program, and nothing in its module does: they go together.
        function: Callable[..., Any] = space.pop(self.name)
        vars(function)["compiled"] = self
        return function

    def _executed(self, text: str) -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": f"compiled_{self.name}"}
        with uncollected():
            executed(text, self.name, space)
        return space

    def _read(self) -> tuple[ProgramFacts, int]:
        """What is known of the lines of the program, and how its zeros are hidden."""
        has_doubt = any(map(hides_zeros, self._survey.operations))
        if has_doubt and not _holds_function(self._lam.body.type):
            for level in (OPTIMISTIC, DOUBTFUL):
                with suppress(Hidden):
                    return lines_of(self._lam, self._survey, level), level
        return lines_of(self._lam, self._survey, CAREFUL), CAREFUL

    def _written(self, name: str, doc: str, level: int, *, careful: bool) -> str:
        """Write the entry; the name of the careful version, if this one may call it."""
        lam, module, absorbs = self._lam, self._module, careful or level == CAREFUL
        writer = PythonWriter(module, self._survey, self._lines, careful=careful, absorbs=absorbs)
        with writer.function(lam.body):
            params = writer.parameters(lam.params, captured=len(lam.params))
            if _holds_function(lam.body.type):
                for param, text in zip(lam.params, params, strict=True):
                    if is_array(param.type):
                        writer.at.body.append(Assign((text,), f"{text}.copy()"))
            again = "" if careful else module.fresh(f"{name.lstrip('_')}_carefully")
            call_again = call(again, *params)
            ending = _Ending(writer, "" if absorbs else call_again)
            recurse(ending.give(lam.body, self._lines.result))
            body = writer.at.body
        if writer.warns:
            body = [Clause("with ", 'np.errstate(all="ignore")', body)]
        if writer.raises and not careful:
            errors = "except (ArithmeticError, ValueError)"
            handler = Clause(errors, "", [Do(call_again, "return ")])
            body = [Clause("try", "", body, handler)]
        is_deep = writer.deep and name == module.name
        module.define(name, params, body, doc, f"@{in_depth(writer)}" if is_deep else "")
        return again if writer.raises or ending.checks else ""


def compile_program(
    lam: Lam, *, name: str = "f", doc: str = "", survey: Occurrences | None = None
) -> PythonProgram:
    """The program ``lam``, a closed λ, as Python; of one that was surveyed, that is given.

    Its function takes an argument a parameter. Reals, integers and booleans of 64 bits are
    Python's own, other numbers NumPy's scalars, tensors arrays, products and records tuples,
    vectors tuples, and functions Python's: of one argument a component where theirs is a product.
    A function among the results computes with care from the start, and is to be called under
    ``np.errstate(all="ignore")``. It raises MissingRule where a primitive has no code.
    """
    with uncollected():
        return PythonProgram(lam, name, doc, survey)


def _check_sizes(lam: Lam) -> None:
    """Raise where the program makes, or gives, an array that no memory holds."""
    node: Term
    for node in distinct_nodes(lam, kind=Term):
        if type(node) is Prim and node.operation.name not in VIEWS:
            check_size(node.operation.name, node.type, node.place)
    check_size(lam.name or "the function", lam.body.type)


def _holds_function(obj: Object) -> bool:
    """Whether a function is among values of the type."""
    return any(isinstance(leaf, Fun) for leaf in leaf_types([obj], inside=True))


SMALL = 4096
"""Up to how many elements ``vdot`` is the quickest look, before BLAS starts threads."""


class _Ending:
    """What has been returned so far."""

    def __init__(self, writer: PythonWriter, again: Text) -> None:
        """``again`` is returned where there is a nan in doubt; empty where none can be."""
        self.writer, self.again = writer, again
        self.checks = False
        self._given: dict[int, tuple[object, str]] = {}

    def give(self, body: Term, known: Fact) -> Recursive[None]:
        """The value of a body, as what its function returns."""
        value: Value = yield self.writer.value(body, "result")
        if isinstance(value, Bundle) and len(value.parts) > 1:
            self.writer.do(several((yield self._parts(value, known))), "return ")
        elif self.writer.recurses:
            self.writer.give((yield self._own(value, known)))
        else:
            self.writer.do((yield self._own(value, known)), "return ")

    def _parts(self, value: Bundle, known: Fact) -> Recursive[tuple[Text, ...]]:
        texts: list[Text] = []
        for index, part in enumerate(value.parts):
            texts.append((yield self._own(part, component(known, index, part.type))))
        return tuple(texts)

    def _own(self, value: Value, known: Fact) -> Recursive[Text]:
        """An expression of the value, that shares no buffer with anything."""
        if isinstance(value, Bundle):
            if id(value) in self._given:
                return self._given[id(value)][1]
            texts: tuple[Text, ...] = yield self._parts(value, known)
            if len(texts) <= 3 and all(isinstance(text, str) for text in texts):
                return tuple_of(texts)
            name = self.writer.assign(tuple_of(texts), "result")
            self._given[id(value)] = value, name
            return name
        leaf: Leaf
        if isinstance(value, CapturedLam):
            leaf = yield closure(self.writer, value, "result", whole=True)
            return self._function(leaf.text)
        leaf = yield self.writer.leaf(value, "result")
        if known.doubtful and self.again:
            leaf = self.writer.named(leaf, "result")
            self._check(leaf.text, leaf.type, known)
        if is_array(leaf.type):
            return self._array(leaf)
        if isinstance(leaf.type, Fun):
            return self._function(leaf.text)
        is_plain = isinstance(leaf.type, Tensor) or leaf.text in ("None", "()")
        if self.writer.has_sums or isinstance(leaf.type, Sum | Mu):
            inside = leaf_types([leaf.type], inside=True)
            is_plain = is_plain or not any(one is Tangent or is_array(one) for one in inside)
            return leaf.text if is_plain else f"_copied_tagged({leaf.text})"
        return leaf.text if is_plain else f"_copied({leaf.text})"

    def _function(self, text: str) -> str:
        """A function that the user gets, who calls it as deep as it goes."""
        if not self.writer.recurses:
            return text
        return f"{in_depth(self.writer)}({text})"

    def _array(self, leaf: Leaf) -> str:
        buffer = leaf.buffer
        if buffer is None or not buffer.fresh or id(buffer) in self._given:
            return f"{leaf.text}.copy()"
        self._given[id(buffer)] = buffer, leaf.text
        return leaf.text

    def _check(self, name: str, obj: Object, known: Fact) -> None:
        """Look for a nan, in each component of a product."""
        product = components(obj)
        if product is not None:
            for index, part in enumerate(product.parts):
                fact = component(known, index, part)
                if fact.doubtful:
                    self._check(f"{name}[{index}]", part, fact)
            return
        self.checks = True
        looked_at = name
        if isinstance(obj, Tensor) and obj.shape:
            # Either is nan where an element is; of inf and -inf the sum is too, which does no harm.
            looked_at = f"np.vdot({name}, {name})" if obj.size <= SMALL else f"{name}.sum()"
            self.writer.warns = True
        test = f"math.isnan({looked_at})"
        self.writer.at.body.append(Clause("if ", test, [Do(self.again, "return ")]))
