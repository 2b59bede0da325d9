"""The package's; a test compares them."""

VERSION = "0.1.0"
