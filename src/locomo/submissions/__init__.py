"""Answers of other systems: read, matched to questions, diagnosed, compared."""
