"""Makes the generated calls of one operator on both libraries and collects what differs."""

from generated import calls, copied, find
from harness import outcome_differs, run


def exists(mt, name):
    """Whether the library has the operator at all."""
    try:
        return callable(find(mt, name))
    except AttributeError:
        return False


def differences(torch, mt, carrier, operator, most_samples=1, note=lambda side, call: None):
    """(number of calls made on both, [(call, difference)]); note() hears which library is about to make which call."""
    count, found = 0, []
    for call in calls(torch, operator, most_samples):
        given = copied(torch, (call.args, call.kwargs))
        try:
            carried = carrier(given)
        except LookupError:
            continue
        again = copied(torch, given)
        note("torch", call)
        theirs = outcome(torch, call.path, given)
        if outcome_differs(outcome(torch, call.path, again), theirs) is not None:
            continue  # torch itself does not answer the same twice: memory that nothing wrote
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
