"""torch.fx.proxy: see torch.fx."""

from . import Proxy  # noqa: F401
