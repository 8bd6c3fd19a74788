"""An out= of another dtype is refused with torch's text, or converted, as by torch; its tensors have torch's names."""

import functools

import pytest
from outcomes import outcome

IMAGE, VOLUME, LINE = (
    "t.arange(16.).view(1, 1, 4, 4)",
    "t.arange(64.).view(1, 1, 4, 4, 4)",
    "t.arange(4.).view(1, 1, 4)",
)
MATRIX = "t.tensor([[4., 1., 0.], [1., 3., 1.], [0., 1., 2.]])"
VALUES = "t.tensor([[0.5, -1., 2.], [3., 0.25, -0.5]])"

# Operator, overload of its out= form, arguments.
CALLS = [
    ("upsample_nearest1d", "out", f"{LINE}, [8]"),
    ("upsample_nearest2d", "out", f"{IMAGE}, [8, 8]"),
    ("upsample_nearest3d", "out", f"{VOLUME}, [8, 8, 8]"),
    ("_upsample_nearest_exact2d", "out", f"{IMAGE}, [8, 8]"),
    ("upsample_linear1d", "out", f"{LINE}, [8], False"),
    ("upsample_bilinear2d", "out", f"{IMAGE}, [8, 8], False"),
    ("upsample_bicubic2d", "out", f"{IMAGE}, [8, 8], False"),
    ("upsample_trilinear3d", "out", f"{VOLUME}, [8, 8, 8], False"),
    ("_upsample_bilinear2d_aa", "out", f"{IMAGE}, [2, 2], False"),
    ("upsample_nearest2d_backward", "grad_input", f"{IMAGE}, [4, 4], [1, 1, 2, 2]"),
    ("reflection_pad1d", "out", f"{LINE}, [1, 1]"),
    ("reflection_pad2d", "out", f"{IMAGE}, [1, 1, 1, 1]"),
    ("reflection_pad3d", "out", f"{VOLUME}, [1, 1, 1, 1, 1, 1]"),
    ("replication_pad1d", "out", f"{LINE}, [1, 1]"),
    ("replication_pad2d", "out", f"{IMAGE}, [1, 1, 1, 1]"),
    ("replication_pad3d", "out", f"{VOLUME}, [1, 1, 1, 1, 1, 1]"),
    ("reflection_pad2d_backward", "grad_input", f"{IMAGE}, t.ones(1, 1, 2, 2), [1, 1, 1, 1]"),
    ("replication_pad3d_backward", "grad_input", f"{VOLUME}, t.ones(1, 1, 2, 2, 2), [1, 1, 1, 1, 1, 1]"),
    ("im2col", "out", f"{IMAGE}, [2, 2], [1, 1], [0, 0], [1, 1]"),
    ("col2im", "out", "t.ones(1, 4, 9), [4, 4], [2, 2], [1, 1], [0, 0], [1, 1]"),
    ("adaptive_avg_pool2d", "out", f"{IMAGE}, [2, 2]"),
    ("adaptive_avg_pool3d", "out", f"{VOLUME}, [2, 2, 2]"),
    ("_adaptive_avg_pool2d", "out", f"{IMAGE}, [2, 2]"),
    ("adaptive_max_pool2d", "out", f"{IMAGE}, [2, 2]"),
    ("max_pool2d_with_indices", "out", f"{IMAGE}, [2, 2]"),
    ("max_pool3d_with_indices", "out", f"{VOLUME}, [2, 2, 2]"),
    ("fractional_max_pool2d", "output", f"{IMAGE}, [2, 2], [2, 2], t.full((1, 1, 2), 0.5)"),
    ("max_unpool2d", "out", "t.ones(1, 1, 2, 2), t.zeros(1, 1, 2, 2, dtype=t.int64), [4, 4]"),
    ("glu", "out", f"{IMAGE}, 2"),
    ("elu", "out", VALUES),
    ("hardsigmoid", "out", VALUES),
    ("hardswish", "out", VALUES),
    ("hardtanh", "out", VALUES),
    ("leaky_relu", "out", VALUES),
    ("mish", "out", VALUES),
    ("silu", "out", VALUES),
    ("relu", "out", VALUES),
    ("elu_backward", "grad_input", f"{VALUES}, 1, 1, 1, False, {VALUES}"),
    ("sigmoid_backward", "grad_input", f"{VALUES}, {VALUES}"),
    ("tanh_backward", "grad_input", f"{VALUES}, {VALUES}"),
    ("leaky_relu_backward", "grad_input", f"{VALUES}, {VALUES}, 0.5, False"),
    ("mse_loss", "out", f"{VALUES}, t.ones(2, 3)"),
    ("huber_loss", "out", f"{VALUES}, t.ones(2, 3), 0"),
    ("smooth_l1_loss", "out", f"{VALUES}, t.ones(2, 3)"),
    ("soft_margin_loss", "out", f"{VALUES}, t.ones(2, 3)"),
    ("binary_cross_entropy", "out", "t.full((2, 2), 0.25), t.ones(2, 2)"),
    ("multi_margin_loss", "out", f"{VALUES}, t.tensor([0, 1])"),
    ("max", "dim_max", f"{VALUES}, 1"),
    ("min", "dim_min", f"{VALUES}, 1"),
    ("max", "unary_out", VALUES),
    ("median", "out", VALUES),
    ("cummax", "out", f"{VALUES}, 1"),
    ("mode", "values", f"{VALUES}, 1"),
    ("sort", "values", VALUES),
    ("topk", "values", f"{VALUES}, 2"),
    ("argsort", "stable_out", f"{VALUES}, stable=True"),
    ("var_mean", "correction_out", f"{VALUES}, [1]"),
    ("sum", "out", VALUES),
    ("prod", "out", VALUES),
    ("mean", "out", f"{VALUES}, [1]"),
    ("mean", "out", f"{VALUES}, [1], dtype=t.float64"),
    ("trace", "out", MATRIX),
    ("isnan", "out", VALUES),
    ("isinf", "out", VALUES),
    ("add", "Scalar_out", f"{VALUES}, 2"),
    ("sub", "Scalar_out", f"{VALUES}, 2"),
    ("mul", "Scalar_out", f"{VALUES}, 2"),
    ("div", "Scalar_out", f"{VALUES}, 2"),
    ("rsub", "Tensor_out", f"{VALUES}, {VALUES}"),
    ("round", "decimals_out", f"{VALUES}, decimals=1"),
    ("mvlgamma", "out", "t.full((2,), 4.), 2"),
    ("native_layer_norm", "out", f"{VALUES}, [3], None, None, 1e-5"),
    ("native_group_norm", "out", f"{VALUES}, None, None, 2, 3, 1, 1, 1e-5"),
    ("linalg_matrix_exp", "out", f"0 * {MATRIX}"),
    ("linalg_qr", "out", MATRIX),
    ("linalg_lu", "out", MATRIX),
    ("linalg_lu_factor", "out", MATRIX),
    ("linalg_svd", "U", MATRIX),
    ("linalg_slogdet", "out", MATRIX),
    ("linalg_inv_ex", "inverse", MATRIX),
    ("linalg_cholesky_ex", "L", MATRIX),
    ("linalg_eigh", "eigvals", MATRIX),
    ("triangular_solve", "X", f"t.ones(3, 1), {MATRIX}"),
]


@pytest.mark.parametrize("name, overload, arguments", CALLS)
def test_an_out_of_another_dtype_is_answered_as_by_torch(mt, oracle, name, overload, arguments):
    def call_with_out_of_other_dtype(torch):
        operator = getattr(torch.ops.aten, name)
        form = getattr(operator, overload)
        names = [argument.name for argument in form._schema.arguments if argument.is_out]
        given, named = eval(f"(lambda *args, **kwargs: (args, kwargs))({arguments})", {"t": torch})
        results = operator(*given, **named)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        found = [names]
        for place in range(len(results)):
            for dtype in ("float64", "float16", "int64", "int32", "bool", "complex64"):
                dtypes = [result.dtype for result in results]
                dtypes[place] = getattr(torch, dtype)
                outs = [torch.zeros(r.shape, dtype=d) for r, d in zip(results, dtypes, strict=True)]
                into = dict(zip(names, outs, strict=True))
                shown = torch.view_as_real if dtypes[place] == torch.complex64 else torch.clone
                call = functools.partial(form, *given, **named, **into)
                found.append(outcome(lambda t, f=call, out=outs[place], show=shown: (f(), show(out))[1], torch))
        return found

    assert call_with_out_of_other_dtype(mt) == call_with_out_of_other_dtype(oracle)
