"""pytorch-msssim: SSIM and MS-SSIM of images and their gradients."""
# requires: pytorch-msssim

import torch
from pytorch_msssim import MS_SSIM, SSIM, ms_ssim, ssim
from report import report

torch.manual_seed(0)
a = torch.rand(2, 3, 192, 192, requires_grad=True)
b = (a.detach() + 0.1 * torch.randn_like(a)).clamp(0, 1)
report("ssim", ssim(a, b, data_range=1, size_average=False))
report("ms-ssim", ms_ssim(a, b, data_range=1, size_average=False))
(1 - MS_SSIM(data_range=1, channel=3)(a, b)).backward()
report("gradient", a.grad, rtol=1e-3, atol=1e-8)
report("module", SSIM(data_range=1, nonnegative_ssim=True)(a, b))
