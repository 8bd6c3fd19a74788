"""Makes the generated calls of one operator on both libraries and collects the differences."""

import pytest
from carried import Carrier
from generated import copy_arguments, get_by_path, list_operator_paths, yield_calls
from harness import Tensor, find_outcome_difference, record_outcome


def has_operator(mt, name):
    """Whether the library has the operator."""
    try:
        return callable(get_by_path(mt, name))
    except AttributeError:
        return False


def skip_unless_all_forms_exist(torch, mt, name):
    """The library must have each form that torch has: function, method and in-place form."""
    theirs = list(list_operator_paths(torch, name))
    if not theirs:
        pytest.skip("torch has neither a function nor a method of that name")
    for path in theirs:
        if not has_operator(mt, path):
            pytest.skip(f"not in the library: {path}")


def fill_freed_memory(torch, number):
    """Fills freed memory of many sizes with `number`, so that uninitialised results differ each time."""
    for size in (1, 4, 16, 64, 256, 1024):
        [torch.full((size,), number, dtype=torch.float32) for _ in range(4)]


def list_leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in list_leaves(part)] if isinstance(value, list) else [value]


def reads_values_of_meta_tensor(theirs):
    """Whether torch computed elements from a meta tensor, which has none: their values are undefined."""
    devices = {leaf.facts["device"] for leaf in list_leaves(theirs.arguments) if isinstance(leaf, Tensor)}
    results = [leaf.facts["device"] for leaf in list_leaves(theirs.value) if isinstance(leaf, Tensor)]
    return {"cpu", "meta"} <= devices and "cpu" in results


def find_differences(
    torch, mt, operator, most_samples=1, is_wanted=lambda call: True, note_call=lambda side, call: None
):
    """Returns the number of calls on both libraries, and pairs of a call and its difference. note() is told which
    library makes which call next."""
    carrier, count, found = Carrier(torch, mt), 0, []
    for call in filter(is_wanted, yield_calls(torch, operator, most_samples)):
        given = copy_arguments(torch, (call.args, call.kwargs))
        try:
            carried = carrier(given)
        except LookupError:
            continue
        again = copy_arguments(torch, given)
        note_call("torch", call)
        fill_freed_memory(torch, 1.0)
        theirs = run_call(torch, call.path, given)
        fill_freed_memory(torch, 2.0)
        if find_outcome_difference(run_call(torch, call.path, again), theirs) is not None:
            continue  # torch's two results differ: uninitialised memory
        if reads_values_of_meta_tensor(theirs):
            run_call(mt, call.path, carried)  # it must not raise; its text does not matter
            continue
        count += 1
        note_call("ours", call)
        difference = find_outcome_difference(run_call(mt, call.path, carried), theirs)
        if difference is not None:
            found.append((call, difference))
    return count, found


def run_call(torch, path, arguments):
    args, kwargs = arguments
    torch.manual_seed(7)
    return record_outcome(torch, lambda: get_by_path(torch, path)(*args, **kwargs), arguments)
