"""*Dual-numbers reverse AD for functional array languages* (003), figure by figure."""
