"""Half types: where torch rounds after each step, so do we; a wider computation would give other bits."""

import pytest

HALVES = ["bfloat16", "float16"]


def _bits_of_tensor(tensor):
    return tensor.float().flatten().tolist()


def _assert_same_values(mt, oracle, call):
    ours, theirs = call(mt), call(oracle)
    assert ours.dtype.itemsize == 2 and str(ours.dtype) == str(theirs.dtype)
    assert _bits_of_tensor(ours) == _bits_of_tensor(theirs)


def _make_normal(torch, dtype, *sizes, scale=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(*sizes, generator=generator, dtype=torch.float64) * scale).to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("mode", ["trunc", "floor"])
def test_rounded_quotients_of_tensors_match_torch(mt, oracle, dtype, mode):
    def divide_tensors(torch):
        a, b = _make_normal(torch, dtype, 500, scale=20.0), _make_normal(torch, dtype, 500, seed=1)
        return torch.div(a, b, rounding_mode=mode)

    _assert_same_values(mt, oracle, divide_tensors)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("mode", ["trunc", "floor"])
def test_rounded_quotients_by_one_number_match_torch(mt, oracle, dtype, mode):
    def divide_by_number(torch):
        a = _make_normal(torch, dtype, 500, scale=20.0)
        one = torch.tensor([0.3], dtype=a.dtype)
        return torch.cat([torch.div(a, 0.3, rounding_mode=mode), torch.div(a, one, rounding_mode=mode)])

    _assert_same_values(mt, oracle, divide_by_number)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_number_minus_a_half_tensor_matches_torch(mt, oracle, dtype):
    _assert_same_values(mt, oracle, lambda torch: 8.396163642458497 - _make_normal(torch, dtype, 300, scale=5.0))
    _assert_same_values(mt, oracle, lambda torch: torch.rsub(_make_normal(torch, dtype, 300), 1.7))


@pytest.mark.parametrize("dtype", HALVES)
def test_histogram_bins_of_half_types_match_torch(mt, oracle, dtype):
    _assert_same_values(mt, oracle, lambda torch: torch.histc(_make_normal(torch, dtype, 200, scale=4.0), 100, -10, 10))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("reduce", ["sum", "mean", "prod"])
def test_segment_reductions_of_half_types_match_torch(mt, oracle, dtype, reduce):
    def reduce_segments(torch):
        lengths = torch.tensor([3, 0, 30, 7])
        return torch.segment_reduce(_make_normal(torch, dtype, 40), reduce, lengths=lengths, initial=1)

    _assert_same_values(mt, oracle, reduce_segments)


@pytest.mark.parametrize("dtype", HALVES)
def test_addbmm_of_half_types_matches_torch(mt, oracle, dtype):
    def add_products(torch):
        # Products of small integers are exact; only the sum over the batch's matrices rounds.
        a, b = ((_make_normal(torch, dtype, 9, 3, 3, scale=9.0, seed=s)).round() for s in (0, 1))
        return torch.addbmm(torch.full((3, 3), 0.4375, dtype=a.dtype), a, b)

    _assert_same_values(mt, oracle, add_products)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("p", [1, 2, 3.5, float("inf")])
def test_slices_of_half_types_scaled_to_a_norm_match_torch(mt, oracle, dtype, p):
    _assert_same_values(mt, oracle, lambda torch: torch.renorm(_make_normal(torch, dtype, 9, 6, 7), p, 1, 1.5))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_glu_of_half_types_and_its_gradient_match_torch(mt, oracle, dtype, dim):
    def differentiate_glu(torch):
        x = _make_normal(torch, dtype, 6, 10, 34).requires_grad_()
        y = torch.nn.functional.glu(x, dim)
        return torch.autograd.grad(y, x, _make_normal(torch, dtype, *y.shape, seed=1))[0]

    _assert_same_values(mt, oracle, lambda torch: torch.nn.functional.glu(_make_normal(torch, dtype, 6, 10, 34), dim))
    _assert_same_values(mt, oracle, differentiate_glu)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align_corners", [False, True])
def test_grid_sample_of_half_images_matches_torch(mt, oracle, dtype, mode, padding_mode, align_corners):
    def sample_image(torch):
        image, grid = _make_normal(torch, dtype, 2, 2, 5, 7), _make_normal(torch, dtype, 2, 4, 6, 2, scale=0.8, seed=1)
        return torch.nn.functional.grid_sample(image, grid, mode, padding_mode, align_corners)

    _assert_same_values(mt, oracle, sample_image)


@pytest.mark.parametrize("dtype", HALVES)
def test_grid_sample_of_half_volumes_matches_torch(mt, oracle, dtype):
    def sample_volume(torch):
        volume, grid = (
            _make_normal(torch, dtype, 1, 2, 4, 5, 6),
            _make_normal(torch, dtype, 1, 2, 3, 4, 3, scale=0.8, seed=1),
        )
        return torch.nn.functional.grid_sample(volume, grid, align_corners=False)

    _assert_same_values(mt, oracle, sample_volume)


def test_grid_sample_far_outside_of_a_half_image_matches_torch(mt, oracle):
    def sample_far_outside(torch):
        image = _make_normal(torch, "float16", 1, 1, 4, 4)
        grid = torch.tensor([[[[6e4, 0.0], [-6e4, 0.5], [float("nan"), 0.0]]]], dtype=torch.float16)
        return torch.nn.functional.grid_sample(image, grid, padding_mode="border", align_corners=True)

    _assert_same_values(mt, oracle, sample_far_outside)


def test_statistics_are_kept_in_half_precision(mt, oracle):
    def normalise_instances(torch):
        return torch.nn.functional.instance_norm(_make_normal(torch, "float16", 3, 2, 3, 4, scale=3.0), eps=1e-3)

    _assert_same_values(mt, oracle, normalise_instances)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_of_every_half_code_matches_torch(mt, oracle, dtype, name):
    """Every code of the type combined with two others, in runs of every remainder; also in place."""

    def compute_every_code(torch):
        codes = torch.arange(65536, dtype=torch.int32)
        a, b = codes.to(torch.int16).view(getattr(torch, dtype)), (codes * 40503 + 12345).to(torch.int16)
        b = b.view(getattr(torch, dtype))
        f = getattr(torch, name)
        results = [f(a, b), f(b[:40000], a[25536:]), getattr(a.clone()[5:], name + "_")(b[5:]), f(a, 0.375)]
        results.append(f(torch.tensor(1.75), a))
        if name in ("mul", "div"):  # which are not rounded
            results.append(f(a, 0.3))
        for n in range(1, 50):
            results += [f(a[n * 999 :][:n], b[:n]), f(a[n * 999 :][:n], -2.5), f(b[:n], a[n * 1000])]
        return torch.cat([r.flatten() for r in results])

    ours, theirs = compute_every_code(mt).float(), compute_every_code(oracle).float()
    assert ours.isnan().tolist() == theirs.isnan().tolist()
    assert ours.nan_to_num(0.0).tolist() == theirs.nan_to_num(0.0).tolist()
    assert ours.signbit().logical_and(~ours.isnan()).tolist() == theirs.signbit().logical_and(~theirs.isnan()).tolist()


def _make_every_code(torch, dtype):
    return torch.arange(65536, dtype=torch.int32).to(torch.int16).view(getattr(torch, dtype))


OTHER_OPERANDS = {
    "a number": lambda torch: 0.3,
    "a whole number": lambda torch: 2049,
    "no dimension": lambda torch: torch.tensor(0.3),
    "no dimension, double": lambda torch: torch.tensor(-1.7, dtype=torch.float64),
    "one element": lambda torch: torch.tensor([2049]),
    "integers": lambda torch: torch.arange(65536) - 20000,
}


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("beside", list(OTHER_OPERANDS))
def test_scalar_operands_of_half_tensors_are_rounded_except_factors_and_divisors(mt, oracle, dtype, beside):
    """torch.add(x, 0.3) is x + bfloat16(0.3) for a bfloat16 x; torch.mul(x, 0.3) multiplies by the float 0.3."""

    def combine_with_scalar(torch):
        x, y = _make_every_code(torch, dtype), OTHER_OPERANDS[beside](torch)
        values = [x + y, y + x, x - y, y - x, x * y, y * x, x / y, y / x, x > y, x == y, y >= x, x != y]
        values += [torch.add(x, y, alpha=2), x.clone().add_(y), x.clone().sub_(y), x.clone().mul_(y), x.clone().div_(y)]
        values += [x.clamp(-6e4, 6e4).fmod(y), torch.floor_divide(x, y)]  # torch's fmod: quotients in float's range
        if torch.is_tensor(y):
            values += [x.copysign(y), torch.maximum(x, y), torch.minimum(y, x)]
            values += [torch.add(y, x, out=torch.empty_like(x))]
        return torch.stack([value.to(x.dtype) for value in values])

    _assert_same_values(mt, oracle, lambda torch: torch.nan_to_num(combine_with_scalar(torch), nan=7.0))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_a_wider_out_takes_results_rounded_to_half_precision(mt, oracle, dtype, wide):
    def add_into_wider_out(torch):
        a, b = (torch.tensor(v, dtype=getattr(torch, dtype)) for v in ([1.5, 33000, 0.3], [0.666, 33000, 0.7]))
        results = []
        for name, arguments in [
            ("add", (a, b)), ("mul", (a, b)), ("div", (a, b)), ("exp", (b[:1],)), ("lerp", (a, b, 0.3)),
            ("addcmul", (a, a, b)), ("sigmoid", (a,)), ("pow", (a, 2)), ("hypot", (a, b)),
        ]:  # fmt: skip
            out = torch.empty(0, dtype=getattr(torch, wide))
            getattr(torch, name)(*arguments, out=out)
            results.append(out.to(getattr(torch, dtype)).to(out.dtype).equal(out))
            results.append(out.tolist())
        return results

    ours = add_into_wider_out(mt)
    assert ours[0] is True  # every sum fits the half type
    assert ours == add_into_wider_out(oracle)
