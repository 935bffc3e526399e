"""Predictions, scores, and the joined results of a run."""
