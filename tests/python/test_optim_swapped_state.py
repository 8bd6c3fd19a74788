"""swap_in_optimizer_params_and_state updates other parameters, restores the originals, and fails as in real torch."""

import pytest
from outcomes import close, result


def _step_with_swapped_state(torch, parameters=None, edit_state=None, state=None):
    p, q = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    p.sum().backward()
    optimizer.step()
    state = optimizer.state_dict() if state is None else state
    if edit_state is not None:
        edit_state(torch, state)
    parameters = {"q": q} if parameters is None else parameters
    with torch.optim.swap_in_optimizer_params_and_state(optimizer, parameters, state):
        q.sum().backward()
        optimizer.step()
    return [p, q, optimizer.param_groups[0]["params"][0] is p, optimizer.state_dict()]


def test_swapped_parameters_take_the_step(mt, oracle):
    assert close(result(_step_with_swapped_state, mt), result(_step_with_swapped_state, oracle))


EDITS = {
    "state is no dict": lambda t, s: s.update(state=1),
    "state by tensors": lambda t, s: s.update(state={t.ones(1): {}}),
    "state of numbers": lambda t, s: s.update(state={0: 1}),
    "state of an unknown id": lambda t, s: s["state"].update({7: {}}),
    "groups are no list": lambda t, s: s.update(param_groups={}),
    "too few groups": lambda t, s: s.update(param_groups=[]),
    "a group is no dict": lambda t, s: s.update(param_groups=[1]),
    "ids are no list": lambda t, s: s["param_groups"][0].update(params=1),
    "too many ids": lambda t, s: s["param_groups"][0].update(params=[0, 1]),
    "an unknown option": lambda t, s: s["param_groups"][0].update(other=1),
    "an option less": lambda t, s: s["param_groups"][0].pop("lr"),
}


@pytest.mark.parametrize("name", EDITS)
def test_state_that_does_not_fit_is_refused_as_torch_does(mt, oracle, name):
    ours = result(lambda t: _step_with_swapped_state(t, edit_state=EDITS[name]), mt)
    assert ours == result(lambda t: _step_with_swapped_state(t, edit_state=EDITS[name]), oracle)
    assert ours[0] == "RuntimeError"


@pytest.mark.parametrize("options", [{"parameters": {}}, {"state": 3}], ids=["too few parameters", "no state"])
def test_arguments_that_do_not_fit_are_refused_as_torch_does(mt, oracle, options):
    ours = result(lambda t: _step_with_swapped_state(t, **options), mt)
    assert ours == result(lambda t: _step_with_swapped_state(t, **options), oracle)
    assert ours[0] == "RuntimeError"
