"""`python -m locomo`: the command `locomo` of the tree that is imported."""

from locomo.cli import main

main()
