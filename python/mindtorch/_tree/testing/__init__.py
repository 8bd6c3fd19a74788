"""torch.testing: compares results and creates inputs."""

from . import _utils
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor
from ._file_check import FileCheck
