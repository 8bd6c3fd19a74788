"""lpips: perceptual distances of images with the package's weights, and their gradient."""
# without requirements: torchvision==0.29.1
# requires: lpips

import lpips
import torch
from report import report

torch.manual_seed(0)
distance = lpips.LPIPS(net="squeeze", pnet_rand=True, verbose=False).eval()
a, b = torch.rand(2, 3, 64, 64, requires_grad=True), torch.rand(2, 3, 64, 64)
found = distance(a * 2 - 1, b * 2 - 1)
report("distance", found)
found.sum().backward()
report("gradient", a.grad, rtol=1e-3, atol=1e-6)
