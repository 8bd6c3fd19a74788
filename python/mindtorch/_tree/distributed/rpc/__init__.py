"""torch.distributed.rpc, which is not part of this build."""


def is_available() -> bool:
    """Returns whether torch.distributed.rpc is there.

    Returns:
        bool: False, as this build has no remote procedure calls.
    """
    return False
