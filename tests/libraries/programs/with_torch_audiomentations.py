"""torch-audiomentations: gain, polarity, filters and pitch of batches of audio."""
# requires: torch-audiomentations

import torch
from report import report
from torch_audiomentations import Compose, Gain, LowPassFilter, PolarityInversion, Shift

audio = torch.randn(2, 1, 8000, generator=torch.Generator().manual_seed(0))
augment = Compose(
    [
        Gain(p=1.0, output_type="dict"),
        PolarityInversion(p=0.5, output_type="dict"),
        LowPassFilter(p=1.0, output_type="dict"),
        Shift(p=1.0, output_type="dict"),
    ],
    output_type="dict",
)
torch.manual_seed(1)
import random  # noqa: E402

random.seed(1)
report("augmented", augment(audio, sample_rate=16000).samples, rtol=1e-3, atol=1e-4)
