"""nflows: coupling and autoregressive flows, densities and samples."""
# requires: nflows

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms import (
    CompositeTransform,
    MaskedAffineAutoregressiveTransform,
    RandomPermutation,
    ReversePermutation,
)
from report import report, report_training

torch.manual_seed(0)
flow = Flow(
    CompositeTransform(
        [
            MaskedAffineAutoregressiveTransform(3, 8),
            ReversePermutation(3),
            MaskedAffineAutoregressiveTransform(3, 8),
            RandomPermutation(3),
        ]
    ),
    StandardNormal([3]),
)
data = torch.randn(32, 3)
report("density", flow.log_prob(data))
report_training(flow, lambda: -flow.log_prob(data).mean())
torch.manual_seed(1)
report("samples", flow.sample(4), rtol=1e-3, atol=1e-3)
