"""The subcommands of `locomo`."""
