"""torch.distributed.autograd, which needs rpc and is not part of this build."""

from .._refusing import define_names_that_raise_when_used


def is_available() -> bool:
    """Returns whether torch.distributed.autograd is available.

    Returns:
        bool: False, as this build has no remote procedure calls.
    """
    return False


define_names_that_raise_when_used(__name__, "context")
