"""nnAudio: STFT, mel, MFCC and constant-Q spectrograms as layers."""
# requires: nnAudio; scipy

import torch
from nnAudio import features
from report import report

torch.manual_seed(0)
x = torch.sin(torch.arange(22050) * 0.1)[None] + 0.1 * torch.randn(1, 22050)
report("stft", features.STFT(n_fft=512, output_format="Magnitude", verbose=False)(x), rtol=1e-3, atol=1e-2)
report("mel", features.MelSpectrogram(n_fft=1024, n_mels=40, verbose=False)(x), rtol=1e-3, atol=1e-2)
report("mfcc", features.MFCC(n_mfcc=20, verbose=False)(x), rtol=1e-2, atol=1e-1)
report("cqt", features.CQT1992v2(n_bins=48, verbose=False)(x), rtol=1e-3, atol=1e-2)
