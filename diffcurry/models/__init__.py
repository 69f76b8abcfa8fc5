"""Our own interpreters, carriers and primitives as models of the laws."""

from diffcurry.models.adapters import model_of_mode
from diffcurry.models.modes import ModeModel

__all__ = ["ModeModel", "model_of_mode"]
