"""What does a program mean? Carriers (what numbers are), modes (what a derivative is)."""
