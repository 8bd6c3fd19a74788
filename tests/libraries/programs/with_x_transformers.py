"""x-transformers: decoders and encoders with rotary positions, ALiBi, memory and generation."""
# requires: x-transformers

import torch
from report import report, report_training
from x_transformers import AutoregressiveWrapper, Decoder, Encoder, TransformerWrapper

torch.manual_seed(0)
ids = torch.randint(20, (2, 16))
model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=20,
        max_seq_len=32,
        attn_layers=Decoder(dim=32, depth=2, heads=4, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True),
    )
)
report_training(model, lambda: model(ids))
torch.manual_seed(1)
report("generated", model.generate(ids[:, :4], 8, temperature=0.0))
encoder = TransformerWrapper(
    num_tokens=20,
    max_seq_len=32,
    num_memory_tokens=4,
    attn_layers=Encoder(dim=32, depth=1, heads=4, alibi_pos_bias=True, attn_flash=True),
).eval()
report("encoded", encoder(ids, mask=ids > 3))
