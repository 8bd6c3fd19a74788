"""torch.fx.operator_schemas: signatures of operators, types of arguments, and calls that write."""

import typing

import pytest
from outcomes import outcome


def _format_signatures(torch, function):
    found = torch.fx.operator_schemas.get_signature_for_torch_op(function)
    return found and [str(signature).replace("mindtorch._tree", "torch") for signature in found]


# Operators without overloads for Python's numbers, which only torch has (DIFFERENCES.md).
FUNCTIONS = {
    "relu": lambda torch: torch.relu,
    "conv2d": lambda torch: torch.conv2d,
    "gelu": lambda torch: torch._C._nn.gelu,
    "cat": lambda torch: torch.cat,
    "randn": lambda torch: torch.randn,
    "topk": lambda torch: torch.topk,
    "linalg.norm": lambda torch: torch.linalg.norm,
    "fft": lambda torch: torch.fft.fft,
    "a method": lambda torch: torch.Tensor.add,
    "a Python function": lambda torch: torch.nn.functional.relu,
    "another builtin": lambda torch: len,
    "an overload": lambda torch: torch.ops.aten.add.Tensor,
    "an operator": lambda torch: torch.ops.aten.relu,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_of_operators_are_torchs(name, mt, oracle):
    assert _format_signatures(mt, FUNCTIONS[name](mt)) == _format_signatures(oracle, FUNCTIONS[name](oracle))


TYPES = [
    (int, int),
    (int, float),
    (typing.List[int], int),  # noqa: UP006
    (typing.List[int], list[int]),  # noqa: UP006
    (typing.List[int], tuple[int, ...]),  # noqa: UP006
    (typing.List[int], tuple[int, str]),  # noqa: UP006
    (typing.List[float], list[int]),  # noqa: UP006
    (typing.List[typing.Optional[int]], list[int]),  # noqa: UP006, UP045
    (typing.Optional[int], int),  # noqa: UP045
    (typing.Optional[int], type(None)),  # noqa: UP045
    (float, typing.Union[int, float]),  # noqa: UP007
    (typing.Any, int),
    (bool, int),
    (int, bool),
]


@pytest.mark.parametrize("kinds", TYPES, ids=str)
def test_which_types_an_operator_takes_is_as_in_torch(kinds, mt, oracle):
    def match_types(torch):
        return torch.fx.operator_schemas.type_matches(*kinds)

    assert outcome(match_types, mt) == outcome(match_types, oracle)


@pytest.mark.parametrize(
    "value", [[], (), [int, int], (int, str), [bool, int], [object, int], [1, 2.0], 3, "x", [[int]]]
)
def test_a_type_hint_names_the_class_that_contains_all_others(value, mt, oracle):
    def find_widest_hint(torch):
        return str(torch.fx.operator_schemas.create_type_hint(value))

    assert outcome(find_widest_hint, mt) == outcome(find_widest_hint, oracle)


def test_arguments_of_builtin_functions_get_their_names(mt, oracle):
    def name_arguments(torch):
        ones = torch.ones(2)
        found = torch.fx.operator_schemas.normalize_function(
            torch.topk, (ones, 1), {"dim": 0}, normalize_to_only_use_kwargs=True
        )
        return found.args, {name: value for name, value in found.kwargs.items() if value is not ones}

    assert outcome(name_arguments, mt) == outcome(name_arguments, oracle)


@pytest.mark.parametrize("second", [float, "Tensor"])
def test_types_choose_one_of_several_overloads(second, mt, oracle):
    def choose_overload(torch):
        kinds = (torch.Tensor, torch.Tensor if second == "Tensor" else second)
        arguments = (torch.ones(2), 1.0)
        chosen = torch.fx.operator_schemas.normalize_function(torch.bernoulli, arguments, {}, kinds, {}, True)
        return list(chosen.kwargs)

    assert outcome(choose_overload, mt) == outcome(choose_overload, oracle)
    with pytest.raises(RuntimeError, match="the schema match was ambiguous"):
        mt.fx.operator_schemas.normalize_function(mt.add, (mt.ones(2), 1), {})


CALLS = {
    "reads": lambda torch: lambda x: torch.relu(x),
    "writes": lambda torch: lambda x: torch.relu_(x),
    "several overloads": lambda torch: lambda x: torch.add(x, x, out=x),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_tracer_can_refuse_operators_that_write(name, mt, oracle):
    def trace_refusing_writes(torch):
        class Strict(torch.fx.Tracer):
            check_mutable_operations = True

        return [node.op for node in Strict().trace(CALLS[name](torch)).nodes]

    assert outcome(trace_refusing_writes, mt) == outcome(trace_refusing_writes, oracle)
