"""In-place view operators (transpose_, squeeze_): gradients follow the view, and its base keeps its history."""

import pytest
from outcomes import outcome


def make_numbers(torch, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return torch.arange(1.0, count + 1).reshape(sizes).clone().requires_grad_()


def show_values(*tensors):
    return [
        (tuple(t.shape), t.stride(), t.grad_fn.name() if t.grad_fn else None, t._version, t._is_view(), t.requires_grad)
        for t in tensors
    ]


def differentiate(torch, y, x):
    weights = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
    return torch.autograd.grad((y * weights).sum(), x)[0].tolist()


INPLACE_VIEWS = {
    "unsqueeze_": ((4, 3), lambda v: v.unsqueeze_(1)),
    "squeeze_": ((4, 1, 3), lambda v: v.squeeze_()),
    "squeeze_ of one": ((4, 1, 3), lambda v: v.squeeze_(1)),
    "squeeze_ of several": ((4, 1, 3, 1), lambda v: v.squeeze_((1, 3))),
    "transpose_": ((2, 3, 2), lambda v: v.transpose_(0, 1)),
    "swapdims_": ((2, 3, 2), lambda v: v.swapdims_(0, 2)),
    "t_": ((6, 2), lambda v: v.t_()),
    "as_strided_": ((6, 2), lambda v: v.as_strided_((3, 2), (2, 3), 1)),
    "as_strided_ of a transposed view": ((6, 2), lambda v: v.t_().as_strided_((2, 2), (2, 1), 1)),
    "one after another": ((3, 4), lambda v: v.t_().unsqueeze_(0).squeeze_(0).t_().unsqueeze_(-1)),
    "of no elements": ((0, 2), lambda v: v.t_()),
}


@pytest.mark.parametrize("name", INPLACE_VIEWS)
@pytest.mark.parametrize("source", ["result", "view", "part"])
def test_history_and_gradients_are_torchs(mt, oracle, name, source):
    sizes, turn = INPLACE_VIEWS[name]

    def write_view(torch):
        x = make_numbers(torch, *sizes)
        y = x * x
        if source == "part":
            y = torch.cat([y, y])
            v = y[sizes[0] :]
        else:
            v = y if source == "result" else y.view(sizes)
        turn(v)
        before = [show_values(v, y), differentiate(torch, v * v, x) if v.numel() else None]
        x = make_numbers(torch, *sizes)
        y = x * 2
        v = y if source == "result" else y.view(sizes)
        turn(v)
        v.mul_(3)
        return [*before, show_values(v, y), differentiate(torch, v, x) if v.numel() else None]

    assert outcome(write_view, mt) == outcome(write_view, oracle)


def _write_base(torch):
    x = make_numbers(torch, 2, 3)
    y = x * 2
    v = y.view(3, 2)
    v.t_()
    y.mul_(x)
    return [show_values(v, y), differentiate(torch, v, x)]


def _write_other_views(torch):
    x = make_numbers(torch, 2, 3)
    y = x * 2
    v = y.view(3, 2)
    earlier = v.view(6)
    v.unsqueeze_(0)
    later = v.view(6)
    states = show_values(y, v, earlier, later)
    later.mul_(x.view(6))
    return [
        states,
        show_values(y, v, earlier, later),
        earlier._base is y,
        differentiate(torch, earlier, x),
        differentiate(torch, v, x),
    ]


def _write_base_without_gradient(torch):
    x, y = make_numbers(torch, 2, 3), torch.ones(2, 3)
    v = y.view(3, 2)
    v.t_()
    v.mul_(x)
    return [show_values(y, v), differentiate(torch, y, x)]


def _write_without_recording(torch):
    x = make_numbers(torch, 2, 3)
    y = x * 2
    v = y.view(3, 2)
    with torch.no_grad():
        v.t_()
    states = show_values(v, y)
    y.mul_(2)
    return [states, show_values(v, y), differentiate(torch, v, x)]


def _differentiate_twice(torch):
    x = make_numbers(torch, 2, 3)
    v = (x * x).view(3, 2)
    v.t_()
    first = torch.autograd.grad((v * v).sum(), x, create_graph=True)[0]
    return torch.autograd.grad(first.sum(), x)


def _register_hooks_around_write(torch):
    x, seen = make_numbers(torch, 2, 3), []
    v = (x * 2).view(3, 2)
    v.register_hook(lambda g: seen.append(("before", tuple(g.shape))))
    v.unsqueeze_(0)
    v.register_hook(lambda g: seen.append(("after", tuple(g.shape))))
    v.sum().backward()
    return [seen, x.grad]


def _write_leaf(torch):
    return make_numbers(torch, 2, 3).t_()


def _write_view_of_leaf(torch):
    return make_numbers(torch, 2, 3).view(3, 2).t_()


def _write_one_of_several(torch):
    return (make_numbers(torch, 4, 2, 3) * 2).unbind()[0].t_()


def _write_view_made_without_recording(torch):
    y = make_numbers(torch, 2, 3) * 2
    with torch.no_grad():
        v = y.view(3, 2)
    return v.t_()


def _transpose_after_saving(torch):
    y = make_numbers(torch, 2, 3) * 2
    z = y * y
    y.t_()
    z.sum().backward()


def _write_through_a_view_after_saving(torch):
    y = make_numbers(torch, 2, 3) * 2
    z = y * y
    y.view(6).mul_(2)
    z.sum().backward()


def _write_conjugate_view(torch):
    y = torch.complex(torch.arange(6.0), torch.arange(1.0, 7.0)).reshape(2, 3)
    v = y.conj()
    v.t_()
    w = y.conj()[0].unsqueeze_(0)
    n = y.conj().imag
    n.transpose_(0, 1)
    memory = [t.data_ptr() - y.data_ptr() for t in (v, w, n)]
    return [str(y.tolist()), str(v.tolist()), v.stride(), v.is_conj(), w.stride(), n.tolist(), n.is_neg(), memory]


SITUATIONS = [value for name, value in list(globals().items()) if name.startswith("_") and callable(value)]


@pytest.mark.parametrize("program", SITUATIONS, ids=lambda program: program.__name__[1:])
def test_result_matches_torch(mt, oracle, program):
    assert outcome(program, mt) == outcome(program, oracle)


def test_transposed_view_of_another_dtype_is_replayed(mt):
    """The sum of 6 (8 j + 2 i + 2) x[i, j], computed by hand: real torch replays such a view with its original
    geometry."""
    x = mt.ones(2, 3, requires_grad=True)
    y = mt.complex(x, x) * 2
    v = mt.view_as_real(y)
    v.transpose_(0, 2)
    v.mul_(3)
    v.transpose_(0, 1)
    (v * mt.arange(12.0).reshape(3, 2, 2)).sum().backward()
    assert x.grad.tolist() == [[6 * (8 * j + 2 * i + 2) for j in range(3)] for i in range(2)]
