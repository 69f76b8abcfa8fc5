"""The few functions that emitted code may carry along."""

from interpreters.backends.python.helpers_at_indices import AT_INDICES
from interpreters.backends.python.helpers_of_arrays import COPIED, OF_ARRAYS
from interpreters.backends.python.helpers_of_numbers import OF_NUMBERS
from interpreters.backends.text.module import PLUS, by_name

HELPERS = by_name(OF_NUMBERS, OF_ARRAYS, PLUS, COPIED, AT_INDICES)
"""The text of each, by its name."""
