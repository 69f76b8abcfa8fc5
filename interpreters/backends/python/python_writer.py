"""Python and NumPy as a language of the walk over terms."""

from __future__ import annotations

from typing import Any, cast

from combinators.kit.recursion import Recursive
from combinators.objects import Real
from combinators.terms import Const, Prim, Term
from interpreters.backends.python.array_places import checked, in_zeros, placed, total
from interpreters.backends.python.branches import choice, closure
from interpreters.backends.python.for_loops import loop
from interpreters.backends.python.numpy_arrays import filled
from interpreters.backends.python.python_arrays import arrays, compound, elements, filled_out
from interpreters.backends.python.python_numbers import number_of, real, reals, scalar
from interpreters.backends.text.layout import Text, flat, tuple_of
from interpreters.backends.text.leaves import Bundle, Leaf, Placed, Spread, Value
from interpreters.backends.text.term_writer import Writer

LONGEST = 20
"""How long an argument is that stands in a call."""


class PythonWriter(Writer):
    """Writes the functions of one program into a module, quick or careful."""

    backend = "Python"
    number_of, number, elements, sum = number_of, scalar, elements, total
    placed, checked, arrays = placed, checked, arrays
    closure, choice, loop, compound = closure, choice, loop, compound

    def __init__(self, *args: Any, **options: Any) -> None:
        """Of a module, a survey and the lines of a program, careful or not."""
        super().__init__(*args, **options)
        self._reals = reals(self)
        self._numbers: dict[float, Leaf] = {}
        self._zero_names: dict[int, str] = {}

    def direct(self, term: Prim, wish: str) -> Value:
        """A term made of a few primitives of tensors; most are of reals."""
        if term.type is Real:
            name = term.operation.primitive.name
            form = self._reals.get(name)
            if form is not None and all(arg.type is Real for arg in term.args):
                leaves = [self.operand(arg) for arg in term.args]
                return real(self, name, form, cast("list[Leaf]", leaves))
        return super().direct(term, wish)

    def operand(self, term: Term) -> Value:
        """An operand of what is direct; a number is written once."""
        if type(term) is not Const or term.type is not Real:
            return super().operand(term)
        number = term.literal.array.item()
        found = self._numbers.get(number)
        if found is None:
            found = number_of(self, number, Real)
            if number:  # zeros of two signs are equal
                self._numbers[number] = found
        return found

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
        parts = value.parts if isinstance(value, Bundle) else ()
        is_zero = value is self.zero_values.get(id(value.type))
        if is_zero and any(isinstance(part, Bundle) for part in parts):
            return self._zero_name(cast("Bundle", value))
        return super().text(value, wish)

    def _zero_name(self, value: Bundle) -> Recursive[str]:
        if id(value) not in self._zero_names:
            texts: list[Text] = []
            for part in value.parts:
                if isinstance(part, Bundle):
                    texts.append((yield self._zero_name(part)))
                elif isinstance(part, Spread):
                    texts.append(filled(part.inner.text, part.inner.literal, part.type))
                else:
                    assert isinstance(part, Leaf)
                    texts.append(part.text)
            text = flat(tuple_of(tuple(texts)))
            self._zero_names[id(value)] = self.module.zero(value.type, text)
        return self._zero_names[id(value)]
