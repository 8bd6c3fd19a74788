"""A decorator for deprecated functions (typing_extensions has one too, but importing it is slow)."""

import functools
import warnings


def deprecated(message: str, category: type[Warning] = FutureWarning):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            warnings.warn(message, category, stacklevel=2)
            return function(*args, **kwargs)

        wrapper.__deprecated__ = message
        return wrapper

    return decorate
