"""torch.backends.cpu: the instruction set of the kernels in use."""

from ... import _C

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """Returns the vector instructions that kernels use.

    Returns:
        str: ``"DEFAULT"``, ``"AVX2"`` or ``"AVX512"``.
    """
    return _C._get_cpu_capability()
