"""Denotationally Correct, Purely Functional, Efficient Reverse-Mode AD (000).

Programs of Source and Target are terms of the language (``languages``); ``D`` with continuations is
``reverse``, the unary form and the way back ``unary``, what makes it fast ``partial_evaluation``.
"""
