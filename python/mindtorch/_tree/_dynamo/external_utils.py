"""torch._dynamo.external_utils: queries of a graph compiler, which does not exist here."""


def is_compiling() -> bool:
    """Whether a compiler is tracing the program: no."""
    return False
