"""Loops of their own for halves, integers and bool: real torch's values at sizes that fill no vector, dense or not."""

import pytest

SHAPES = [(), (0,), (1,), (7,), (33,), (3, 0), (1, 67), (5, 130), (129, 33), (2, 3, 300)]
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
ALL = ("bool", *INTEGERS, "float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _layouts(x):
    """The tensor and others that share its elements: transposed, with steps, expanded."""
    yield x
    if x.dim() > 1:
        yield x.transpose(0, -1)
        yield x[..., ::2]
        yield x[:, :1].expand_as(x)


def _numbers(torch, dtype, shape, zeros):
    count = torch.Size(shape).numel()
    x = torch.arange(count) * 7919 % 251
    x = torch.where(x < zeros, 0, x)
    x = (x - 100 if dtype not in ("uint8", "bool") else x).to(getattr(torch, dtype)).reshape(shape)
    if (x.is_floating_point() or x.is_complex()) and x.dim() and count > 2:
        x[..., 1::5] = -0.0
        x[..., 2::11] = float("nan")
        x[..., 3::17] = float("-inf")
    return x


def _seen(t):
    return str(t.dtype), tuple(t.shape), t.stride() if t.numel() else None, str(t.tolist())


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("zeros", [0, 1, 250, 252])
def test_truth(mt, oracle, dtype, zeros):
    def run(torch):
        results = []
        for shape in SHAPES:
            for x in _layouts(_numbers(torch, dtype, shape, zeros)):
                x = x if zeros < 252 else x * 0
                for name in ("all", "any"):
                    f = getattr(torch, name)
                    results += [_seen(f(x)), *(_seen(f(x, d)) for d in range(x.dim()))]
                    results.append(_seen(f(x, tuple(range(x.dim())), keepdim=True)))
                    results.append(
                        _seen(f(x, out=torch.empty((), dtype=torch.uint8 if dtype == "uint8" else torch.bool)))
                    )
        return results

    assert run(mt) == run(oracle)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8"])
def test_sums_of_bytes(mt, oracle, dtype):
    def run(torch):
        results = []
        for shape in [*SHAPES, (40000,), (3, 70001)]:
            for x in _layouts(_numbers(torch, dtype, shape, 3)):
                for name in ("sum", "nansum", "count_nonzero"):
                    f = getattr(torch, name)
                    results += [_seen(f(x)), *(_seen(f(x, d)) for d in range(x.dim()))]
        most = torch.full((9001,), 255).to(getattr(torch, dtype))
        return [*results, _seen(most.sum())]

    assert run(mt) == run(oracle)


@pytest.mark.parametrize("to", ALL)
def test_conversion_of_bool(mt, oracle, to):
    def run(torch):
        results = []
        for shape in SHAPES:
            for x in _layouts(_numbers(torch, "bool", shape, 99)):
                results += [_seen(x.to(getattr(torch, to))), _seen(torch.logical_not(x)), _seen(x + 3)]
        return results

    assert run(mt) == run(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["neg", "abs", "reciprocal", "square"])
def test_one_operand_of_halves(mt, oracle, dtype, name):
    def run(torch):
        results = []
        for shape in SHAPES:
            for x in _layouts(_numbers(torch, dtype, shape, 9)):
                y = getattr(torch, name)(x)
                written = x.clone()
                getattr(torch, name)(x, out=written)
                results += [_seen(y), _seen(1 / y), _seen(written)]  # 1 / y tells the zeros' signs
        return results

    assert run(mt) == run(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_signs_of_halves(mt, oracle, dtype):
    def run(torch):
        results = []
        for shape in SHAPES:
            for x in _layouts(_numbers(torch, dtype, shape, 9)):
                y = -x.flip(0) if x.dim() else -x
                y[y != y] = 0  # a NaN of real torch keeps its sign in some loops only
                signs = [y, -3, y.float(), y.reshape(-1)[:1] if y.numel() else y]
                for z in (torch.copysign(x, s) for s in signs):
                    results += [_seen(z), _seen(1 / z)]
        return results

    assert run(mt) == run(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(1, 16), (48, 130), (70, 257), (1025, 17), (3, 65, 40), (0, 20), (5, 15)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_columns_of_halves(mt, oracle, dtype, shape, name):
    def run(torch):
        x = torch.arange(torch.Size(shape).numel()) * 7919 % 251 - 120
        x = x.reshape(shape).div(32).to(getattr(torch, dtype)).requires_grad_()
        y = getattr(torch, name)(x, -2)
        (y * x.detach().flip(0)).sum().backward()
        return y.detach().double().reshape(-1).tolist(), x.grad.double().reshape(-1).tolist()

    step = 2.0**-8 if dtype == "bfloat16" else 2.0**-11
    for ours, theirs in zip(run(mt), run(oracle), strict=True):
        assert ours == pytest.approx(theirs, rel=2 * step, abs=4 * step)
