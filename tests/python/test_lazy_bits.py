"""Conjugate and negative views, and bytes viewed as bools: every operator reads and writes through them."""

import pytest
from outcomes import outcome


def assert_same_outcome(mt, oracle, call):
    ours, theirs = call(mt), call(oracle)
    assert ours == theirs
    return ours


def test_conjugate_and_negative_bits_match_torch(mt, oracle):
    def list_lazy_bits(torch):
        c = torch.tensor([1 + 2j, 3 - 1j]).conj()
        made = [
            c,
            c.clone(),
            c.contiguous(),
            c * 1,
            c.real,
            c.imag,
            c.imag.clone(),
            c.resolve_conj(),
            c.reshape(1, 2),
            c[0],
            c[None].mT,
        ]
        return [(t.is_conj(), t.is_neg()) for t in made]

    assert_same_outcome(mt, oracle, list_lazy_bits)


def test_values_are_those_of_the_conjugate(mt, oracle):
    def list_conjugate_values(torch):
        c = torch.tensor([1 + 2j, 3 - 1j]).conj()
        return [
            t.tolist() for t in (c, c + 1, c.imag, c.imag * 2, c.abs(), torch.cat([c, c]), c.sum(), c.real, c.conj())
        ]

    assert_same_outcome(mt, oracle, list_conjugate_values)


def test_writes_go_through_a_view(mt, oracle):
    def write_through_views(torch):
        x = torch.tensor([1 + 2j, 3 - 1j])
        x.conj().mul_(2j)
        first = x.tolist()
        x.conj().imag.add_(1)
        x.conj()[0] = 7 + 8j
        return first, x.tolist()

    assert_same_outcome(mt, oracle, write_through_views)


BOOL_VIEW_CALLS = {
    "sum": lambda b, torch: [b.sum(), b.sum(0), b[::2].sum(), b.sum(dtype=torch.float32), b.expand(3, -1).sum(0)],
    "counts": lambda b, torch: [b.count_nonzero(), b.bool().count_nonzero(0), b[:2].expand(2, 2).long().trace()],
    "running": lambda b, torch: [b.cumsum(0), b.cumprod(0), b.cummax(0), b.cummin(0), b.logcumsumexp(0)],
    "unique": lambda b, torch: [
        b.unique(return_inverse=True, return_counts=True),
        b.unique(dim=0, return_inverse=True, return_counts=True),
        b.unique_consecutive(return_inverse=True, return_counts=True),
    ],
    "folds": lambda b, torch: [b.any(), b.all(), b.max(), b.amin(0), b.aminmax(), b.prod(), b.mode(), b.hash_tensor()],
    "refused": lambda b, torch: [b.mean()],
    "conversions": lambda b, torch: [
        b.to(getattr(torch, d))
        for d in ("int8", "uint8", "int32", "int64", "float16", "bfloat16", "float64", "complex64")
    ],
    "logic": lambda b, torch: [
        f(b, other)
        for f in (torch.logical_and, torch.logical_or, torch.logical_xor, torch.eq, torch.lt, torch.maximum, torch.mul)
        for other in (b.flip(0), torch.tensor(True), torch.arange(len(b)) % 3, torch.arange(len(b)) - 2.5)
    ],
    "bits": lambda b, torch: [~b, b & b.flip(0), b | True, b ^ b.flip(0), b ^ True, b & torch.arange(len(b))],
    "numbers": lambda b, torch: [b + b, b * 3, b / 2, b.exp(), torch.ones(len(b)).addcmul(b, b), torch.atan2(b, b)],
    "added": lambda b, torch: [
        torch.zeros(len(b), dtype=torch.bool).index_add(0, torch.arange(len(b)), b),
        torch.zeros(2, dtype=torch.bool).scatter_reduce(0, torch.arange(len(b)) % 2, b, "prod"),
        torch.ones(len(b), dtype=torch.bool).index_put((torch.arange(len(b)),), b, accumulate=True),
    ],
}


@pytest.mark.parametrize("n", [3, 23, 300])
@pytest.mark.parametrize("name", BOOL_VIEW_CALLS)
def test_any_byte_but_zero_is_true(name, n, mt, oracle):
    def call_on_bool_view(torch):
        return BOOL_VIEW_CALLS[name]((torch.arange(n) * 7919 % 6 * 51).to(torch.uint8).view(torch.bool), torch)

    assert outcome(call_on_bool_view, mt) == outcome(call_on_bool_view, oracle)


def test_writes_through_a_bool_view_store_0_or_1(mt, oracle):
    def write_bool_view(torch):
        memory = torch.tensor([2, 255, 0, 7, 0], dtype=torch.uint8)
        truths = memory.view(torch.bool)
        same = truths.logical_not_() is truths
        negated = memory.tolist()
        memory.copy_(torch.tensor([2, 0, 4, 0, 6]))
        truths[1:4].logical_and_(torch.tensor([True, True, False]))
        torch.logical_not(torch.tensor([True, False]), out=truths[3:])
        return same, negated, memory.tolist(), truths.view(torch.uint8).sum(), truths.is_neg()

    assert outcome(write_bool_view, mt) == outcome(write_bool_view, oracle)


@pytest.mark.parametrize("view", ["x.conj()", "x._neg_view()", "x.conj().imag"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "complex64"])
def test_views_with_lazy_bits_are_not_read_as_another_dtype(mt, oracle, view, dtype):
    def view_as_dtype(torch):
        return eval(view, {"x": torch.ones(2, 2, dtype=torch.complex64)}).view(getattr(torch, dtype))

    assert outcome(view_as_dtype, mt) == outcome(view_as_dtype, oracle)
