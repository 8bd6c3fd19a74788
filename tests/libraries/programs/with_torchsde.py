"""torchsde: stochastic differential equations by Euler-Maruyama and Milstein, with adjoint gradients."""
# requires: torchsde

import torch
import torchsde
from report import report


class Equation(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift, self.diffusion = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

    def f(self, t, y):
        return self.drift(y)

    def g(self, t, y):
        return 0.1 * self.diffusion(y).tanh()


torch.manual_seed(0)
equation, start, times = Equation(), torch.ones(3, 2), torch.linspace(0, 1, 4)
for method in ("euler", "milstein", "srk"):
    noise = torchsde.BrownianInterval(0.0, 1.0, size=(3, 2), entropy=7, levy_area_approximation="space-time")
    report(method, torchsde.sdeint(equation, start, times, bm=noise, method=method, dt=0.1), rtol=1e-3)
noise = torchsde.BrownianInterval(0.0, 1.0, size=(3, 2), entropy=7)
torchsde.sdeint_adjoint(equation, start, times, bm=noise, method="euler", dt=0.1).square().mean().backward()
report("gradients", [parameter.grad for parameter in equation.parameters()], rtol=1e-2, atol=1e-3)
