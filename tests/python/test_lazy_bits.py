"""Conjugate and negative views: lazy as torch's, seen through by every operator, written through in place."""


def both(mt, oracle, call):
    ours, theirs = call(mt), call(oracle)
    assert ours == theirs
    return ours


def test_bits_are_where_torch_has_them(mt, oracle):
    def bits(torch):
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

    both(mt, oracle, bits)


def test_values_are_those_of_the_conjugate(mt, oracle):
    def values(torch):
        c = torch.tensor([1 + 2j, 3 - 1j]).conj()
        return [
            t.tolist() for t in (c, c + 1, c.imag, c.imag * 2, c.abs(), torch.cat([c, c]), c.sum(), c.real, c.conj())
        ]

    both(mt, oracle, values)


def test_writes_go_through_a_view(mt, oracle):
    def written(torch):
        x = torch.tensor([1 + 2j, 3 - 1j])
        x.conj().mul_(2j)
        first = x.tolist()
        x.conj().imag.add_(1)
        x.conj()[0] = 7 + 8j
        return first, x.tolist()

    both(mt, oracle, written)
