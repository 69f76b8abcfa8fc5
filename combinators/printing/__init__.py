"""Terms and arrows as text: on one line, or on as many as they need.

Loading it tells both how they are printed; ``combinators`` does.
"""

from combinators.morphisms import Morphism
from combinators.printing.printed_arrows import morphism_line, morphism_text
from combinators.printing.printed_terms import term_line, term_text
from combinators.terms import Term

Term.print_by(term_line, term_text)
Morphism.print_by(morphism_line, morphism_text)
