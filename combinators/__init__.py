"""What is a program? Objects, terms, the combinators and the translation between them."""
