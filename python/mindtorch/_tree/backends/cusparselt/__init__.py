"""torch.backends.cusparselt: not part of this build."""

__all__ = ["version", "is_available", "get_max_alg_id"]


def version() -> int | None:
    """Returns the version of cuSPARSELt: None.

    Returns:
        int or None: always None here.
    """
    return None


def is_available() -> bool:
    """Returns whether cuSPARSELt is available: False.

    Returns:
        bool: always False here.
    """
    return False


def get_max_alg_id() -> int | None:
    """Returns the number of cuSPARSELt's algorithms: None.

    Returns:
        int or None: always None here.
    """
    return None
