"""torch.distributed.autograd of a build without rpc."""

from .._refusing import refuse


def is_available() -> bool:
    """False: not built."""
    return False


refuse(__name__, "context")
