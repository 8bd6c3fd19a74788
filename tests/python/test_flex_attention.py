"""torch.nn.attention.flex_attention: block masks, their text pictures, and attention match real torch."""

import importlib

import pytest
from outcomes import outcome


def assert_same_outcome(mt, oracle, program):
    """Asserts that the program's outcome matches real torch, apart from the warning of torch's eager path."""
    flex = "nn.attention.flex_attention"
    results = [
        outcome(lambda torch: program(torch, importlib.import_module(f"{torch.__name__}.{flex}")), torch)[0]
        for torch in (mt, oracle)
    ]
    assert results[0] == results[1]
    return results[1]


def is_causal_position(b, h, q, kv):
    return q >= kv


def is_in_window_of_batch(b, h, q, kv):
    return (q - kv).abs() <= 200 + b * 300


def masks_everything(b, h, q, kv):
    return q < 0


MASKS = {
    "causal": (is_causal_position, 1, None, 1024, 1024, {}),
    "shorter than a block": (is_causal_position, 2, None, 10, 10, {}),
    "window of the batch": (is_in_window_of_batch, 2, 2, 1024, 600, {}),
    "small blocks": (is_causal_position, 1, 2, 1000, 700, {"BLOCK_SIZE": (32, 64)}),
    "partial blocks only": (is_causal_position, None, None, 512, 640, {"separate_full_blocks": False}),
    "more blocks than a picture has room for": (is_causal_position, None, None, 8192, 4097, {}),
    "nothing, for more heads than are shown": (masks_everything, 7, 3, 256, 300, {}),
}


@pytest.mark.parametrize("name", MASKS)
def test_a_block_mask_prints_as_in_torch(mt, oracle, name):
    mod, *sizes, options = MASKS[name]

    def describe_mask(torch, flex):
        mask = flex.create_block_mask(mod, *sizes, device="cpu", **options)
        return [str(mask), repr(mask), f"{mask}", mask.to_string(), mask.to_dense(), mask.sparsity()]

    assert_same_outcome(mt, oracle, describe_mask)


@pytest.mark.parametrize("grid", [1, 3, -1, -2, (2, 4), (7, 50), (-1, 1), 0, (1,), (1, 2, 3), 2.5])
def test_the_grid_bounds_the_picture(mt, oracle, grid):
    def print_within_grid(torch, flex):
        return flex.create_block_mask(is_in_window_of_batch, 2, 2, 1024, 600, device="cpu").to_string(grid_size=grid)

    assert_same_outcome(mt, oracle, print_within_grid)


@pytest.mark.parametrize("limit", [0, 1, 4, 100])
def test_the_limit_bounds_how_many_heads_are_shown(mt, oracle, limit):
    def print_within_limit(torch, flex):
        return flex.create_block_mask(is_causal_position, 2, 3, 300, 300, device="cpu").to_string(limit=limit)

    assert_same_outcome(mt, oracle, print_within_limit)


@pytest.mark.parametrize("batch", [(), (2,), (1, 2), (0, 2)])
def test_a_mask_of_given_blocks_prints_as_in_torch(mt, oracle, batch):
    def print_mask_of_blocks(torch, flex):
        counts = torch.tensor([1, 2, 0], dtype=torch.int32).expand(*batch, 3)
        indices = torch.tensor([[0, 1], [1, 0], [0, 1]], dtype=torch.int32).expand(*batch, 3, 2)
        mask = flex.BlockMask.from_kv_blocks(counts, indices)
        return [mask.to_string(), str(mask) if mask.numel() else None]

    assert_same_outcome(mt, oracle, print_mask_of_blocks)


def test_a_mask_of_one_head_prints_as_in_torch(mt, oracle):
    def print_parts_of_mask(torch, flex):
        mask = flex.create_block_mask(is_in_window_of_batch, 2, 2, 1024, 600, device="cpu")
        return [str(mask[0]), str(mask[1, 0]), str(mask[:, 1])]

    assert_same_outcome(mt, oracle, print_parts_of_mask)


def add_relative_position(score, b, h, q, kv):
    return score + 0.01 * (q - kv)


def cap_score(score, b, h, q, kv):
    return 2 * (score / 2).tanh()


@pytest.mark.parametrize("heads", [(2, 2), (4, 2)])
@pytest.mark.parametrize("mod", [None, add_relative_position, cap_score])
@pytest.mark.parametrize("mask", [None, is_causal_position, masks_everything])
def test_attention_matches_torch(mt, oracle, mask, mod, heads):
    def attend(torch, flex):
        torch.manual_seed(0)
        query = torch.randn(2, heads[0], 9, 4)
        key, value = torch.randn(2, heads[1], 12, 4), torch.randn(2, heads[1], 12, 4)
        blocks = None if mask is None else flex.create_block_mask(mask, 2, None, 9, 12, device="cpu")
        options = {"enable_gqa": heads[0] != heads[1], "return_lse": True}
        out, lse = flex.flex_attention(query, key, value, mod, blocks, **options)
        return [(out * 1000).round(), (lse * 1000).round()]

    assert_same_outcome(mt, oracle, attend)
