"""Dual numbers and dual arrays whose second halves are Delta terms (003)."""
