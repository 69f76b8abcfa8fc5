"""What is a program? Objects, terms, the combinators and the translation between them."""

import combinators.primitives  # noqa: F401 (a language without its primitives says nothing)
