"""nn.TransformerEncoder in inference skips padding tokens and writes zeros there, as in torch."""

import pytest
from outcomes import close, result

MASKS = {
    "tokens at the end": [[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]],
    "all shorter": [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]],
    "a whole sequence": [[1, 1, 1, 1, 1], [0, 0, 0, 1, 1]],
    "everything": [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]],
    "a token inside": [[0, 0, 1, 0, 0], [0, 0, 0, 1, 1]],
    "nothing": [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
    "another length": [[0, 0, 0, 0], [0, 0, 0, 1]],
    "another batch": [[0, 0, 0, 0, 0]],
    "one dimension": [0, 0, 0, 1, 1],
}


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("mask_check", [True, False])
@pytest.mark.parametrize("additive", [False, True])
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.filterwarnings("ignore")
def test_padding_after_the_last_token_is_zero(mt, oracle, name, additive, mask_check, fast, grad):
    def encode_padded(torch):
        torch.manual_seed(0)
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        encoder = torch.nn.TransformerEncoder(layer, 2, torch.nn.LayerNorm(8), mask_check=mask_check).eval()
        padding = torch.tensor(MASKS[name], dtype=torch.bool)
        if additive:
            padding = torch.zeros(padding.shape).masked_fill(padding, float("-inf"))
        torch.backends.mha.set_fastpath_enabled(fast)
        try:
            with torch.set_grad_enabled(grad):
                return encoder(torch.randn(2, 5, 8), src_key_padding_mask=padding)
        finally:
            torch.backends.mha.set_fastpath_enabled(True)

    assert close(result(encode_padded, mt), result(encode_padded, oracle))


def test_tokens_left_out_are_zeros_and_the_others_are_not(mt):
    mt.manual_seed(0)
    encoder = mt.nn.TransformerEncoder(mt.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).eval()
    padding = mt.tensor([[False, False, True]])
    with mt.no_grad():
        made = encoder(mt.randn(1, 3, 8), src_key_padding_mask=padding)
    assert made[0, 2].tolist() == [0.0] * 8
    assert (made[0, :2] != 0).all()
