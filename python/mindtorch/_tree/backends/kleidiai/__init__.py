"""torch.backends.kleidiai: not part of this build."""


def is_available():
    """False: no KleidiAI here."""
    return False
