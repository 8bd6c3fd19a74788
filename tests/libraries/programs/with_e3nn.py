"""e3nn: spherical harmonics, irreps and equivariant layers."""
# requires: e3nn

import e3nn
import torch
from e3nn import nn, o3
from report import report

e3nn.set_optimization_defaults(jit_script_fx=False)
torch.manual_seed(0)
points = torch.randn(5, 3)
report("harmonics", o3.spherical_harmonics("0e + 1o + 2e", points, normalize=True))
report("irreps", str((o3.Irreps("2x0e + 1o") * 2).simplify()))
report("wigner", o3.wigner_3j(1, 1, 2))
rotation = o3.rand_matrix()
report("rotation", rotation)
linear = o3.Linear("4x0e + 2x1o", "3x0e + 1o")
x = o3.Irreps("4x0e + 2x1o").randn(5, -1)
report("linear", linear(x))
product = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "3x0e + 1o")
y = o3.spherical_harmonics("0e + 1o", points, normalize=True)
out = product(x, y)
report("product", out)
out.square().sum().backward()
report("gradient", product.weight.grad, rtol=1e-3)
report("gate", nn.Gate("2x0e", [torch.relu], "1x0e", [torch.sigmoid], "1x1o")(torch.randn(5, 6)))
