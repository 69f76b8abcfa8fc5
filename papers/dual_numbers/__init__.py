"""*Dual-numbers reverse AD for array programs* (003): section 2, on numbers."""
