"""When two outcomes are the same, how that is told, and where they first differ."""
