"""torch.backends.kleidiai: not part of this build."""


def is_available():
    """Returns whether KleidiAI is available: False.

    Returns:
        bool: always False here.
    """
    return False
