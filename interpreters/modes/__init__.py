"""Modes: what a derivative is. Each is a category; its numbers are a carrier's (``over=``)."""
