"""Types of TorchScript for annotations: they cannot be instantiated, since nothing here scripts or traces."""

from . import _C


def _raise_no_constructor(cls, *args, **kwargs):
    raise TypeError(f"torch._C.{cls.__name__}: No constructor defined!")


def _raise_no_torchscript(cls, *args, **kwargs):
    raise NotImplementedError(f"torch._C.{cls.__name__}: there is no TorchScript")


_TYPES = "Any Bool DeviceObj Float Int None StreamObj String Tensor".split()
_types = dict.fromkeys(
    ["Type", "ScriptFunction", "ScriptMethod", "ScriptObject", "Value", *(f"{name}Type" for name in _TYPES)],
    _raise_no_constructor,
)
_types["Graph"] = _raise_no_torchscript
for _name, _new in _types.items():
    if not hasattr(_C, _name):
        _home = "torch._C" if _name in ("Graph", "Value") else "torch"
        _members = {"__new__": _new, "__module__": _home, "__doc__": "Of TorchScript: cannot be made."}
        setattr(_C, _name, type(_name, (), _members))
