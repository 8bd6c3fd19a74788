"""torch.utils.data.datapipes: the classes that datasets as pipes derive from, and the pipes that loaders ask about."""

from . import iter

__all__ = ["iter"]
