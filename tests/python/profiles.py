"""Profiles of a program on mindtorch and on real torch."""

import importlib


def import_profilers(torch):
    """torch.profiler and torch.autograd.profiler."""
    return (importlib.import_module(f"{torch.__name__}.{name}") for name in ("profiler", "autograd.profiler"))


def profile_call(torch, program, **options):
    profiler, _ = import_profilers(torch)
    with profiler.profile(**options) as profile:
        program(torch)
    return profile


def find_maxima(profile, *attributes):
    """Top-level events by their attributes; sequence numbers by their order."""
    events = profile.events()
    ranks = {nr: rank for rank, nr in enumerate(sorted({event.sequence_nr for event in events} - {-1}))}

    def observe_profile(event, name):
        value = getattr(event, name)
        return ranks.get(value, -1) if name == "sequence_nr" else value

    return [
        tuple(observe_profile(event, name) for name in ("name", *attributes))
        for event in events
        if event.cpu_parent is None
    ]


def run_forward(torch):
    a, b = torch.tensor([[1.0, 2, 3], [4, 5, 6]]), torch.tensor([[1.0, 2], [3, 4], [5, 6]])
    c = torch.mm(a, b)
    torch.cat([a, a], dim=1)
    a.sum(dim=[0, 1], keepdim=True)
    torch.add(a, a, alpha=2)
    a.view(3, 2)
    torch.bmm(a.view(1, 2, 3), a.view(1, 3, 2))
    a.mul_(3)
    torch.where(a > 1, a, a)
    c[0, 0].item()
