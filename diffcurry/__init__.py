"""diffcurry: programs as typed λ-terms, and derivatives through curry and eval.

>>> import numpy as np
>>> import diffcurry as dc
>>> dc.grad(lambda x: np.sin(x) * x)(1.0)
np.float64(1.3817732906760363)
"""

import combinators.primitives as _primitives
from combinators import control as _control
from combinators.errors import DiffcurryError
from combinators.objects import Bool, Fun, Int, Object, Product, Real, Record, Tensor, Unit, Vector
from diffcurry.check import check_grads
from diffcurry.cotangents import Calls, Captured
from diffcurry.eager import eager as _eager
from diffcurry.forward import jvp
from diffcurry.function import Function, fun
from diffcurry.jacobians import jacfwd, jacobian, jacrev
from diffcurry.linear import linear_transpose, linearize
from diffcurry.override import with_derivative
from diffcurry.primitive import primitive
from diffcurry.second import hessian, hvp
from diffcurry.transforms import grad, pullback, pushforward, value_and_grad, vjp

__version__ = "0.1.0"

cond = _eager(_control.cond)
fold = _eager(_control.fold)
scan = _eager(_control.scan)
map = _eager(_control.map)  # noqa: A001
