"""torch.quantization: the former name of torch.ao.quantization."""

import sys

from ..ao import quantization as _home

for _name in _home.__all__:
    globals()[_name] = getattr(_home, _name)
for _name in ("fake_quantize", "observer", "qconfig", "stubs"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = getattr(_home, _name)
__all__ = list(_home.__all__)
