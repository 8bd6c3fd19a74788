"""torch.backends.cusparselt: not part of this build."""

__all__ = ["version", "is_available", "get_max_alg_id"]


def version() -> int | None:
    return None


def is_available() -> bool:
    return False


def get_max_alg_id() -> int | None:
    return None
