"""Wrapper subclasses whose sizes, strides, device and layout are answered by their __torch_dispatch__."""

import pytest
from outcomes import normalise

QUERIES = """
w.size()
w.size(1)
w.size(-1)
w.size(9)
w.shape
w.stride()
w.stride(1)
w.stride(9)
w.dim()
w.ndim
w.numel()
w.nelement()
w.storage_offset()
w.is_contiguous()
w.is_contiguous(memory_format=torch.channels_last)
w.device
w.is_cpu
w.is_meta
w.get_device()
w.layout
w.is_sparse
w.is_sparse_csr
w.nbytes
w.data_ptr() == 0
w.dtype
w.element_size()
len(w)
""".split("\n")[1:-1]
POLICIES = {
    "sizes": {"dispatch_sizes_strides_policy": "sizes"},
    "strides": {"dispatch_sizes_strides_policy": "strides"},
    "device": {"dispatch_device": True},
    "layout": {"dispatch_layout": True},
    "all": {"dispatch_sizes_strides_policy": "sizes", "dispatch_device": True, "dispatch_layout": True},
    "none": {},
}
ANSWERS = {
    "nothing": lambda torch, name: None,
    "not implemented": lambda torch, name: NotImplemented,
    "values": lambda torch, name: {
        "sym_size": (5, 3),
        "sym_stride": (9, 1),
        "sym_numel": 77,
        "numel": 77,
        "sym_storage_offset": 4,
        "dim": 2,
        "is_contiguous": False,
        "device": torch.device("meta"),
        "layout": torch.sparse_csr,
    }[name],
    "text": lambda torch, name: "x",
    "a list": lambda torch, name: [1, 2],
    "a number": lambda torch, name: 5,
}


def _observe_queries(torch, make, answer):
    """What each query gives, with the operators that were asked."""
    asked = []

    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            asked.append((str(func), [t.__name__ for t in types], len(args), kwargs))
            return answer(torch, func._opname)

    try:
        wrapper = make(torch, Wrapper)
    except Exception as error:
        return normalise(f"{type(error).__name__}: {error}")
    found = {}
    for query in QUERIES:
        try:
            found[query] = normalise(repr(eval(query, {"w": wrapper, "torch": torch})))
        except Exception as error:
            found[query] = normalise(f"{type(error).__name__}: {error}").replace(__name__, "")
        found[query] = found[query], list(asked)
        asked.clear()
    return found


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_wrappers_properties_are_what_its_dispatch_answers(policy, answer, mt, oracle):
    def make_wrapper(torch, cls):
        return torch.Tensor._make_wrapper_subclass(cls, (2, 3), **POLICIES[policy])

    assert _observe_queries(mt, make_wrapper, ANSWERS[answer]) == _observe_queries(
        oracle, make_wrapper, ANSWERS[answer]
    )


@pytest.mark.parametrize("policy", ["sizes", "strides", "all"])
def test_a_subclass_over_memory_is_asked_as_a_wrapper_is(policy, mt, oracle):
    def make_subclass_over_memory(torch, cls):
        return torch.Tensor._make_subclass(cls, torch.ones(3, 3), False, **POLICIES[policy])

    expected = _observe_queries(oracle, make_subclass_over_memory, ANSWERS["values"])
    del expected["w.data_ptr() == 0"]
    found = _observe_queries(mt, make_subclass_over_memory, ANSWERS["values"])
    assert {query: found[query] for query in expected} == expected


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
def test_a_wrapper_claims_the_layout_that_it_was_given(layout, mt, oracle):
    def describe_wrapper(torch):
        class Wrapper(torch.Tensor):
            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                return NotImplemented

        wrapper = torch.Tensor._make_wrapper_subclass(
            Wrapper, (2, 3), layout=getattr(torch, layout), dispatch_layout=layout == "sparse_csr"
        )
        return str(wrapper.is_sparse), str(wrapper.device), tuple(wrapper.shape)

    assert describe_wrapper(mt) == describe_wrapper(oracle)


def test_an_unknown_policy_is_refused(mt, oracle):
    def make_wrapper_of_unknown_policy(torch, cls):
        return torch.Tensor._make_wrapper_subclass(cls, (2,), dispatch_sizes_strides_policy="nonsense")

    assert _observe_queries(mt, make_wrapper_of_unknown_policy, ANSWERS["nothing"]) == _observe_queries(
        oracle, make_wrapper_of_unknown_policy, ANSWERS["nothing"]
    )


def test_a_mode_is_asked_before_the_class(same_as_oracle):
    same_as_oracle("""
import torch
from torch.utils._python_dispatch import TorchDispatchMode

class Wrapper(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print("class", func)
        return (7, 8)

class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("mode", func, types)
        return NotImplemented

wrapper = torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3), dispatch_sizes_strides_policy="sizes")
with Mode():
    print(wrapper.shape)
""")
