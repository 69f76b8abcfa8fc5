"""What laws are written in: variables, operators beside the combinators, and short words."""
