"""torch.fx.passes: common transformations of graphs."""

from . import shape_prop, split_module, tools_common  # noqa: F401
from .infra import pass_base  # noqa: F401
