"""MetaConverter: meta tensors with the layout, the views and the places in graphs of other tensors."""

import gc
import importlib

import pytest

CASES = """
torch.ones(2, 3)
torch.ones(2, 3, requires_grad=True)
torch.ones(2, 3, requires_grad=True) * 2
torch.ones(2, 3).t()
torch.ones(4, requires_grad=True)[1:]
(torch.ones(4, requires_grad=True) * 2)[1:]
torch.ones(8).view(2, 4).requires_grad_()
torch.ones(8).view(2, 4).requires_grad_().view(2, 2, 2)
torch.empty(2, 3, 4, 5, memory_format=torch.channels_last)
torch.empty(2, 3, 4, 5, memory_format=torch.channels_last, requires_grad=True) + 2
torch.empty_strided((2, 2), (4, 2), requires_grad=True)
torch.ones(4, dtype=torch.complex64).imag
torch.view_as_real(torch.ones(4, dtype=torch.complex64))
torch.ones(4, dtype=torch.complex64).conj()
torch.ones(4).view(torch.int32)
torch.ones(3).expand(2, 3)
torch.nn.Parameter(torch.ones(3))
torch.eye(3).to_sparse()
""".split("\n")[1:-1]


def _import_meta_utils(torch):
    return importlib.import_module(f"{torch.__name__}._subclasses.meta_utils")


def _describe_metadata(tensor):
    if tensor.is_sparse:
        return tensor.shape, tensor.sparse_dim(), tensor.is_coalesced()
    base = _describe_metadata(tensor._base) if tensor._is_view() else None
    grad = tensor.requires_grad, tensor.is_leaf
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), str(tensor.dtype)[-9:], grad, base


@pytest.mark.parametrize("case", CASES)
def test_a_tensor_is_converted_as_torch_converts_it(case, mt, oracle):
    def convert_and_describe(torch):
        tensor = eval(case, {"torch": torch})
        meta = _import_meta_utils(torch).MetaConverter()(tensor)
        _import_meta_utils(torch).assert_metadata_eq(_assert_equal, tensor, meta)
        return _describe_metadata(meta), meta.is_meta, isinstance(meta, torch.nn.Parameter)

    assert convert_and_describe(mt) == convert_and_describe(oracle)


def _assert_equal(one, other):
    assert one == other


def test_views_of_one_storage_share_their_meta_storage(mt, oracle):
    def convert_two_views(torch):
        base = torch.ones(4)
        convert = _import_meta_utils(torch).MetaConverter()
        one, other = convert(base[:2]), convert(base[2:])
        before = other._version
        one.add_(1)
        return other._version - before, convert(base) is one._base, one._base is other._base

    assert convert_two_views(mt) == convert_two_views(oracle)


def test_a_gradient_is_converted_with_its_leaf(mt):
    x = mt.ones(3, requires_grad=True)
    x.sum().backward()
    meta = _import_meta_utils(mt).MetaConverter()(x)
    assert meta.grad.is_meta
    assert meta.grad.shape == (3,)


def test_the_graph_of_a_converted_tensor_is_left_behind(mt):
    meta = _import_meta_utils(mt).MetaConverter()(mt.ones(3, requires_grad=True) * 2)
    assert mt.autograd.grad((meta * 2).sum(), meta)[0].is_meta
    with pytest.raises(RuntimeError, match="graph was left behind"):
        meta.sum().backward()


def test_the_converter_keeps_no_tensor(mt, oracle):
    def count_kept_tensors(torch):
        convert = _import_meta_utils(torch).MetaConverter()
        x = torch.ones(4)
        y = convert(x)
        kept = [convert(x) is y, len(convert.tensor_memo), len(convert.describer.lookup_tensor)]
        del x
        gc.collect()
        kept.append(len(convert.describer.lookup_tensor))
        del y
        gc.collect()
        return [*kept, len(convert.tensor_memo), convert.successful(), convert("text")]

    assert count_kept_tensors(mt) == count_kept_tensors(oracle)


def test_differences_are_found(mt):
    compare = _import_meta_utils(mt).assert_metadata_eq
    for one, other in ((mt.ones(2), mt.ones(3)), (mt.ones(2, 2), mt.ones(2, 2).t()), (mt.ones(2), mt.ones(2).double())):
        with pytest.raises(AssertionError):
            compare(_assert_equal, one, other)
