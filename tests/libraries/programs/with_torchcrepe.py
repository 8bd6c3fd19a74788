"""torchcrepe: pitch of a tone with the package's weights."""
# requires: torchcrepe

import numpy
import torch
import torchcrepe
from report import report

numpy.random.seed(0)  # of the noise that predict adds to the pitch
times = torch.arange(16000) / 16000
audio = torch.sin(2 * torch.pi * 220 * times)[None] + 0.1 * torch.sin(2 * torch.pi * 440 * times)[None]
pitch, periodicity = torchcrepe.predict(
    audio, 16000, 160, model="tiny", return_periodicity=True, batch_size=64, decoder=torchcrepe.decode.argmax
)
report("pitch", pitch, rtol=1e-3)
report("periodicity", periodicity, rtol=1e-2, atol=1e-3)
report("embedding", torchcrepe.embed(audio, 16000, 1600, model="tiny").mean((0, 1, 2)), rtol=1e-2, atol=1e-3)
