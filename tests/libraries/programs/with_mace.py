"""mace-torch: the building blocks of an equivariant potential: bases, cutoffs, radial networks."""
# requires: mace-torch

import torch
from mace.modules.radial import BesselBasis, PolynomialCutoff
from mace.tools import scatter
from report import report

torch.manual_seed(0)
distances = torch.rand(6, 1) * 4 + 0.1
report("bessel", BesselBasis(5.0)(distances))
report("cutoff", PolynomialCutoff(5.0)(distances))
report("scattered", scatter.scatter_sum(torch.randn(6, 3), torch.tensor([0, 0, 1, 1, 2, 2]), dim=0))
