"""torch.testing._internal: tensors that log operators, and tensors of two tensors."""

import importlib

import pytest
from outcomes import outcome


def _import_internal_testing(torch, name):
    return importlib.import_module(f"{torch.__name__}.testing._internal.{name}")


def _log_logging_tensors(torch):
    logging_tensor = _import_internal_testing(torch, "logging_tensor")
    with logging_tensor.capture_logs() as lines:
        x = logging_tensor.LoggingTensor(torch.tensor([3.0]), requires_grad=True)
        logging_tensor.log_input("x", x)
        y = x * x
        torch.add(x, 2, alpha=3)
        torch.cat([x, x])
        torch.topk(x, 1)
        x.to(torch.int64)
        x.detach().view(1, 1)
        x[torch.tensor([0])]
    return lines, repr(x), type(y).__name__, y.requires_grad


def _log_logging_mode(torch):
    logging_tensor = _import_internal_testing(torch, "logging_tensor")
    with logging_tensor.capture_logs_with_logging_tensor_mode() as lines:
        torch.ones(2).add_(torch.ones(2))
        torch.ones(4).split(2)
    return lines


def _log_composite_operator(torch):
    logging_tensor = _import_internal_testing(torch, "logging_tensor")
    with logging_tensor.capture_logs() as lines:
        torch.linalg.norm(logging_tensor.LoggingTensorReentrant(torch.ones(2)))
    return [line.split(" = ")[0] for line in lines[:1]]


def _log_with_stack_frames(torch):
    logging_tensor = _import_internal_testing(torch, "logging_tensor")
    with logging_tensor.capture_logs(python_tb=True) as (lines, stacks):
        logging_tensor.LoggingTensor(torch.ones(1)) + 1
    frames = [(frame["name"], frame["line"] > 0) for frame in stacks[0] if frame["filename"] == __file__]
    return len(lines), len(stacks), frames[0]


@pytest.mark.parametrize(
    "log", [_log_logging_tensors, _log_logging_mode, _log_composite_operator, _log_with_stack_frames]
)
def test_logged_operators_are_torchs(log, mt, oracle):
    assert outcome(log, mt) == outcome(log, oracle)


PAIRS = """
TwoTensor(torch.ones(2, 2), torch.zeros(2, 2)) + 1
(TwoTensor(torch.ones(2), torch.zeros(2)) > 0).b
TwoTensor(torch.ones(2), torch.zeros(2)).sum().item()
TwoTensor(torch.ones(2), torch.zeros(2)).add_(1).b
TwoTensor(torch.ones(2), torch.zeros(2)).view(1, 2).detach()
TwoTensor(torch.ones(2), torch.zeros(2)).get_elem_a()
TwoTensor(torch.ones(2), torch.zeros(2)).__tensor_flatten__()
TwoTensor.__tensor_unflatten__({"a": torch.ones(2), "b": torch.zeros(2)}, None, torch.Size([2]), (1,))
TwoTensor.__tensor_unflatten__({"a": torch.ones(2), "b": torch.zeros(2)}, 3, torch.Size([2]), (1,))
TwoTensor.__tensor_unflatten__({"a": torch.ones(2), "b": torch.zeros(2)}, None, None, None)
TwoTensor(torch.ones(1), torch.ones(2))
TwoTensor(torch.ones(1), torch.ones(1, dtype=torch.double))
TwoTensor(torch.ones(2, 3).t(), torch.ones(3, 2))
TwoTensor(torch.ones(2, 2)[:, 0], torch.ones(2, 2)[:, 0]).stride()
torch.split(TwoTensor(torch.ones(2), torch.zeros(2)), 1)
torch.nn.functional.linear(TwoTensor(torch.ones(1, 1), torch.zeros(1, 1)), torch.ones(1, 1))
torch.utils._python_dispatch.is_traceable_wrapper_subclass(TwoTensor(torch.ones(1), torch.ones(1)))
"""


@pytest.mark.parametrize("expression", PAIRS.split("\n")[1:-1])
def test_two_tensors_compute_like_torchs(expression, mt, oracle):
    def compute_with_two_tensors(torch):
        names = {"torch": torch, "TwoTensor": _import_internal_testing(torch, "two_tensor").TwoTensor}
        return repr(eval(expression, names))

    assert outcome(compute_with_two_tensors, mt) == outcome(compute_with_two_tensors, oracle)


def test_a_mode_makes_new_tensors_pairs(mt, oracle):
    def make_tensors_in_mode(torch):
        with _import_internal_testing(torch, "two_tensor").TwoTensorMode():
            return repr(torch.ones(2) + 1)

    assert outcome(make_tensors_in_mode, mt) == outcome(make_tensors_in_mode, oracle)
