"""Backends: what turns a program into code that stands alone."""
