"""torch.onnx.symbolic_helper: what descriptions of operators are written with; there is no exporter to read them."""

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
