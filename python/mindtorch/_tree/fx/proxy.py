"""torch.fx.proxy: see torch.fx."""

from . import ParameterProxy, Proxy  # noqa: F401
