"""Memories: a question and k in, cited turns out, best first (SPEC 8)."""
