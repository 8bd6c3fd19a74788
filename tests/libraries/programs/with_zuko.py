"""zuko: normalizing flows fit a distribution and sample from it."""
# requires: zuko

import torch
import zuko
from report import report, report_training

torch.manual_seed(0)
data = torch.randn(64, 2) @ torch.tensor([[1.0, 0.5], [0.0, 0.3]])
for name, flow in (
    ("spline", zuko.flows.NSF(2, transforms=2, hidden_features=[16])),
    ("affine", zuko.flows.MAF(2, transforms=2, hidden_features=[16])),
):
    report(name, flow().log_prob(data))
report_training(flow, lambda: -flow().log_prob(data).mean())
torch.manual_seed(1)
report("samples", flow().sample((5,)), rtol=1e-3, atol=1e-3)
continuous = zuko.flows.CNF(2, hidden_features=[8])
report("continuous", continuous().log_prob(data[:4]), rtol=1e-2, atol=1e-2)
