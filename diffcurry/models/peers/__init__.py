"""Other systems as models of the laws: JAX and autograd, on first-order programs.

They come with the extra ``peers``. What they fail is in docs/bring-your-own.md.
"""

from diffcurry.models.peers.autograd import Autograd
from diffcurry.models.peers.jax import JAX
from diffcurry.models.peers.peer import first_order

__all__ = ["JAX", "Autograd", "first_order"]
