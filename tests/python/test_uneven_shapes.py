"""Kernels over uneven sizes and layouts: a view and its contiguous copy have equal results, and reads stay in bounds.

Suite `kernels` runs these under AddressSanitizer, with allocations that end where the tensors end.
"""

import pytest

DTYPES = ["float32", "float64", "bfloat16", "float16", "int64", "uint8"]
SIZES = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65]


def make_numbers(mt, *shape, dtype="float32", scale=8):
    """Multiples of 1/8, or integers: sums of a few are exact in any order."""
    count = 1
    for size in shape:
        count *= size
    values = (mt.arange(count) * 37 % 23 - 11).to(mt.float64).reshape(shape)
    return (values / scale).to(getattr(mt, dtype)) if "float" in dtype else values.abs().to(getattr(mt, dtype))


def views_in_other_layouts(mt, x):
    """The same values in other layouts: with gaps, reversed in memory, with the first dimension innermost."""
    gaps = mt.zeros(*x.shape[:-1], 2 * x.shape[-1] + 1, dtype=x.dtype)[..., 1::2]
    transposed = mt.zeros(*reversed(x.shape), dtype=x.dtype).permute(*range(x.dim())[::-1])
    for view in (gaps, transposed):
        view.copy_(x)
        yield view


def assert_layout_independent(mt, function, *tensors):
    """Applies a function to contiguous tensors, and to the same tensors with each in another layout."""
    want = function(*tensors)
    for position, tensor in enumerate(tensors):
        for view in views_in_other_layouts(mt, tensor):
            got = function(*tensors[:position], view, *tensors[position + 1 :])
            for mine, other in zip(as_result_sequence(mt, got), as_result_sequence(mt, want), strict=True):
                assert mine.shape == other.shape and mt.equal(mine, other)
    return want


def as_result_sequence(mt, result):
    return [result] if isinstance(result, mt.Tensor) else result


CONVOLUTIONS = {
    "plain": ((2, 3), (5, 3), {}),
    "padded": ((1, 4), (9, 4), {"padding": 2}),
    "strided": ((3, 5), (4, 5), {"stride": 2, "padding": 1}),
    "dilated": ((2, 17), (3, 17), {"dilation": 2, "padding": 3}),
    "in groups": ((2, 6), (9, 2), {"groups": 3, "padding": 1}),
    "depthwise": ((2, 17), (17, 1), {"groups": 17, "padding": 1}),
    "one channel": ((1, 1), (33, 1), {"padding": 1}),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("kernel", [(1,), (3,), (7,), (1, 1), (3, 2), (2, 5), (1, 2, 3)])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution_of_uneven_sizes_supports_any_layout(mt, name, kernel, dtype):
    leading, channels, options = CONVOLUTIONS[name]
    convolution = (mt.conv1d, mt.conv2d, mt.conv3d)[len(kernel) - 1]
    for sizes in ((13, 9, 15), (17, 15, 13)):
        x = make_numbers(mt, *leading, *sizes[: len(kernel)], dtype=dtype).requires_grad_()
        w = make_numbers(mt, *channels, *kernel, dtype=dtype).requires_grad_()

        def call_both_memory_formats(x, w):
            x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
            out = convolution(x, w, **options)
            return [out.detach(), *mt.autograd.grad(out, (x, w), mt.ones_like(out))]

        assert_layout_independent(mt, call_both_memory_formats, x.detach(), w.detach())


POOLS = [{}, {"stride": 1}, {"padding": 1}, {"ceil_mode": True}, {"stride": 3, "padding": 1}]


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("options", POOLS, ids=str)
def test_pooling_of_uneven_sizes_supports_any_layout(mt, dims, options):
    names = [f"max_pool{dims}d", f"avg_pool{dims}d", f"adaptive_avg_pool{dims}d", f"adaptive_max_pool{dims}d"]
    for sizes in ((5, 7, 9), (17, 5, 3), (33, 18, 4)):
        x = make_numbers(mt, 2, 3, *sizes[:dims])
        for name in names:
            function = getattr(mt.nn.functional, name)
            given = ((3, 2, 3)[:dims],) if "adaptive" in name else (3,)
            kwargs = {} if "adaptive" in name else options

            def call_both_memory_formats(x, function=function, given=given, kwargs=kwargs):
                x = x.detach().requires_grad_()
                out = function(x, *given, **kwargs)
                return [out.detach(), *mt.autograd.grad(out, x, make_numbers(mt, *out.shape))]

            assert_layout_independent(mt, call_both_memory_formats, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_every_length_are_sorted(mt, dtype):
    for size in SIZES:
        x = make_numbers(mt, 3, size, dtype=dtype)
        for descending in (False, True):
            order = assert_layout_independent(
                mt, lambda x, down=descending: mt.sort(x, dim=1, descending=down, stable=True), x
            )
            steps = order[0].double().diff(dim=1)
            assert bool(((-steps if descending else steps) >= 0).all())
            assert mt.equal(x.gather(1, order[1]), order[0])
        for k in {1, size // 2 + 1, size}:
            assert_layout_independent(mt, lambda x, k=k: mt.topk(x, k, dim=1), x)[0]
            assert_layout_independent(mt, lambda x, k=k: mt.kthvalue(x, k, dim=1)[0], x)
        assert_layout_independent(mt, lambda x: mt.sort(x, dim=0, stable=True), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_rows_of_every_length_are_moved_by_index(mt, dtype):
    for size in SIZES:
        x, y = make_numbers(mt, size, 5, dtype=dtype), make_numbers(mt, size, 5, dtype=dtype).flip(0)
        rows = mt.arange(size).flip(0)
        places = rows[:, None].expand(size, 5).contiguous()
        assert mt.equal(assert_layout_independent(mt, lambda x, rows=rows: x[rows], x), x.flip(0))
        assert mt.equal(assert_layout_independent(mt, lambda x, rows=rows: x.index_select(0, rows), x), x.flip(0))
        assert mt.equal(assert_layout_independent(mt, lambda x, places=places: x.gather(0, places), x), x.flip(0))
        assert mt.equal(
            assert_layout_independent(mt, lambda x, y, places=places: x.scatter(0, places, y), x, y), y.flip(0)
        )
        assert mt.equal(
            assert_layout_independent(mt, lambda x, y, rows=rows: x.index_copy(0, rows, y), x, y), y.flip(0)
        )
        assert mt.equal(
            assert_layout_independent(mt, lambda x, y, rows=rows: x.index_add(0, rows, y), x, y), x + y.flip(0)
        )
        mask = x > x.double().mean().to(x.dtype)
        taken = assert_layout_independent(mt, lambda x, mask=mask: x[mask], x)
        assert mt.equal(
            assert_layout_independent(mt, lambda x, taken=taken, mask=mask: x.masked_scatter(mask, taken), x), x
        )


def _call_attention_backward(t, grad=(2, 1, 3, 4), key=(2, 1, 3, 4), out=(2, 1, 3, 4), logsumexp=(2, 1, 3)):
    q = t.ones(2, 1, 3, 4)
    backward = t.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
    return backward(t.ones(grad), q, t.ones(key), t.ones(key), t.ones(out), t.ones(logsumexp), 0.0, False)


def _call_norm_backward(t, grad=(2, 3), mean=(2, 1), weight=(3,), shape=(3,)):
    x = t.ones(2, 3)
    options = [t.ones(weight), t.ones(3), [True] * 3]
    return t.ops.aten.native_layer_norm_backward(t.ones(grad), x, shape, t.ones(mean), t.ones(mean), *options)


REFUSED_SHAPES = {
    "attention backward, a vector": lambda t: _call_attention_backward(t, grad=(1,)),
    "attention backward, another length": lambda t: _call_attention_backward(t, grad=(2, 1, 2, 4)),
    "attention backward, another width": lambda t: _call_attention_backward(t, key=(2, 1, 3, 5)),
    "attention backward, another batch": lambda t: _call_attention_backward(t, key=(3, 1, 3, 4)),
    "attention backward, a result in one": lambda t: _call_attention_backward(t, out=(1, 1, 3, 4)),
    "attention backward, few sums": lambda t: _call_attention_backward(t, logsumexp=(1,)),
    "attention, another width": lambda t: t.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        t.ones(2, 1, 3, 4), t.ones(2, 1, 3, 5), t.ones(2, 1, 3, 4)
    ),
    "attention, fewer values than keys": lambda t: t.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        t.ones(2, 1, 3, 4), t.ones(2, 1, 3, 4), t.ones(2, 1, 2, 4)
    ),
    "layer norm backward, a short gradient": lambda t: _call_norm_backward(t, grad=(2,)),
    "layer norm backward, few means": lambda t: _call_norm_backward(t, mean=(1,)),
    "layer norm backward, another weight": lambda t: _call_norm_backward(t, weight=(2,)),
    "layer norm backward, another shape": lambda t: _call_norm_backward(t, shape=(2,)),
    "rows without dimensions": lambda t: t.ops.aten._convert_indices_from_csr_to_coo(t.tensor(1), t.tensor(1)),
    "rows of a vector": lambda t: t.ops.aten._convert_indices_from_csr_to_coo(t.tensor([0, 1]), t.tensor(1)),
    "LAPACK's codes as floats": lambda t: t.ops.aten._linalg_check_errors(t.ones(1), "inv", is_matrix=True),
    "LAPACK's codes of one byte": lambda t: t.ops.aten._linalg_check_errors(t.ones(1).bool(), "inv", is_matrix=True),
}


@pytest.mark.parametrize("name", REFUSED_SHAPES)
def test_torch_ops_only_operators_refuse_mismatched_shapes(name, mt):
    with pytest.raises((RuntimeError, IndexError)):
        REFUSED_SHAPES[name](mt)


def test_torch_ops_only_operators_accept_matching_shapes(mt):
    assert [tuple(g.shape) for g in _call_attention_backward(mt)] == [(2, 1, 3, 4)] * 3
    assert [tuple(g.shape) for g in _call_norm_backward(mt)] == [(2, 3), (3,), (3,)]


ABSURD = {
    "adaptive_avg_pool1d": lambda t: t.nn.functional.adaptive_avg_pool1d(t.ones(0, 1, 3), [2**31]),
    "adaptive_avg_pool2d": lambda t: t.nn.functional.adaptive_avg_pool2d(t.ones(2, 1, 3), [0, 2**31]),
    "adaptive_avg_pool3d": lambda t: t.nn.functional.adaptive_avg_pool3d(t.ones(2, 1, 3, 4), [1, 0, 2**31]),
    "adaptive_max_pool2d": lambda t: t.nn.functional.adaptive_max_pool2d(t.ones(2, 1, 3), [0, 2**31]),
    "adaptive_max_pool3d": lambda t: t.nn.functional.adaptive_max_pool3d(t.ones(2, 1, 3, 4), [1, 0, 2**31]),
}


@pytest.mark.parametrize("name", ABSURD)
def test_pools_into_no_window_do_not_count_windows(name, mt, oracle):
    found = []
    for torch in (mt, oracle):
        try:
            found.append((tuple(ABSURD[name](torch).shape), ""))
        except RuntimeError as error:
            found.append(((), str(error)))
    assert found[0] == found[1]


SIZES_BEYOND = {
    "empty": lambda t: t.empty([0, 4, 2**61]),
    "zeros": lambda t: t.zeros([0, 2**62, 4]),
    "view": lambda t: t.ones(0).view([0, 4, 2**61]),
    "reshape": lambda t: t.ones(0).reshape([0, 4, 2**61]),
    "resize_": lambda t: t.ones(2).resize_([0, 4, 2**61]),
    "new_empty": lambda t: t.ones(0).new_empty([0, 4, 2**61]),
    "full": lambda t: t.full([0, 4, 2**61], 1.0),
    "of meta": lambda t: t.empty([0, 4, 2**61], device="meta"),
    "that just fit": lambda t: t.empty([0, 4, 2**60]).stride(),
    "behind the first": lambda t: t.empty([2**62, 0, 4]).stride(),
    "of elements": lambda t: t.empty([2**40, 2**40]),
}


@pytest.mark.parametrize("name", SIZES_BEYOND)
def test_strides_beyond_their_type_are_refused(name, mt, oracle):
    found = []
    for torch in (mt, oracle):
        try:
            found.append(SIZES_BEYOND[name](torch))
        except RuntimeError as error:
            found.append(str(error))
    assert found[0] == found[1]
