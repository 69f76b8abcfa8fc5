"""How arrows run: ropes of steps on a machine with its own stack, and what runs in them."""
