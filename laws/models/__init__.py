"""What the kit brings to a model: the free category, other ways to an arrow, points."""
