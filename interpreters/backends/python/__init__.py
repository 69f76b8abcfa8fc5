"""Python and NumPy: a program as a module that needs nothing of ours."""

from interpreters.backends.python.python_program import PythonProgram, compile_program

__all__ = ["PythonProgram", "compile_program"]
