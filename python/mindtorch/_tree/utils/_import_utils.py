"""Checks which optional packages are installed."""

import functools
import importlib.util


@functools.lru_cache
def dill_available() -> bool:
    """Whether dill is installed."""
    return importlib.util.find_spec("dill") is not None


def import_dill():
    """Returns the package, or None. Importing it must not change how other objects are pickled."""
    if not dill_available():
        return None
    import dill

    dill.extend(use_dill=False)
    return dill
