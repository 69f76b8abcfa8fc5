"""How laws, objects, arrows and failures are written."""
