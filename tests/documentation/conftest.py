"""The package is `torch` in this suite, since examples are what a user types."""

import public_names

public_names.start()
