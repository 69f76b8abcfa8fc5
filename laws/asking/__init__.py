"""Asking a model for a law: scenes, the search for one that breaks it, and the verdict."""
