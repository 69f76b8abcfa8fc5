"""What every backend that writes a program as text has in common."""
