"""Rules of operators for tensors without data, and the context that torch.library.get_ctx gives them."""

import threading

_running = threading.local()


def announced(function, qualname, place):
    """The rule as a kernel for meta tensors: while it runs, get_ctx knows for which operator."""

    def rule(*args, **kwargs):
        former, _running.rule = getattr(_running, "rule", None), f"{qualname} ({place})"
        try:
            return function(*args, **kwargs)
        finally:
            _running.rule = former

    return rule


def context():
    """None outside of rules. Inside one, an error: only fake tensors could have sizes that depend on data."""
    rule = getattr(_running, "rule", None)
    if rule is not None:
        raise RuntimeError(
            f"{rule}: You're trying to run this operator with meta Tensors (as opposed to FakeTensors), but this "
            "operator may return an output Tensor with data-dependent shape. Meta Tensors don't support operators with "
            "outputs that have data-dependent shapes but FakeTensors do. If your operator does not return an output "
            "with data-dependent shape, make sure the FakeTensor and/or meta kernel does not call "
            "torch.library.get_ctx(). Otherwise, please use FakeTensors."
        )
