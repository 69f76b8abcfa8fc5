"""What is known of a program before it is written, once for every backend."""
