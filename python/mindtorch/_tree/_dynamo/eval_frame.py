"""Types of a graph compiler for isinstance checks; there are no instances."""

from .._absent_device import make_refusing_class


def is_dynamo_supported() -> bool:
    return False


OptimizedModule = make_refusing_class(
    __name__, "OptimizedModule(mod, dynamo_ctx)", NotImplementedError, "OptimizedModule: there is no graph compiler"
)
