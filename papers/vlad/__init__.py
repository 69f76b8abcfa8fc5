"""Lambda the Ultimate Backpropagator (001): VLAD, the language in which reverse mode is a function.

``Vlad().run("((gradient (lambda (x) (* x x))) 3)")``: s-expressions are read into A-normal form
(``reader``), run (``evaluator``), and transformed by ``J`` (``transform``), of which every function
of the language, ``J`` itself included, has an image (``basis``).
"""
