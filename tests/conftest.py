"""Fixtures that tests of all rooms share."""

import signal

pytest_plugins = ("helpers.shared", "helpers.browser", "helpers.clones", "helpers.ran")

# A shell has what it starts in the background ignore Ctrl-C, and so would every stage that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
