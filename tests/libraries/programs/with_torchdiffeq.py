"""torchdiffeq: Runge-Kutta, Dormand-Prince and adjoint gradients of differential equations."""
# requires: torchdiffeq

import torch
from report import report
from torchdiffeq import odeint, odeint_adjoint, odeint_event

torch.manual_seed(0)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y) - 0.1 * y


field, times = Field(), torch.linspace(0, 2, 5)
start = torch.tensor([[1.0, 0.0], [0.5, -0.5]])
for method in ("dopri5", "rk4", "euler", "implicit_adams", "bosh3"):
    report(method, odeint(field, start, times, method=method), rtol=1e-3)
odeint_adjoint(field, start, times).square().mean().backward()
report("adjoint", [parameter.grad for parameter in field.parameters()], rtol=1e-3)
fall = lambda t, y: torch.stack([y[1], torch.tensor(-9.8)])  # noqa: E731
when, where = odeint_event(
    fall, torch.tensor([2.0, 0.0]), torch.tensor(0.0), event_fn=lambda t, y: y[0], method="dopri5"
)
report("event", when, rtol=1e-3)
