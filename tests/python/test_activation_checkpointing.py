"""torch.distributed.algorithms._checkpoint: modules that compute their activations again."""

import importlib

import pytest
from outcomes import outcome


def _wrappers(torch):
    return importlib.import_module(f"{torch.__name__}.distributed.algorithms._checkpoint.checkpoint_wrapper")


def _model(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Sequential(torch.nn.Linear(3, 2)))


def _wrap_linear(torch, **options):
    model = _model(torch)
    _wrappers(torch).apply_activation_checkpointing(
        model, check_fn=lambda module: isinstance(module, torch.nn.Linear), **options
    )
    return model


def _names(torch):
    model = _wrap_linear(torch)
    alone = _wrappers(torch).checkpoint_wrapper(torch.nn.Linear(2, 2))
    names = [name for name, _ in model.named_parameters()], list(model.state_dict()), repr(model)
    return names, [name for name, _ in alone.named_parameters()], list(alone.state_dict()), tuple(alone.weight.shape)


def _files(torch):
    plain, wrapped = _model(torch), _wrap_linear(torch)
    plain[0].weight.data.fill_(5.0)
    results = [str(wrapped.load_state_dict(plain.state_dict())), str(plain.load_state_dict(wrapped.state_dict()))]
    return results, wrapped[0].weight.sum().item()


def _gradients(torch, implementation):
    model = _model(torch)
    wrappers = _wrappers(torch)
    calls = []
    model[2][0].register_forward_hook(lambda *_: calls.append(1))
    model[2] = wrappers.checkpoint_wrapper(model[2], wrappers.CheckpointImpl[implementation])
    x = torch.ones(1, 2, requires_grad=True)
    model(x).sum().backward()
    return x.grad, model[0].weight.grad, len(calls)


def _policy(torch):
    policy = importlib.import_module(f"{torch.__name__}.distributed.fsdp.wrap").ModuleWrapPolicy({torch.nn.Sequential})
    model = _model(torch)
    _wrappers(torch).apply_activation_checkpointing(model, auto_wrap_policy=policy)
    return repr(model)


def _other_function(torch):
    calls = []

    def run(module, *args, **options):
        calls.append((type(module).__name__, options))
        return module(*args)

    wrapped = _wrappers(torch).checkpoint_wrapper(torch.nn.Linear(2, 2), checkpoint_fn=run, extra=1)
    return tuple(wrapped(torch.ones(1, 2)).shape), calls


CASES = {
    "names": _names,
    "files": _files,
    "reentrant": lambda torch: _gradients(torch, "REENTRANT"),
    "not reentrant": lambda torch: _gradients(torch, "NO_REENTRANT"),
    "policy": _policy,
    "another function": _other_function,
    "items": lambda torch: repr(_wrappers(torch).checkpoint_wrapper(_model(torch))[0]),
    "absent": lambda torch: _wrappers(torch).checkpoint_wrapper(_model(torch)).absent,
    "abstract": lambda torch: _wrappers(torch).ActivationWrapper(torch.nn.ReLU()),
    "offload": lambda torch: repr(_wrappers(torch).offload_wrapper(torch.nn.ReLU())),
}


@pytest.mark.parametrize("name", CASES)
def test_wrapped_modules_are_torchs(name, mt, oracle):
    assert outcome(CASES[name], mt) == outcome(CASES[name], oracle)
