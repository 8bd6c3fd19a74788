"""torch.distributed.algorithms._checkpoint: modules that compute their activations again."""

import importlib

import pytest
from outcomes import outcome


def _import_checkpoint_wrapper(torch):
    return importlib.import_module(f"{torch.__name__}.distributed.algorithms._checkpoint.checkpoint_wrapper")


def _make_model(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Sequential(torch.nn.Linear(3, 2)))


def _wrap_linear(torch, **options):
    model = _make_model(torch)
    _import_checkpoint_wrapper(torch).apply_activation_checkpointing(
        model, check_fn=lambda module: isinstance(module, torch.nn.Linear), **options
    )
    return model


def _list_parameter_names(torch):
    model = _wrap_linear(torch)
    alone = _import_checkpoint_wrapper(torch).checkpoint_wrapper(torch.nn.Linear(2, 2))
    names = [name for name, _ in model.named_parameters()], list(model.state_dict()), repr(model)
    return names, [name for name, _ in alone.named_parameters()], list(alone.state_dict()), tuple(alone.weight.shape)


def _load_between_wrapped_and_plain(torch):
    plain, wrapped = _make_model(torch), _wrap_linear(torch)
    plain[0].weight.data.fill_(5.0)
    results = [str(wrapped.load_state_dict(plain.state_dict())), str(plain.load_state_dict(wrapped.state_dict()))]
    return results, wrapped[0].weight.sum().item()


def _compute_gradients(torch, implementation):
    model = _make_model(torch)
    wrappers = _import_checkpoint_wrapper(torch)
    calls = []
    model[2][0].register_forward_hook(lambda *_: calls.append(1))
    model[2] = wrappers.checkpoint_wrapper(model[2], wrappers.CheckpointImpl[implementation])
    x = torch.ones(1, 2, requires_grad=True)
    model(x).sum().backward()
    return x.grad, model[0].weight.grad, len(calls)


def _wrap_by_policy(torch):
    policy = importlib.import_module(f"{torch.__name__}.distributed.fsdp.wrap").ModuleWrapPolicy({torch.nn.Sequential})
    model = _make_model(torch)
    _import_checkpoint_wrapper(torch).apply_activation_checkpointing(model, auto_wrap_policy=policy)
    return repr(model)


def _wrap_with_own_checkpoint_function(torch):
    calls = []

    def record_and_call(module, *args, **options):
        calls.append((type(module).__name__, options))
        return module(*args)

    wrapped = _import_checkpoint_wrapper(torch).checkpoint_wrapper(
        torch.nn.Linear(2, 2), checkpoint_fn=record_and_call, extra=1
    )
    return tuple(wrapped(torch.ones(1, 2)).shape), calls


CASES = {
    "names": _list_parameter_names,
    "files": _load_between_wrapped_and_plain,
    "reentrant": lambda torch: _compute_gradients(torch, "REENTRANT"),
    "not reentrant": lambda torch: _compute_gradients(torch, "NO_REENTRANT"),
    "policy": _wrap_by_policy,
    "another function": _wrap_with_own_checkpoint_function,
    "items": lambda torch: repr(_import_checkpoint_wrapper(torch).checkpoint_wrapper(_make_model(torch))[0]),
    "absent": lambda torch: _import_checkpoint_wrapper(torch).checkpoint_wrapper(_make_model(torch)).absent,
    "abstract": lambda torch: _import_checkpoint_wrapper(torch).ActivationWrapper(torch.nn.ReLU()),
    "offload": lambda torch: repr(_import_checkpoint_wrapper(torch).offload_wrapper(torch.nn.ReLU())),
}


@pytest.mark.parametrize("name", CASES)
def test_wrapped_modules_are_torchs(name, mt, oracle):
    assert outcome(CASES[name], mt) == outcome(CASES[name], oracle)
