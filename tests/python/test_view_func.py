"""Tensor._view_func: the same view of another base."""

import pytest
from outcomes import outcome

VIEWS = {
    "slice": lambda t: t[2:],
    "step": lambda t: t[::2],
    "shape": lambda t: t.view(3, 4),
    "transposed": lambda t: t.view(3, 4).t(),
    "expanded": lambda t: t.expand(2, 12),
    "element": lambda t: t[3],
    "piece": lambda t: t.split(5)[1],
    "another dtype": lambda t: t.view(t.real.dtype) if not t.is_complex() else t.conj(),
    "detached": lambda t: t.detach(),
    "no view": lambda t: t.clone(),
}
BASES = {
    "same layout": lambda torch: torch.arange(12.0) * 10,
    "needs a gradient": lambda torch: torch.arange(12.0, requires_grad=True) * 10,
    "another dtype": lambda torch: torch.arange(12),
    "a piece": lambda torch: torch.ones(14)[2:],
    "gaps": lambda torch: torch.ones(24)[::2],
    "shorter": lambda torch: torch.ones(5),
    "a number": lambda torch: 3,
}


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_another_base_is_torchs(view, base, mt, oracle):
    def replay_view_on_other_base(torch):
        return repr(VIEWS[view](torch.arange(12.0))._view_func(BASES[base](torch)))

    assert outcome(replay_view_on_other_base, mt) == outcome(replay_view_on_other_base, oracle)


COMPLEX = {
    "real": lambda torch, c: c.real,
    "imaginary": lambda torch, c: c.imag,
    "pairs": lambda torch, c: torch.view_as_real(c)[0],
    "conjugate": lambda torch, c: c.conj(),
    "element of the conjugate": lambda torch, c: c.conj()[0],
    "imaginary part of the conjugate": lambda torch, c: c.conj().imag,
}


@pytest.mark.parametrize("view", COMPLEX)
def test_a_view_of_complex_numbers_keeps_its_signs(view, mt, oracle):
    def replay_view_of_complex(torch):
        base = torch.tensor([1 + 2j, 3 - 4j])
        return repr(COMPLEX[view](torch, base)._view_func(base * 2j))

    assert outcome(replay_view_of_complex, mt) == outcome(replay_view_of_complex, oracle)


def test_the_layout_of_the_base_can_be_ignored(mt, oracle):
    def replay_view_ignoring_layout(torch):
        view = torch.arange(6.0).view(2, 3)[1]
        return repr(view._view_func_unsafe(torch.arange(20.0))), torch.ones(1)._view_func_unsafe(torch.ones(1))

    assert outcome(replay_view_ignoring_layout, mt) == outcome(replay_view_ignoring_layout, oracle)
