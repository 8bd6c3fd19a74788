"""torch.utils.benchmark: times statements, compares times in tables, and makes random inputs."""

from .utils.common import *
from .utils.timer import *
from .utils.compare import *
from .utils.fuzzer import *
