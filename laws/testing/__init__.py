"""Laws as tests: a class of them, and items of a pytest session."""
