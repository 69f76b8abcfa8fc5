"""Carriers: what the numbers of an interpretation are."""
