"""torch.distributed.rpc of a build without it."""


def is_available() -> bool:
    """False: not built."""
    return False
