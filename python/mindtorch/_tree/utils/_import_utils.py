"""Which optional packages are here."""

import functools
import importlib.util


@functools.lru_cache
def dill_available() -> bool:
    """Whether dill is installed."""
    return importlib.util.find_spec("dill") is not None


def import_dill():
    """The package, or None. Loading it must not change how everything else is pickled."""
    if not dill_available():
        return None
    import dill

    dill.extend(use_dill=False)
    return dill
