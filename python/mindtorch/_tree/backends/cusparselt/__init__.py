"""torch.backends.cusparselt: not part of this build."""

__all__ = ["version", "is_available", "get_max_alg_id"]


def version() -> int | None:
    """None: it is not here."""
    return None


def is_available() -> bool:
    """False: no cuSPARSELt here."""
    return False


def get_max_alg_id() -> int | None:
    """None: no cuSPARSELt here."""
    return None
