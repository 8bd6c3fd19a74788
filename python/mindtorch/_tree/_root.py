"""The loaded root package under either of its names, for modules that look its attributes up late."""

import sys

torch = sys.modules[__package__]
