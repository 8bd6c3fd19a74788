"""Learning rate schedules and weight averages have real torch's numbers, states and warnings."""

import warnings
from importlib import import_module

import pytest
from outcomes import close, outcome, result

SCHEDULES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, [lambda e: 0.9, lambda e: 0.8]),
    "StepLR": lambda s, o: s.StepLR(o, 4),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 5, 5, 9]),
    "ConstantLR": lambda s, o: s.ConstantLR(o),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.2, 0.9, 7),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 20, 2.0),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 6, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, [0.3, 0.4], 31),
    "OneCycleLR of three phases": lambda s, o: s.OneCycleLR(o, 0.3, 31, three_phase=True, anneal_strategy="linear"),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 4, mode="triangular2"),
    "CyclicLR exponential": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 4, 5, mode="exp_range", gamma=0.9),
    "CyclicLR by function": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 4, scale_fn=lambda x: 0.5, scale_mode="iterations"),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, 1.0, 4), s.CosineAnnealingLR(o, 10), s.ExponentialLR(o, 0.5)], [4, 12]
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
    "ReduceLROnPlateau of a rising metric": lambda s, o: s.ReduceLROnPlateau(
        o, "max", 0.5, patience=1, threshold=0.1, threshold_mode="abs", cooldown=2, min_lr=0.05
    ),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=2, cooldown=1, min_lr=[0.001, 0.002]),
    "SWALR": lambda s, o: s.SWALR(o, 0.05, 5),
}


def _list_components(t):
    """Returns the scheduler classes of a torch in one namespace."""
    both = vars(import_module(f"{t.__name__}.optim.lr_scheduler")) | vars(
        import_module(f"{t.__name__}.optim.swa_utils")
    )
    return type("schedules", (), {key: value for key, value in both.items() if isinstance(value, type)})


def _make_optimizer(t, as_tensors=False):
    rates = [t.tensor(0.1), t.tensor(0.5)] if as_tensors else [0.1, 0.5]
    groups = [{"params": [t.nn.Parameter(t.ones(2))], "lr": rate} for rate in rates]
    return t.optim.SGD(groups, lr=0.1, momentum=0.9)


def _collect_rates(t, make, as_tensors):
    optimizer = _make_optimizer(t, as_tensors)
    schedules = _list_components(t)
    schedule = make(schedules, optimizer)
    seen = []
    for epoch in range(30):
        optimizer.step()
        seen.append([[float(group["lr"]), group["momentum"]] for group in optimizer.param_groups])
        watched = [1.0 if epoch > 5 else 5.0 - epoch] if isinstance(schedule, schedules.ReduceLROnPlateau) else []
        schedule.step(*watched)
        if epoch == 7:
            schedule.load_state_dict(schedule.state_dict())
    return [seen, [float(rate) for rate in schedule.get_last_lr()], sorted(schedule.state_dict())]


@pytest.mark.parametrize("as_tensors", [False, True], ids=["numbers", "tensors"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule_matches_torchs_rates(mt, oracle, name, as_tensors):
    ours = result(lambda t: _collect_rates(t, SCHEDULES[name], as_tensors), mt)
    assert close(ours, result(lambda t: _collect_rates(t, SCHEDULES[name], as_tensors), oracle))


def _restart_at_fractions(t):
    optimizer = _make_optimizer(t)
    schedule = _list_components(t).CosineAnnealingWarmRestarts(optimizer, 2, 3, 0.01)
    seen = []
    for epoch in (0.0, 0.5, 1.9, 2.0, 7.99, 8.5, None, None, 3.25, None):
        schedule.step(epoch)
        seen.append([schedule.T_cur, schedule.T_i, schedule.last_epoch, schedule.get_last_lr()])
    return seen


def test_warm_restarts_at_fractional_epochs_are_torchs(mt, oracle):
    assert close(result(_restart_at_fractions, mt), result(_restart_at_fractions, oracle))


def _wrap_in_function(make):
    return lambda t: make(_list_components(t), _make_optimizer(t)) and None


def _step_before_optimizer(t):
    optimizer = _make_optimizer(t)
    schedule = _list_components(t).StepLR(optimizer, 2)
    schedule.step()
    schedule.get_lr()
    schedule.step(5)
    return [group["lr"] for group in optimizer.param_groups]


REFUSALS = {
    "no optimizer": lambda t: _list_components(t).StepLR(3, 2),
    "resumed without rates": lambda t: _list_components(t).StepLR(_make_optimizer(t), 2, last_epoch=3),
    "functions": _wrap_in_function(lambda s, o: s.LambdaLR(o, [abs])),
    "no function": _wrap_in_function(lambda s, o: s.MultiplicativeLR(o, 3)),
    "constant factor": _wrap_in_function(lambda s, o: s.ConstantLR(o, 2.0)),
    "linear start": _wrap_in_function(lambda s, o: s.LinearLR(o, 0.0)),
    "linear end": _wrap_in_function(lambda s, o: s.LinearLR(o, end_factor=2.0)),
    "restarts": _wrap_in_function(lambda s, o: s.CosineAnnealingWarmRestarts(o, 0)),
    "restarts of half an epoch": _wrap_in_function(lambda s, o: s.CosineAnnealingWarmRestarts(o, 0.5)),
    "restarts of no number": _wrap_in_function(lambda s, o: s.CosineAnnealingWarmRestarts(o, "x")),
    "restarts ever shorter": _wrap_in_function(lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 0)),
    "restarts at no rate": _wrap_in_function(lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 1, "x")),
    "restarts before the first": _wrap_in_function(lambda s, o: s.CosineAnnealingWarmRestarts(o, 2).step(-1)),
    "one cycle steps": _wrap_in_function(lambda s, o: s.OneCycleLR(o, 0.1)),
    "one cycle strategy": _wrap_in_function(lambda s, o: s.OneCycleLR(o, 0.1, 9, anneal_strategy="x")),
    "cyclic mode": _wrap_in_function(lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="x")),
    "plateau factor": _wrap_in_function(lambda s, o: s.ReduceLROnPlateau(o, factor=1.0)),
    "plateau mode": _wrap_in_function(lambda s, o: s.ReduceLROnPlateau(o, mode="x")),
    "plateau rates": _wrap_in_function(lambda s, o: s.ReduceLROnPlateau(o, min_lr=[1])),
    "sequence": _wrap_in_function(lambda s, o: s.SequentialLR(o, [], [])),
    "sequence milestones": _wrap_in_function(lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [1])),
    "chain": _wrap_in_function(lambda s, o: s.ChainedScheduler([])),
    "chain with a plateau": _wrap_in_function(lambda s, o: s.ChainedScheduler([s.ReduceLROnPlateau(o)])),
    "averaging for less than no time": _wrap_in_function(lambda s, o: s.SWALR(o, 0.1, -1)),
    "averaging strategy": _wrap_in_function(lambda s, o: s.SWALR(o, 0.1, anneal_strategy="x")),
    "wrong order": _step_before_optimizer,
}


@pytest.mark.parametrize("name", REFUSALS)
def test_schedule_refuses_and_warns_as_torchs(mt, oracle, name):
    assert outcome(REFUSALS[name], mt) == outcome(REFUSALS[name], oracle)


def _average_models(t):
    swa = import_module(f"{t.__name__}.optim.swa_utils")
    t.manual_seed(0)
    network = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4))
    seen = []
    for options in ({}, {"avg_fn": swa.get_ema_avg_fn()}, {"use_buffers": True}):
        average = swa.AveragedModel(network, **options)
        for _ in range(3):
            with t.no_grad():
                for p in network.parameters():
                    p.add_(0.1)
            average.update_parameters(network)
        swa.update_bn([t.ones(5, 3) * i for i in range(1, 4)], average)
        seen.append(dict(average.state_dict()))
    return seen


def test_averages_are_torchs(mt, oracle):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = result(_average_models, mt)
        assert close(ours, result(_average_models, oracle))
