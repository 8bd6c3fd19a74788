"""torch.jit._state: the store of compiled classes, which is empty without a TorchScript compiler."""

import os


class EnabledProxy:
    """Whether $PYTORCH_JIT enables TorchScript; functions run eagerly in any case."""

    def __init__(self) -> None:
        self.enabled = os.environ.get("PYTORCH_JIT", "1").lower() not in ("0", "false", "no")

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()


def _clear_class_state():
    """Does nothing: no classes were compiled."""
