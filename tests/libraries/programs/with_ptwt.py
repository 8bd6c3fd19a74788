"""ptwt: discrete and continuous wavelet transforms in one to three dimensions, with gradients."""
# requires: ptwt

import ptwt
import pywt
import torch
from report import report

torch.manual_seed(0)
signal = torch.randn(2, 64, dtype=torch.float64, requires_grad=True)
coefficients = ptwt.wavedec(signal, pywt.Wavelet("db4"), mode="zero", level=3)
report("coefficients", coefficients)
report("reconstructed", ptwt.waverec(coefficients, pywt.Wavelet("db4"))[..., :64])
sum(one.square().sum() for one in coefficients).backward()
report("gradient", signal.grad)
report("image", ptwt.wavedec2(torch.randn(1, 32, 32), pywt.Wavelet("haar"), level=2)[0])
report("continuous", ptwt.cwt(torch.randn(64), torch.arange(1, 6), "mexh")[0], rtol=1e-3)
report("volume", ptwt.wavedec3(torch.randn(1, 8, 8, 8), "haar", level=1)[0])
