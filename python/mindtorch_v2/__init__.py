"""mindtorch_v2: an earlier name of mindtorch; importing it gives the same module."""

import sys

import mindtorch

sys.modules[__name__] = mindtorch
