"""Bootstrap, paired differences, separation, and equal abstention."""
