"""torch.onnx.symbolic_helper: what descriptions of operators are written with; there is no exporter to read them."""

__all__ = ["parse_args"]


def parse_args(*arg_descriptors):
    """Notes what kinds of arguments a description takes."""

    def decorator(fn):
        fn._arg_descriptors = arg_descriptors
        return fn

    return decorator
