"""Classes that warn when they are instantiated or subclassed."""

import warnings


def deprecated_class(message):
    """Decorates a class so that instantiating or subclassing it emits FutureWarning(message)."""

    def decorate(cls):
        def __new__(made, *args, **kwargs):
            if made is cls:
                warnings.warn(message, FutureWarning, stacklevel=2)
            return super(cls, made).__new__(made)

        def __init_subclass__(made, **kwargs):
            warnings.warn(message, FutureWarning, stacklevel=2)
            super(cls, made).__init_subclass__(**kwargs)

        cls.__new__ = staticmethod(__new__)
        cls.__init_subclass__ = classmethod(__init_subclass__)
        cls.__deprecated__ = message
        return cls

    return decorate
