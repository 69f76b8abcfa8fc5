"""Written in Python: how a user's function, run once on traced values, becomes a term."""
