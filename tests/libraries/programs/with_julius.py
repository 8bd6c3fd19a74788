"""julius: resampling, filters and FFT convolutions of audio."""
# requires: julius

import julius
import torch
from report import report

torch.manual_seed(0)
x = torch.randn(2, 1, 2000)
report("resampled", julius.resample_frac(x, 44100, 16000), atol=1e-4)
report("low-pass", julius.lowpass_filter(x, 0.1), atol=1e-4)
report("bands", julius.split_bands(x, 16000, n_bands=4), atol=1e-4)
report("convolution", julius.fft_conv1d(x, torch.randn(1, 1, 300), padding=150), atol=1e-3)
