"""torch.jit._state: what compiled classes are remembered by; none are, as there is no TorchScript compiler."""

import os


class EnabledProxy:
    """Whether TorchScript is on, as $PYTORCH_JIT says; functions run eagerly in any case."""

    def __init__(self) -> None:
        self.enabled = os.environ.get("PYTORCH_JIT", "1").lower() not in ("0", "false", "no")

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()


def _clear_class_state():
    """Forgets compiled classes, of which there are none."""
