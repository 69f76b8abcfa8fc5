"""XLA: a program as a module of JAX that needs nothing of ours."""

from interpreters.backends.xla.jax_program import JaxProgram, compile_program

__all__ = ["JaxProgram", "compile_program"]
