"""torch.fx.graph_module: see torch.fx."""

from . import GraphModule  # noqa: F401
