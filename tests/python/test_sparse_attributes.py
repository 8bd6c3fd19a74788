"""Sparse tensors in Python: repr, attributes, types, numbers, and missing attributes, as in torch."""

import numpy
import pytest
from beside import outcome, repr_after_statement


@pytest.fixture
def assert_same_outcome(mt, oracle):
    def compare_expression(expression):
        assert describe_expression(mt, expression) == describe_expression(oracle, expression)

    return compare_expression


def describe_expression(torch, expression):
    """The value, representation or error; `s`, `h`, `c`, `b` and `d` are tensors of several layouts."""
    d = torch.tensor([[1.0, 0, 2], [0, 0, 3]])
    values = {
        "np": numpy,
        "L": torch.tensor,
        "d": d,
        "s": torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (3, 2)),
        "h": torch.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]], (3, 2)),
        "c": d.to_sparse_csr(),
        "b": torch.ones(4, 4).to_sparse_bsr((2, 2)),
        "one": lambda *values, **options: torch.sparse_coo_tensor([[0] * len(values)], [*values], (1,), **options),
    }
    return outcome(torch, expression, values)[0]


@pytest.mark.parametrize(
    "tensor",
    [
        "s",
        "h",
        "c",
        "b",
        "s.coalesce()",
        "s.double()",
        "s.int()",
        "s.bool()",
        "s.to(torch.cfloat)",
        "s.to(torch.cdouble).requires_grad_()",
        "s.requires_grad_()",
        "s.requires_grad_().coalesce()",
        "c.double().requires_grad_()",
        "d.to_sparse_csc()",
        "torch.ones(4, 4).to_sparse_bsc((2, 2))",
        "torch.ones(40, 40).to_sparse_csr()",
        "torch.ones(2, 3, 3).to_sparse_csr()",
        "torch.sparse_coo_tensor([[0, 1]], torch.arange(2 * 30 * 40.).reshape(2, 30, 40), (3, 30, 40))",
        "torch.sparse_coo_tensor(torch.arange(2000).reshape(2, 1000), torch.arange(1000.), (2000, 2000))",
        "torch.sparse_coo_tensor(torch.arange(200).reshape(2, 100), torch.arange(100.) / 7, (2000, 2000))",
        "torch.sparse_coo_tensor((0, 3))",
        "torch.sparse_coo_tensor(())",
        "torch.sparse_coo_tensor((2, 3), dtype=torch.float64)",
        "torch.sparse_coo_tensor((2, 3), dtype=torch.int64)",
        "torch.sparse_coo_tensor(torch.empty(0, 3), [1, 2, 3], ())",
        "torch.sparse_coo_tensor((2, 3), device='meta', dtype=torch.float16, requires_grad=True)",
        "c.to('meta')",
        "one(float('nan'))",
        "[s, d]",
        "{'a': s}",
        "str(s)",
        "'%s' % s",
        "'{}'.format(s)",
        "f'{s:>5}'",
        "torch.nn.Parameter(s)",
        "torch.nn.Parameter(c)",
        "torch.nn.Buffer(s)",
        "s.__repr__(tensor_contents='x')",
        "torch._tensor_str._str(s)",
    ],
)
def test_repr_shows_its_components(assert_same_outcome, tensor):
    assert_same_outcome(tensor)


@pytest.mark.parametrize(
    "options",
    [
        "precision=2, edgeitems=1, threshold=5, linewidth=40",
        "sci_mode=True",
        "profile='full'",
        "profile='short'",
    ],
)
def test_print_options_apply_to_components(mt, oracle, options):
    tensor = (
        "torch.sparse_coo_tensor(torch.arange(40).reshape(2, 20), torch.arange(20.) / 3, (50, 50)).requires_grad_()"
    )
    shown = []
    for torch in (mt, oracle):
        with eval(f"torch._tensor_str.printoptions({options})", {"torch": torch}):
            shown.append(outcome(torch, tensor)[0])
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    "expression",
    [
        "s.stride(), s.stride(0), s.stride(-1)",
        "s.stride(5)",
        "c.stride()",
        "c.stride(0)",
        "b.stride()",
        "d.to_sparse_csc().stride()",
        "b.is_contiguous()",
        "torch.ops.aten.alias(b)",
        "list(c)",
        "s.is_contiguous()",
        "s.is_contiguous(memory_format=torch.channels_last)",
        "c.is_contiguous()",
        "s.contiguous()",
        "c.contiguous()",
        "s.storage_offset(), c.storage_offset()",
        "s.storage()",
        "c.storage()",
        "s.untyped_storage()",
        "s.storage_type()",
        "s.share_memory_()",
        "s.is_shared()",
        "c.is_shared()",
        "s.data_ptr()",
        "c.data_ptr()",
        "s.is_pinned(), c.is_pinned()",
        "s.pin_memory()",
        "s.tolist()",
        "s.numpy()",
        "c.numpy()",
        "s.numpy(force=True)",
        "s.__array__()",
        "s.requires_grad_().numpy()",
        "np.asarray(s)",
        "s.__dlpack__()",
        "c.__dlpack__()",
        "torch.utils.dlpack.to_dlpack(s)",
        "s.__dlpack_device__()",
        "s.nbytes",
        "s.itemsize, s.element_size(), s.numel(), s.nelement(), s.dim(), s.ndim, s.shape, s.size(), s.size(0)",
        "s.is_sparse, s.is_sparse_csr, s.layout, s.is_mkldnn, s.is_meta, s.is_cpu",
        "c.is_sparse, c.is_sparse_csr, c.layout, d.to_sparse_csc().is_sparse_csr",
        "s.dim_order()",
        "c.dim_order()",
        "s.__cuda_array_interface__",
        "s.data",
        "s._version, s.is_leaf, s.output_nr, s._base, s._is_view(), s.grad",
        "s.get_device(), s.device",
        "s.cpu() is s, s.to('cpu') is s, s.to(torch.float32) is s",
        "s[...]",
        "s.as_subclass(torch.Tensor)",
        "torch.ops.aten.alias(s)",
        "torch.Tensor(s)",
        "torch.FloatTensor(s)",
    ],
)
def test_attributes_and_missing_attributes_match_torch(assert_same_outcome, expression):
    assert_same_outcome(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "s.to('meta')",
        "c.to('meta')",
        "h.to('meta')",
        "s.to('meta').is_coalesced()",
        "s.to(torch.float64)",
        "s.to(torch.float64).is_coalesced(), s.coalesce().to(torch.float64).is_coalesced()",
        "s.to(L([1], dtype=torch.int8))",
        "s.to(torch.float64, memory_format=torch.preserve_format)",
        "s.to(torch.float64, memory_format=torch.contiguous_format)",
        "c.to(torch.float64, memory_format=torch.channels_last)",
        "s.clone(memory_format=torch.preserve_format)",
        "s.clone(memory_format=torch.contiguous_format)",
        "s.type_as(L([1.], dtype=torch.float64))",
        "s.type_as(L([1.], dtype=torch.float64).to_sparse())",
        "c.type_as(L([1.], dtype=torch.float64))",
        "torch.tensor(s)",
        "torch.tensor(s, dtype=torch.float64)",
        "torch.tensor(s, requires_grad=True)",
        "torch.tensor([s, s])",
        "torch.tensor([s.sum(), 1])",
        "torch.as_tensor(s) is s",
        "torch.as_tensor(s, dtype=torch.float64)",
        "torch.asarray(s) is s",
        "torch.asarray(s, copy=True)",
        "torch.asarray(s, dtype=torch.float64, copy=False)",
        "s.new()",
        "s.new(2, 3)",
        "s.new((2, 3))",
        "s.new(L([[0, 1]]), L([1., 2.]))",
        "s.new(L([[0, 1]]), L([1, 2]), [4])",
        "s.new(s)",
        "s.new([[0, 1]], [1.])",
        "s.new('a')",
        "d.new(s)",
        "c.new()",
        "s.new_tensor([1, 2])",
        "s.new_tensor(s)",
        "c.new_tensor([1.])",
    ],
)
def test_other_tensors_made_of_it(assert_same_outcome, expression):
    assert_same_outcome(expression)


@pytest.mark.parametrize(
    "number",
    [
        "one(3.)",
        "one(1., 2.)",
        "one(True, True)",
        "one(1, 2j)",
        "one(1., 2., dtype=torch.half)",
        "one(1., requires_grad=True)",
    ],
)
def test_one_element_is_a_number(assert_same_outcome, number):
    assert_same_outcome(f"{number}.item()")
    assert_same_outcome(f"complex({number})")
    assert_same_outcome(f"float({number})")
    assert_same_outcome(f"bool({number})")


@pytest.mark.parametrize(
    "expression",
    [
        "torch.sparse_coo_tensor((1,)).item()",
        "torch.sparse_coo_tensor((1,), dtype=torch.bool).item()",
        "torch.sparse_coo_tensor((1,), device='meta').item()",
        "torch.sparse_coo_tensor((0,)).item()",
        "torch.sparse_coo_tensor([[0, 0]], [[1], [2]], (1, 1)).item()",
        "s.item()",
        "torch.ones(1, 1).to_sparse_csr().item()",
        "[1, 2, 3][one(1)]",
        "torch.is_nonzero(one(3.))",
        "bool(s)",
        "f'{s:.2f}'",
        "f'{torch.sparse_coo_tensor(()):.2f}'",
        "len(s), len(c)",
        "len(torch.sparse_coo_tensor(()))",
        "list(s)",
        "list(torch.sparse_coo_tensor([[0, 1]], [1., 2.], (3,)))",
        "1. in s",
        "s in [s]",
        "hash(s) == id(s)",
        "dir(s) == dir(d)",
    ],
)
def test_numbers_lengths_and_iteration(assert_same_outcome, expression):
    assert_same_outcome(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "torch.sparse.FloatTensor",
        "type(torch.sparse.FloatTensor)",
        "torch.sparse.FloatTensor()",
        "torch.sparse.FloatTensor(2, 3)",
        "torch.sparse.FloatTensor((2, 3))",
        "torch.sparse.FloatTensor(torch.Size([2]))",
        "torch.sparse.FloatTensor(L([[0, 1]]), L([1., 2.]))",
        "torch.sparse.FloatTensor(L([[0, 1]]), L([1, 2]), [3])",
        "torch.sparse.FloatTensor(L([[0, 1]]), L([1., 2]), [1])",
        "torch.sparse.FloatTensor([[0, 1]], [1., 2.])",
        "torch.sparse.FloatTensor(L([[0, 1]]), L([1., 2]), [3], device='meta')",
        "torch.sparse.FloatTensor(s)",
        "torch.sparse.FloatTensor('a')",
        "[getattr(torch.sparse.FloatTensor, n) for n in 'dtype layout is_sparse is_sparse_csr is_cuda'.split()]",
        "torch.sparse.FloatTensor.__module__, torch.sparse.FloatTensor.__name__",
        "[n for n in dir(torch.sparse) if 'Tensor' in n]",
        "isinstance(s, torch.sparse.FloatTensor), isinstance(d, torch.sparse.FloatTensor)",
        "isinstance(s, torch.FloatTensor)",
        "isinstance(s, torch.sparse.DoubleTensor), isinstance(c, torch.sparse.FloatTensor)",
        "issubclass(torch.sparse.FloatTensor, torch.Tensor)",
        "s.type(), s.double().type(), s.bool().type(), s.to(torch.cfloat).type()",
        "c.type()",
        "s.type('torch.sparse.DoubleTensor')",
        "s.type('torch.DoubleTensor')",
        "d.type('torch.sparse.FloatTensor')",
        "s.type(torch.sparse.DoubleTensor)",
        "s.type('torch.sparse.FloatTensor') is s",
        "s.type('torch.sparse.FooTensor')",
        "c.type('torch.DoubleTensor')",
        "torch.set_default_tensor_type('torch.sparse.FloatTensor')",
        "torch.set_default_tensor_type(torch.sparse.FloatTensor)",
    ],
)
def test_types_by_name(assert_same_outcome, expression):
    assert_same_outcome(expression)


@pytest.mark.parametrize(
    "statement",
    [
        "t[0] = 1.",
        "t[...] = t",
        "t[0] = 'a'",
        "del t[0]",
        "t.data = torch.ones(3)",
        "t.data = torch.sparse_coo_tensor((2, 2))",
        "t.grad = torch.ones(3, 2)",
        "t.grad = t.clone(); t = t.grad",
        "t.grad = torch.sparse_coo_tensor((2, 2))",
        "t = torch.ones(3, 2); t.grad = torch.sparse_coo_tensor((3, 2)); t = t.grad",
        "t = torch.ones(2, 2); t.grad = torch.ones(2, 2).to_sparse_csr()",
        "t = torch.ones(3, 2); t.data = torch.sparse_coo_tensor((3, 2))",
        "t = torch.ones(2, 2).to_sparse_csr(); t[0] = 1",
        "u = torch.ones(2); torch.utils.swap_tensors(t, u); t = [t, u]",
    ],
)
def test_assignable_attributes_match_torch(mt, oracle, statement):
    made = "torch.sparse_coo_tensor([[0, 1], [1, 0]], [1., 2.], (3, 2))"
    assert repr_after_statement(mt, statement, t=made) == repr_after_statement(oracle, statement, t=made)


def test_components_are_shared_by_detach_and_data_and_copied_by_clone(mt):
    s = mt.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,))
    place = s._values().data_ptr()
    assert s.detach()._values().data_ptr() == s.data._values().data_ptr() == place
    assert s.clone()._values().data_ptr() != place and s.to(mt.float32, copy=True)._values().data_ptr() != place
