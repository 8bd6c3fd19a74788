"""Every optimizer has real torch's parameters, state, groups and texts."""

import copy
from importlib import import_module

import pytest
from outcomes import close, normalise, outcome, plain, result

OPTIONS = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"maximize": True}],
    "Adam": [{}, {"amsgrad": True, "weight_decay": 0.1}, {"betas": (0.5, 0.9), "maximize": True}, {"foreach": True}],
    "AdamW": [{}, {"amsgrad": True}, {"lr": 0.1, "weight_decay": 0.5}],
    "Adadelta": [{}, {"rho": 0.95, "weight_decay": 0.1}],
    "Adagrad": [{}, {"lr_decay": 0.5, "initial_accumulator_value": 0.1}],
    "Adamax": [{}, {"weight_decay": 0.1}],
    "ASGD": [{}, {"t0": 2, "lambd": 0.1}],
    "NAdam": [{}, {"momentum_decay": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}],
    "RAdam": [{}, {"betas": (0.5, 0.6), "weight_decay": 0.1}],
    "RMSprop": [{}, {"momentum": 0.5, "centered": True}],
    "Rprop": [{}, {"etas": (0.3, 1.5)}],
    "Adafactor": [{}, {"beta2_decay": -0.5, "weight_decay": 0.1}],
    "LBFGS": [{}, {"line_search_fn": "strong_wolfe", "max_iter": 5}],
    "Muon": [{}, {"nesterov": False, "adjust_lr_fn": "match_rms_adamw"}],
}


def _train(torch, name, options):
    """Returns parameters, state, groups and repr after five steps on a small function."""
    shapes = [(3, 4), (1, 5)] if name == "Muon" else [(3, 4), (5,)]
    params = []
    for i, shape in enumerate(shapes):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        start = torch.linspace(-1.0 + i, 1.0 + i, count, dtype=torch.float64)
        params.append(torch.nn.Parameter(start.reshape(shape)))
    optimizer = getattr(torch.optim, name)(params, **options)

    def closure():
        optimizer.zero_grad()
        loss = (params[0] ** 2).sum() + (params[1].sin() * params[1]).sum()
        loss = loss + params[0].sum() * params[1].sum() * 0.1
        loss.backward()
        return loss

    for _ in range(5):
        loss = optimizer.step(closure)
    saved = optimizer.state_dict()
    again = getattr(torch.optim, name)(params, **options)
    again.load_state_dict(copy.deepcopy(saved))
    return plain([params, saved, repr(again), loss], torch)


@pytest.mark.parametrize("name, options", [(n, o) for n, all_of in OPTIONS.items() for o in all_of])
def test_optimizer_is_torchs(mt, oracle, name, options):
    theirs = result(lambda t: _train(t, name, options), oracle)
    ours = result(lambda t: _train(t, name, options), mt)
    # Muon orthogonalises in bfloat16, whose products may be summed in another order.
    tolerance = 2e-2 if name == "Muon" else 1e-6
    assert close(ours, theirs, relative=tolerance, absolute=tolerance if name == "Muon" else 1e-9)


def _make_weight(t):
    return t.nn.Parameter(t.ones(2))


def _step_with_hooks(t):
    seen = []
    w = _make_weight(t)
    optimizer = t.optim.SGD([w], lr=0.1)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("after"))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("state"))
    optimizer.register_state_dict_post_hook(lambda o, s: {**s, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, s: seen.append(sorted(s)))
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
    handle = t.optim.optimizer.register_optimizer_step_pre_hook(lambda o, a, k: seen.append("all"))
    optimizer.step()
    handle.remove()
    optimizer.load_state_dict(optimizer.state_dict())
    return seen


def _import_optimizer_module(call):
    """torch.optim hides its modules' names; an import still finds them."""
    from importlib import import_module

    class View:
        def __init__(self, t):
            self.__dict__.update(nn=t.nn, ones=t.ones, float32=t.float32)
            self.optim = type("optim", (), {"SGD": t.optim.SGD})
            self.optim.optimizer = import_module(f"{t.__name__}.optim.optimizer")

    return lambda t: call(View(t))


SITUATIONS = {
    "no parameters": lambda t: t.optim.SGD([], lr=0.1),
    "a tensor": lambda t: t.optim.SGD(t.ones(1), lr=0.1),
    "a set": lambda t: t.optim.SGD([{"params": {_make_weight(t)}}], lr=0.1),
    "no tensor": lambda t: t.optim.SGD([3], lr=0.1),
    "no leaf": lambda t: t.optim.SGD([_make_weight(t) * 2], lr=0.1),
    "group that is no dict": lambda t: t.optim.SGD([_make_weight(t)], lr=0.1).add_param_group(3),
    "one parameter twice": lambda t: repr(t.optim.SGD([w := _make_weight(t), w], lr=0.1)),
    "one parameter in two groups": lambda t: t.optim.SGD([{"params": [w := _make_weight(t)]}, {"params": [w]}], lr=0.1),
    "names": lambda t: t.optim.SGD([("a", _make_weight(t)), ("b", _make_weight(t))], lr=0.1).state_dict(),
    "some names": lambda t: t.optim.SGD([("a", _make_weight(t)), _make_weight(t)], lr=0.1),
    "names in one group": lambda t: t.optim.SGD([("a", _make_weight(t))], lr=0.1).add_param_group(
        {"params": _make_weight(t)}
    ),
    "learning rate": lambda t: t.optim.SGD([_make_weight(t)], lr=-1),
    "momentum": lambda t: t.optim.SGD([_make_weight(t)], momentum=-1),
    "nesterov": lambda t: t.optim.SGD([_make_weight(t)], nesterov=True),
    "two implementations": lambda t: t.optim.Adam([_make_weight(t)], foreach=True, fused=True),
    "fused and differentiable": lambda t: t.optim.Adam([_make_weight(t)], differentiable=True, fused=True),
    "betas": lambda t: t.optim.Adam([_make_weight(t)], betas=(1.0, 0.9)),
    "betas of two kinds": lambda t: t.optim.Adam([_make_weight(t)], betas=(0.9, t.tensor(0.9))),
    "large rate": lambda t: t.optim.AdamW([_make_weight(t)], lr=t.ones(2)),
    "Rprop factors": lambda t: t.optim.Rprop([_make_weight(t)], etas=(1.0, 2.0)),
    "LBFGS groups": lambda t: t.optim.LBFGS([{"params": [_make_weight(t)]}, {"params": [_make_weight(t)]}]),
    "Muon of a vector": lambda t: t.optim.Muon([_make_weight(t)]),
    "other groups": lambda t: t.optim.SGD([_make_weight(t)]).load_state_dict({"state": {}, "param_groups": []}),
    "other sizes": lambda t: t.optim.SGD([_make_weight(t)]).load_state_dict(
        {"state": {}, "param_groups": [{"params": [0, 1]}]}
    ),
    "hooks": _import_optimizer_module(_step_with_hooks),
    "repr": lambda t: repr(t.optim.AdamW([{"params": [_make_weight(t)], "lr": 0.5}, {"params": [_make_weight(t)]}])),
    "zero_grad": lambda t: t.optim.SGD([_make_weight(t)]).zero_grad(),
    "public names": lambda t: sorted(name for name in dir(t.optim) if not name.startswith("_")),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_optimizer_refuses_and_behaves_as_torchs(mt, oracle, name):
    assert outcome(SITUATIONS[name], mt) == outcome(SITUATIONS[name], oracle)


def test_a_differentiable_step_has_a_gradient(mt, oracle):
    def differentiate_through_step(t):
        rate = t.tensor(0.1, requires_grad=True)
        weight = t.ones(2, requires_grad=True)
        moving = weight.clone()
        moving.retain_grad()
        moving.grad = t.full((2,), 3.0)
        t.optim.SGD([moving], lr=rate, differentiable=True).step()
        return t.autograd.grad(moving.sum(), [rate, weight])

    assert close(result(differentiate_through_step, mt), result(differentiate_through_step, oracle))


@pytest.mark.parametrize("name", OPTIONS)
def test_calls_that_do_not_fit_name_the_class(name, mt, oracle):
    calls = (
        lambda optimizer: optimizer.step(None, None),
        lambda optimizer: optimizer.step(nothing=1),
        lambda optimizer: type(optimizer).step(),
        lambda optimizer: optimizer.__setstate__(),
    )
    for call in calls:
        ours, theirs = (
            outcome(lambda t, f=call: f(getattr(t.optim, name)([t.ones(2, 2, requires_grad=True)])), torch)
            for torch in (mt, oracle)
        )
        assert ours == theirs


@pytest.mark.parametrize(
    "name",
    "Args Kwargs StateDict DeviceDict DeviceDtypeDict Indices TensorListList ParamsT GlobalOptimizerPreHook "
    "GlobalOptimizerPostHook".split(),
)
def test_annotations_have_torchs_types(mt, oracle, name):
    ours, theirs = (getattr(import_module(f"{t.__name__}.optim.optimizer"), name) for t in (mt, oracle))
    assert normalise(repr(ours)) == normalise(repr(theirs))


def test_each_module_of_an_optimizer_has_the_names_of_its_annotations(mt, oracle):
    names = {
        optimizer.__module__.partition(".")[2]
        for optimizer in vars(oracle.optim).values()
        if isinstance(optimizer, type)
    }
    for module in sorted(names | {"optim._adafactor", "optim._muon", "optim.lr_scheduler"}):
        theirs, ours = (import_module(f"{t.__name__}.{module}") for t in (oracle, mt))
        for name in ("ParamsT", "Optimizer"):
            assert hasattr(ours, name) >= hasattr(theirs, name), (module, name)
