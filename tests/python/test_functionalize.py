"""torch.func.functionalize: values, inputs, errors and calls seen by modes match torch."""

import importlib

import pytest
from outcomes import close, normalise, plain


def _log_operators(torch, call, *inputs):
    """([operators that a mode sees], result or error, inputs afterwards)"""
    dispatch = importlib.import_module(f"{torch.__name__}.utils._python_dispatch")

    class Log(dispatch.TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            shown = [a if isinstance(a, (int, float, bool, list)) and not _has_tensors(a) else "..." for a in args]
            self.seen.append(f"{func} {shown}")
            return func(*args, **(kwargs or {}))

    def _has_tensors(value):
        return isinstance(value, list) and any(isinstance(item, torch.Tensor) for item in value)

    with Log() as log:
        try:
            result = call(torch, *inputs)
        except Exception as error:
            result = (type(error).__name__, normalise(str(error)))
    return log.seen, plain(result, torch), plain(inputs, torch)


def _run_functionalized_and_plain(f, *names):
    """Returns the recorded call of `f` without writes, and without writes and views."""
    return lambda torch, *inputs: torch.func.functionalize(lambda *values: f(torch, *values), remove=names[0])(*inputs)


def _write_views_of_input(t, x):
    first, _ = x.split(1)
    first.add_(1)
    x.unbind(1)[1].zero_()
    x[:, ::2].copy_(t.ones(2, 2))
    return x.diagonal()


def _write_new_tensor(t, x):
    y = t.zeros(3)
    y.add_(1)
    y.unsqueeze_(0)
    return y + x


def _write_row_of_transposed(t, x):
    y = x.t()
    y[0].mul_(2)
    return y


PROGRAMS = {
    "write": lambda t, x: x.add_(1),
    "write through a view": lambda t, x: (x.view(3, 2).add_(1), x)[1],
    "write through a view of a view": _write_row_of_transposed,
    "write to parts": _write_views_of_input,
    "write to a new tensor": _write_new_tensor,
    "write of another dtype": lambda t, x: x.add_(t.ones(3, dtype=t.float64)),
    "out": lambda t, x: t.add(x, 1, out=t.empty(2, 3)),
    "out of no elements": lambda t, x: t.add(x, 1, out=t.empty(0)),
    "expanded": lambda t, x: x.sum(0).expand(2, 3) + 1,
    "write to repeated elements": lambda t, x: x.sum(0).expand(2, 3).add_(1),
    "reshaped": lambda t, x: x.view(-1).add_(1),
    "unfolded": lambda t, x: x.view(-1).unfold(0, 2, 2).add_(1),
    "a number": lambda t, x: x.sum().item(),
    "narrow": lambda t, x: x.narrow(1, 0, 2).exp_(),
    "chunk": lambda t, x: x.chunk(3, 1)[1].exp_(),
    "real view": lambda t, x: t.view_as_real(t.complex(x, x)).add_(1),
    "detached": lambda t, x: x.detach().add_(1),
    "permuted": lambda t, x: x.unsqueeze(0).permute(2, 0, 1).add_(1),
    "strided": lambda t, x: x.as_strided((2, 2), (1, 2)).add_(1),
    "nothing": lambda t, x: None,
    "the input": lambda t, x: x,
    "a tree": lambda t, x: {"a": x.add_(1), "b": [3, x.view(-1)]},
    "chance": lambda t, x: x.bernoulli_(1.0),
    "data written": lambda t, x: x.data.add_(1),
    "transposed in place": lambda t, x: x.transpose_(0, 1).add_(1),
    "wrong view": lambda t, x: x.view(5),
    "constant": lambda t, x: t.ones(2, 3).mul_(x),
}
# Programs of which only the values are compared: in torch, a dispatch mode sees more operators, such as copies of
# Python numbers to tensors.
SAME_VALUES = {
    "number in place": lambda t, x: x.__setitem__((0, 1), 5.0) or x,
    "indices": lambda t, x: x.__setitem__((t.tensor([0, 1]), t.tensor([1, 2])), 7.0) or x,
    "another dtype": lambda t, x: x.view(t.int32).add_(1),
    "imaginary part": lambda t, x: t.complex(x, x).imag.add_(1),
    "resized": lambda t, x: x.resize_(3, 3).fill_(1),
    "squeezed": lambda t, x: x.unsqueeze(0).squeeze().squeeze(0).add_(1),
    "another tensor's memory": lambda t, x: x.set_(t.ones(3)),
    "data": lambda t, x: setattr(x, "data", t.ones(3)),
    "conjugate": lambda t, x: t.complex(x, x).conj().add_(1),
    "gradient outside": lambda t, x: t.func.grad(lambda a: (a.clone().view(-1).mul_(a.view(-1))).sum())(x),
    "vmap inside": lambda t, x: t.func.vmap(lambda a: a.view(3, 1).add_(1))(x),
    "jvp inside": lambda t, x: t.func.jvp(lambda a: a.clone().view(3, 2).mul_(2), (x,), (x,)),
}


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_modes_see_what_torch_shows_them(name, remove, mt, oracle):
    ours, theirs = (
        _log_operators(t, _run_functionalized_and_plain(PROGRAMS[name], remove), t.arange(6.0).view(2, 3))
        for t in (mt, oracle)
    )
    assert ours[0] == theirs[0]
    assert close(ours[1:], theirs[1:]), (ours, theirs)


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("name", SAME_VALUES)
def test_values_are_torchs(name, remove, mt, oracle):
    ours, theirs = (
        _log_operators(t, _run_functionalized_and_plain(SAME_VALUES[name], remove), t.arange(6.0).view(2, 3))
        for t in (mt, oracle)
    )
    assert close(ours[1:], theirs[1:]), (ours, theirs)
    # Functionalization removes all in-place operators but those that copy the result to the input.
    writes = [line for line in ours[0] if "_." in line.split()[0]]
    assert all("copy_" in line or "resize_" in line for line in writes), writes
