"""Python and NumPy as a language of the walk over terms."""

from __future__ import annotations

from typing import Any, cast

from combinators.kit.recursion import Recursive
from combinators.objects import Real
from combinators.terms import Prim
from interpreters.backends.python.array_places import checked, in_zeros, placed, total
from interpreters.backends.python.branches import choice, closure
from interpreters.backends.python.for_loops import loop
from interpreters.backends.python.numpy_arrays import filled
from interpreters.backends.python.python_arrays import arrays, compound, elements, filled_out
from interpreters.backends.python.python_numbers import number_of, real, reals
from interpreters.backends.text.layout import Text, tuple_of
from interpreters.backends.text.leaves import Bundle, Leaf, Placed, Spread, Value
from interpreters.backends.text.term_writer import Writer

LONGEST = 20
"""How long an argument is that stands in a call."""


class PythonWriter(Writer):
    """Writes the functions of one program into a module, quick or careful."""

    backend = "Python"
    number_of, elements, sum = number_of, elements, total
    placed, checked, arrays = placed, checked, arrays
    closure, choice, loop, compound = closure, choice, loop, compound

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
        return self.named(leaf).text if len(leaf.text) > LONGEST else leaf.text

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
