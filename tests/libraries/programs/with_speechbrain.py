"""speechbrain: features of a waveform, an ECAPA-TDNN embedding, augmentation and losses."""
# requires: speechbrain

import torch
from report import report
from speechbrain.lobes.features import MFCC, Fbank
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN
from speechbrain.nnet.losses import bce_loss, nll_loss
from speechbrain.processing.features import InputNormalization

torch.manual_seed(0)
wave, lengths = torch.randn(2, 8000), torch.ones(2)
features = Fbank(n_mels=40)(wave)
report("fbank", features, atol=1e-3)
report("mfcc", MFCC()(wave), atol=1e-2)
report("normalized", InputNormalization()(features, lengths), atol=1e-3)
net = ECAPA_TDNN(40, channels=[16, 16, 16, 16, 48], attention_channels=8, lin_neurons=12).eval()
report("embedding", net(features), rtol=1e-3, atol=1e-3)
report("loss", nll_loss(torch.randn(2, 5).log_softmax(-1), torch.tensor([1, 2])))
report("bce", bce_loss(torch.randn(2, 5), torch.randint(2, (2, 5))))
