"""What a program costs, counted in its term: nothing is run, and a known function is walked once.

``counted`` gives the operations of a closed λ, ``measured`` the four measures of the paper's
figure 11, and ``certificate`` holds a gradient to the bound that the law or the theorem states.
"""

from interpreters.cost.certificate import Bound, Certificate, certificate
from interpreters.cost.counted import Cost, counted
from interpreters.cost.theorem import Measures, OutsideSource, measured, nesting

__all__ = [
    "Bound",
    "Certificate",
    "Cost",
    "Measures",
    "OutsideSource",
    "certificate",
    "counted",
    "measured",
    "nesting",
]
