"""What is a program? Objects, terms, the combinators and the translation between them."""

import combinators.primitives
import combinators.printing  # noqa: F401 (a language without its primitives and its text says nothing)

__version__ = "0.1.0"
