"""Predictions, scores, and the results of a run joined."""
