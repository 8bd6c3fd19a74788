"""torch.jit._state: what compiled classes are remembered by; none are, as there is no TorchScript compiler."""


def _clear_class_state():
    """Forgets compiled classes, of which there are none."""
