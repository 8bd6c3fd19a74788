"""The fast paths of attention and transformer layers take nested tensors and absent biases, as in real torch."""

import pytest
from nested_cases import eval_and_describe

SETUP = """
torch.manual_seed(0)
m = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
stack = torch.nn.TransformerEncoder(layer, 2)
without_bias = {"bias": False, "batch_first": True}
attention = torch.nn.MultiheadAttention(8, 2, **without_bias).eval()
encoder = torch.nn.TransformerEncoderLayer(8, 2, 16, **without_bias).eval()
decoder = torch.nn.TransformerDecoderLayer(8, 2, 16, **without_bias).eval()
dense = torch.randn(2, 5, 8)
parts = [torch.randn(3, 8), torch.randn(5, 8)]
x = N.nested_tensor(parts)
j = N.nested_tensor(parts, layout=J)
def fast(f):
    with torch.no_grad():
        return f()
"""
CALLS = [
    "fast(lambda: m(x, x, x, need_weights=False))",
    "fast(lambda: m(x, x, x))",
    "fast(lambda: m(x, x, x, average_attn_weights=False)[1])",
    "fast(lambda: layer(x))",
    "fast(lambda: stack(x))",
    "m(x, x, x)",
    "layer(x)",
    "fast(lambda: m(j, j, j))",
    "attention(dense, dense, dense)",
    "fast(lambda: attention(dense, dense, dense))",
    "fast(lambda: encoder(dense))",
    "decoder(dense, dense)",
    "fast(lambda: decoder(dense, dense))",
    "fast(lambda: attention(x, x, x))",
]


@pytest.mark.parametrize("call", CALLS)
def test_fast_paths_of_attention_match_torch(mt, oracle, call):
    """Outputs, weights and refusals are real torch's."""
    assert eval_and_describe(mt, SETUP, call) == eval_and_describe(oracle, SETUP, call)
