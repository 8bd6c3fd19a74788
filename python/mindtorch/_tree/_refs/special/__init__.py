"""torch._refs.special: references of torch.special."""

from ..._root import torch
from .._operators import collect

__all__ = collect(
    globals(),
    """bessel_j0 bessel_j1 entr erfcx expit i0e i1 i1e log_ndtr logit log_softmax multigammaln ndtr ndtri softmax
    spherical_bessel_j0 xlog1py zeta""",
    torch.special,
)
