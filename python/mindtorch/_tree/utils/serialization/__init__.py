"""torch.utils.serialization: the options of torch.save and torch.load."""

from . import config
