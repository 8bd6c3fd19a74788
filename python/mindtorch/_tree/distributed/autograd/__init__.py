"""torch.distributed.autograd of a build without rpc."""

from .._refusing import refuse


def is_available() -> bool:
    """Returns whether torch.distributed.autograd is there.

    Returns:
        bool: False, as this build has no remote procedure calls.
    """
    return False


refuse(__name__, "context")
