"""The fast paths of attention and transformer layers take nested tensors, as in real torch."""

import pytest
from nested_cases import show

SETUP = """
torch.manual_seed(0)
m = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
stack = torch.nn.TransformerEncoder(layer, 2)
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
]


@pytest.mark.parametrize("call", CALLS)
def test_fast_paths_of_attention_match_torch(mt, oracle, call):
    """Outputs, weights and refusals are real torch's."""
    assert show(mt, SETUP, call) == show(oracle, SETUP, call)
