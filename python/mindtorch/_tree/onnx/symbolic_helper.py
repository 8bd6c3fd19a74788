"""torch.onnx.symbolic_helper: helpers for operator descriptions, which no exporter reads here."""

__all__ = ["parse_args"]


def parse_args(*arg_descriptors):
    """Notes, as a decorator, what kinds of arguments a description of an operator takes.

    Args:
        *arg_descriptors (str): a kind for each argument.

    Returns:
        Callable: the decorator, which gives the function back.
    """

    def decorator(fn):
        fn._arg_descriptors = arg_descriptors
        return fn

    return decorator
