"""LoCoMo without a language model: memories, readers, the dataset's own metric and what it cannot show."""

__version__ = "0.1.0"
