"""Sweep, control, reach and ceiling."""
