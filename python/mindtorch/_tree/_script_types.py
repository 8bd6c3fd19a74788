"""Types of TorchScript that annotations name: they exist, and cannot be made, since nothing here scripts or traces."""

from . import _C


def _no_constructor(cls, *args, **kwargs):
    raise TypeError(f"torch._C.{cls.__name__}: No constructor defined!")


def _no_script(cls, *args, **kwargs):
    raise NotImplementedError(f"torch._C.{cls.__name__}: there is no TorchScript")


for _name, _new in (("Graph", _no_script), ("Value", _no_constructor)):
    if not hasattr(_C, _name):
        _members = {"__new__": _new, "__module__": "torch._C", "__doc__": "Of TorchScript: cannot be made."}
        setattr(_C, _name, type(_name, (), _members))
