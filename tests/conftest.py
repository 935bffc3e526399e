"""Fixtures that tests of all rooms share."""

pytest_plugins = ("helpers.shared", "helpers.browser", "helpers.clones", "helpers.ran")
