"""auraloss: time- and frequency-domain losses of audio, with gradients."""
# requires: auraloss

import auraloss
import torch
from report import report

torch.manual_seed(0)
a, b = torch.randn(2, 1, 4096, requires_grad=True), torch.randn(2, 1, 4096)
for kind in (
    auraloss.time.ESRLoss,
    auraloss.time.SISDRLoss,
    auraloss.time.LogCoshLoss,
    auraloss.freq.STFTLoss,
    auraloss.freq.MultiResolutionSTFTLoss,
):
    loss = kind()
    value = loss(a, b)
    (gradient,) = torch.autograd.grad(value, a)
    report(kind.__name__, value, rtol=1e-3)
    report(f"{kind.__name__}, gradient", gradient, rtol=1e-2, atol=1e-6)
