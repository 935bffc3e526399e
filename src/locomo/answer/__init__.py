"""The table of arms; asking memories and reading what they cite."""
