"""curated-transformers: an encoder, and a decoder with a cache."""
# requires: curated-transformers

import torch
from curated_transformers.layers import AttentionMask
from curated_transformers.models import BERTConfig, BERTEncoder, GPTNeoXCausalLM, GPTNeoXConfig
from report import report

torch.manual_seed(0)
config = BERTConfig(
    hidden_width=32, intermediate_width=64, n_attention_heads=4, n_hidden_layers=2, n_pieces=99, embedding_width=32
)
model = BERTEncoder(config).eval()
ids = torch.randint(99, (2, 9))
mask = AttentionMask(torch.ones(2, 9, dtype=torch.bool))
report("hidden", model(ids, mask).last_hidden_layer_state)

decoder = GPTNeoXCausalLM(
    GPTNeoXConfig(
        hidden_width=32,
        intermediate_width=64,
        n_attention_heads=4,
        n_hidden_layers=2,
        n_pieces=99,
        rotary_embedding_fraction=0.5,
        dtype=torch.float32,
    )
).eval()
report("logits", decoder(ids, mask).logits)
begun = decoder(ids[:, :6], AttentionMask(torch.ones(2, 6, dtype=torch.bool)), store_cache=True)
report("continued", decoder(ids[:, 6:], mask, cache=begun.cache).logits)
