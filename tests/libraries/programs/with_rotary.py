"""rotary-embedding-torch, local-attention and performer-pytorch: attention layers train."""
# requires: rotary-embedding-torch; local-attention; performer-pytorch

import torch
from local_attention import LocalAttention
from performer_pytorch import SelfAttention
from report import report, report_training
from rotary_embedding_torch import RotaryEmbedding

torch.manual_seed(0)
q, k, v = (torch.randn(2, 4, 32, 16) for _ in range(3))
report("rotary", RotaryEmbedding(dim=16).rotate_queries_or_keys(q))
report("axial", RotaryEmbedding(dim=8, freqs_for="pixel", max_freq=32).get_axial_freqs(4, 4))
report("local", LocalAttention(window_size=8, causal=True, look_backward=1, dim=16)(q[0], k[0], v[0]))
layer = SelfAttention(dim=32, heads=4, dim_head=8, causal=False)
x = torch.randn(2, 16, 32)
report_training(layer, lambda: layer(x).square().mean())
