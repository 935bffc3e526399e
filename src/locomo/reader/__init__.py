"""Readers: a question and cited turns in, a reply out."""
