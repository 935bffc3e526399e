"""Memories: they take a question and k, and cite turns, best first (SPEC 8)."""
