"""torch._prims_common: shapes, strides and dtypes."""

import importlib
import itertools

import pytest
from outcomes import outcome


def _import_prims_common(torch, name="_prims_common"):
    return importlib.import_module(f"{torch.__name__}.{name}")


SHAPES = """
p.make_contiguous_strides_for((2, 0, 3)), p.make_contiguous_strides_for([4, 5, 6], False)
p.make_contiguous_strides_for(())
p.make_contiguous_strides_for((2, 1, 3), row_major=False), p.make_channels_last_strides_for((2, 3, 4, 5))
p.canonicalize_dim(3, -1), p.canonicalize_dim(0, -1), p.canonicalize_dims(3, (-1, 0)), p.canonicalize_dims(3, 2)
p.canonicalize_dim(3, 3)
p.canonicalize_dim(0, 1)
p.is_valid_permutation(3, (2, 0, 1)), p.is_valid_permutation(3, (2, 0, 0)), p.is_same_shape((2, 3), [2, 3])
p.invert_perm([2, 0, 1]), p.apply_perm("abc", [2, 0, 1]), p.apply_perm("abc", [-1, 2, 1])
p.prod([2, 3]), p.prod([]), p.is_expandable_to((1, 3), (2, 5, 3)), p.is_expandable_to((2,), (3,))
[p.suggest_memory_format(x) for x in tensors]
[(p.is_contiguous(x), p.is_contiguous_or_false(x), p.is_channels_last_contiguous(x)) for x in tensors]
[p.is_contiguous_for_memory_format(x, memory_format=torch.contiguous_format) for x in tensors]
[(p.is_boolean_dtype(d), p.is_integer_dtype(d), p.is_float_dtype(d), p.is_complex_dtype(d)) for d in dtypes]
[(p.is_low_precision_dtype(d), p.is_grad_dtype(d), p.dtype_to_type(d), p.get_computation_dtype(d)) for d in dtypes]
p.corresponding_real_dtype(torch.complex64), p.corresponding_complex_dtype(torch.half)
[p.type_to_dtype(t) for t in (bool, int, float, complex, torch.SymBool, torch.SymInt, torch.SymFloat)]
p.type_to_dtype(str)
p.type_to_dtype(3)
[p.get_higher_type(a, b) for a in (bool, int, float, complex) for b in (bool, int, float, complex)]
p.dtype_or_default(None), p.dtype_or_default(torch.int8), p.device_or_default(None), p.layout_or_default(None)
w._maybe_convert_to_dtype(torch.ones(2), torch.int64), w._maybe_convert_to_dtype([1, torch.ones(1)], torch.float32)
w._maybe_convert_to_dtype(3, torch.float32), w._maybe_convert_to_dtype(None, torch.float32)
"""
CHECKS = """
p.check_significant_strides(x, x.t()), p.check_significant_strides(x, x.t(), only_cuda=False), p.check_all_strides(x, y)
p.check_all_strides(x[:1], x[:1].clone(), only_cuda=False), p.check_all_strides(x[:0], x.t()[:, :0], only_cuda=False)
p.compare_tensor_meta(x, x), p.compare_tensor_meta(x, x.t().contiguous().t())
p.compare_tensor_meta(x, y)
p.compare_tensor_meta(x, x.double())
p.compare_tensor_meta(x, x.to("meta"))
p.compare_tensor_meta(x, x.t().contiguous().t(), check_strides=True)
p.compare_tensor_meta(torch.ones(4)[1:], torch.ones(3), check_strides=True)
p.compare_tensor_meta(c, c.conj())
p.compare_tensor_meta(c.imag, c.conj().imag)
p.check(True, lambda: "text")
p.check(False, lambda: "text")
p.check(False, lambda: "text", ValueError)
p.validate_shape((2, 3)), p.validate_strides((2, 0)), p.validate_dim_length(0)
p.validate_shape((2, -3))
p.validate_strides((2, -1))
p.validate_dim_length(-2)
p.validate_no_repeating_dims((0, 1, 0))
p.check_same_shape(x, x + 1, 3, allow_cpu_scalar_tensors=False), p.check_same_dtype(x, y)
p.check_same_device(x, y, allow_cpu_scalar_tensors=True)
p.extract_shape(x, 3, allow_cpu_scalar_tensors=True), p.extract_shape(3, allow_cpu_scalar_tensors=True)
p.extract_shape(x[0, 0], x, allow_cpu_scalar_tensors=True), p.extract_shape(x[0, 0], allow_cpu_scalar_tensors=True)
p.extract_shape_from_varargs((2, 3)), p.extract_shape_from_varargs(((2, 3),)), p.extract_dims_from_varargs(([1, 2],))
p.infer_size_shapes((2, 1), (3,)), p.reduction_dims((2, 3), None), p.reduction_dims((2, 3), (-1,))
p.reduction_dims((2, 3), (1, -1))
p.compute_reduction_output_shape((2, 3, 4), (0, 2)), p.compute_required_storage_length((2, 3), (4, 1), 5)
p.compute_required_storage_length((2, 0), (4, 1), 5)
[p.is_weakly_lesser_type(a, b) for a in (bool, int, float, complex) for b in (bool, int, float, complex)]
p.is_weakly_lesser_type(str, int)
[p.can_safe_cast_to(cast_to=a, cast_from=b) for a in dtypes for b in dtypes]
[p.number_type(n) for n in (True, 1, 1.5, 2j)], p.is_cpu_scalar_tensor(x[0, 0]), p.is_cpu_scalar_tensor(x)
p.set_correction(), p.set_correction(False), p.set_correction(correction=2), p.set_correction(True)
p.set_correction(True, 1)
p.set_correction(correction="x")
p.clone_preserve_strides(x.t()[1:]), p.clone_preserve_strides(x.t()[1:]).storage_offset()
p.same_shape((2, 3), [2, 3]), p.same_shape((2,), (2, 1)), [k.name for k in p.REDUCTION_OUTPUT_TYPE_KIND]
[k.name for k in p.RETURN_TYPE]
"""


@pytest.mark.parametrize("expression", CHECKS.split("\n")[1:-1])
def test_a_check_is_torchs(expression, mt, oracle):
    def eval_expression(torch):
        dtypes = [torch.bool, torch.int8, torch.int64, torch.float16, torch.float64, torch.complex64]
        x, c = torch.arange(6.0).reshape(2, 3), torch.ones(3, dtype=torch.complex64)
        scope = {"torch": torch, "p": _import_prims_common(torch), "x": x, "y": torch.ones(4), "c": c, "dtypes": dtypes}
        return eval(expression, scope, scope)

    assert outcome(eval_expression, mt) == outcome(eval_expression, oracle)


@pytest.mark.parametrize("expression", SHAPES.split("\n")[1:-1])
def test_answers_are_torchs(expression, mt, oracle):
    def eval_helper(torch):
        tensors = [
            torch.ones(2, 3).t(),
            torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
            torch.ones(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d),
            torch.ones(2, 1, 1, 1),
            torch.ones(0, 3),
        ]
        names = ("bool", "uint8", "int64", "uint16", "float16", "bfloat16", "float32", "float64", "complex64")
        scope = {
            "torch": torch,
            "p": _import_prims_common(torch),
            "w": _import_prims_common(torch, "_prims_common.wrappers"),
        }
        dtypes = [getattr(torch, name) for name in names]
        return repr(eval(expression, {**scope, "tensors": tensors, "dtypes": dtypes}))

    assert outcome(eval_helper, mt) == outcome(eval_helper, oracle)


KINDS = ["DEFAULT", "NO_OPMATH", "INT_TO_FLOAT", "ALWAYS_BOOL", "COMPLEX_TO_FLOAT", "BOOL_TO_LONG"]


@pytest.mark.parametrize("kind", KINDS)
def test_dtypes_of_elementwise_operators_are_torchs(kind, mt, oracle):
    def promote_elementwise(torch):
        common = _import_prims_common(torch)
        promotion = common.ELEMENTWISE_TYPE_PROMOTION_KIND[kind]
        dtypes = (torch.bool, torch.int32, torch.float16, torch.float64, torch.complex64)
        given = [torch.ones(2, dtype=dtype) for dtype in dtypes] + [torch.ones((), dtype=dtype) for dtype in dtypes]
        given += [True, 2, 1.5, 1j, None]
        pairs = list(itertools.product(given, given))
        return [str(common.elementwise_dtypes(*pair, type_promotion_kind=promotion)) for pair in pairs]

    assert outcome(promote_elementwise, mt) == outcome(promote_elementwise, oracle)
