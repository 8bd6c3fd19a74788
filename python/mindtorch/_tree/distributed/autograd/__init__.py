"""torch.distributed.autograd, which needs rpc and is not part of this build."""

from .._refusing import define_refusing_names


def is_available() -> bool:
    """Returns whether torch.distributed.autograd is available.

    Returns:
        bool: False, as this build has no remote procedure calls.
    """
    return False


define_refusing_names(__name__, "context")
