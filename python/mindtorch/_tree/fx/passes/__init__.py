"""torch.fx.passes: changes of graphs that many programs need."""

from . import shape_prop, split_module, tools_common  # noqa: F401
from .infra import pass_base  # noqa: F401
