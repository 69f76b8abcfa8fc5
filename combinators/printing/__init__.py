"""Printing as on paper: terms as λ-calculus, arrows as combinators; a line, or let-normal text."""

from combinators.printing.morphisms import morphism_line, morphism_text
from combinators.printing.terms import term_line, term_text

__all__ = ["morphism_line", "morphism_text", "term_line", "term_text"]
