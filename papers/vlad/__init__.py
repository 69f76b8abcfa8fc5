"""Lambda the Ultimate Backpropagator (001): VLAD, the language in which reverse mode is a function.

S-expressions are read into A-normal form (``reader``), run (``evaluator``), and transformed by
``J`` (``transform``), of which every function, ``J`` itself included, has an image (``basis``).
"""
