"""torch.linalg: the operators that `_C._linalg` offers as linalg_*."""

from .. import _C

LinAlgError = _C._LinAlgError

globals().update(
    {name.removeprefix("linalg_"): getattr(_C._linalg, name) for name in dir(_C._linalg) if name.startswith("linalg_")}
)
