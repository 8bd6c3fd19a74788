"""torch.utils.benchmark: times statements and compares the times in tables."""

from .utils.common import *
from .utils.timer import *
from .utils.compare import *
