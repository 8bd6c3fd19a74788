"""torch.fx._symbolic_trace: whether a trace is being made; none ever is, as there is no symbolic tracing."""

from . import Tracer, symbolic_trace, wrap  # noqa: F401


def is_fx_tracing():
    """False: torch.fx records no programs here."""
    return False


def is_fx_symbolic_tracing():
    """False, as is_fx_tracing."""
    return False
