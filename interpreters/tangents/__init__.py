"""What is pulled back: sparse cotangents, dense ones, and scattered parts of arrays."""
