"""Makes the generated calls of one operator on both libraries and collects the differences."""

import pytest
from carried import Carrier
from generated import calls, copied, find, paths
from harness import Tensor, outcome_differs, run


def exists(mt, name):
    """Whether the library has the operator."""
    try:
        return callable(find(mt, name))
    except AttributeError:
        return False


def skip_unless_offered(torch, mt, name):
    """The library must have each form that torch has: function, method and in-place form."""
    theirs = list(paths(torch, name))
    if not theirs:
        pytest.skip("torch has neither a function nor a method of that name")
    for path in theirs:
        if not exists(mt, path):
            pytest.skip(f"not in the library: {path}")


def stir(torch, number):
    """Fills freed memory of many sizes with `number`, so that uninitialised results differ each time."""
    for size in (1, 4, 16, 64, 256, 1024):
        [torch.full((size,), number, dtype=torch.float32) for _ in range(4)]


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, list) else [value]


def reads_no_memory(theirs):
    """Whether torch computed elements from a meta tensor, which has none: their values are undefined."""
    devices = {leaf.facts["device"] for leaf in leaves(theirs.arguments) if isinstance(leaf, Tensor)}
    results = [leaf.facts["device"] for leaf in leaves(theirs.value) if isinstance(leaf, Tensor)]
    return {"cpu", "meta"} <= devices and "cpu" in results


def differences(torch, mt, operator, most_samples=1, wanted=lambda call: True, note=lambda side, call: None):
    """Returns the number of calls on both libraries, and pairs of a call and its difference. note() is told which
    library makes which call next."""
    carrier, count, found = Carrier(torch, mt), 0, []
    for call in filter(wanted, calls(torch, operator, most_samples)):
        given = copied(torch, (call.args, call.kwargs))
        try:
            carried = carrier(given)
        except LookupError:
            continue
        again = copied(torch, given)
        note("torch", call)
        stir(torch, 1.0)
        theirs = outcome(torch, call.path, given)
        stir(torch, 2.0)
        if outcome_differs(outcome(torch, call.path, again), theirs) is not None:
            continue  # torch's two results differ: uninitialised memory
        if reads_no_memory(theirs):
            outcome(mt, call.path, carried)  # it must not raise; its text does not matter
            continue
        count += 1
        note("ours", call)
        difference = outcome_differs(outcome(mt, call.path, carried), theirs)
        if difference is not None:
            found.append((call, difference))
    return count, found


def outcome(torch, path, given):
    args, kwargs = given
    torch.manual_seed(7)
    return run(torch, lambda: find(torch, path)(*args, **kwargs), given)
