"""torch._refs.nn: references of torch.nn."""

from . import functional  # noqa: F401

__all__: list = []
