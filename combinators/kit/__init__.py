"""What any deep, shared, immutable syntax needs, whatever it says."""
