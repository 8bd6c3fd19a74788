"""torch.backends.quantized: this build has no engine for quantized operators."""

import sys
import types

_ENGINES = ("none", "fbgemm", "qnnpack", "onednn", "x86")


class _QuantizedModule(types.ModuleType):
    @property
    def engine(self) -> str:
        return "none"

    @engine.setter
    def engine(self, value: str) -> None:
        if value not in (*_ENGINES, "", None):
            raise RuntimeError(f"{value} is not a valid value for quantized engine")
        if value not in ("none", "", None):
            raise RuntimeError("quantized engine " + value.upper() + " is not supported")

    @property
    def supported_engines(self) -> list[str]:
        return ["none"]

    @supported_engines.setter
    def supported_engines(self, value) -> None:
        raise RuntimeError("Assignment not supported")


sys.modules[__name__].__class__ = _QuantizedModule
