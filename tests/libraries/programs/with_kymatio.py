"""kymatio: scattering transforms of signals and images, with gradients."""
# requires: kymatio; scipy<1.15

import torch
from kymatio.torch import Scattering1D, Scattering2D
from report import report

torch.manual_seed(0)
signal = torch.randn(2, 512, requires_grad=True)
scattered = Scattering1D(J=4, shape=512, Q=4)(signal)
report("signal", scattered)
scattered.sum().backward()
report("gradient", signal.grad, atol=1e-4)
report("image", Scattering2D(J=2, shape=(32, 32))(torch.randn(1, 1, 32, 32)))
