"""The loaded root package under either of its names, for modules that look up its attributes late."""

import sys

torch = sys.modules[__package__]
