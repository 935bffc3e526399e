"""Measures, their averages and tables, and the signature of a figure."""
