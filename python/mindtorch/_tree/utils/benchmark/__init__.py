"""torch.utils.benchmark: times statements, compares the times in tables, and makes random inputs for that."""

from .utils.common import *
from .utils.timer import *
from .utils.compare import *
from .utils.fuzzer import *
