"""Pickling under the root name mindtorch: types made in C report module `torch`, which may be missing or another
library."""

import copyreg
import sys

from . import _C

root = sys.modules[__package__]


def _look_up(name):
    return getattr(root, name)


def _call_root(name, *args):
    return getattr(root, name)(*args)


def _by_name(value):
    return _look_up, (str(value).removeprefix("torch."),)


def _tensor_class(cls):
    return (_look_up, ("Tensor",)) if cls is root.Tensor else cls.__qualname__


REDUCERS = {
    _C.dtype: _by_name,
    _C.layout: _by_name,
    _C.memory_format: _by_name,
    _C.Size: lambda size: (_call_root, ("Size", tuple(size))),
    _C.device: lambda device: (_call_root, ("device", str(device))),
    type(root.Tensor): _tensor_class,
}


def register():
    """Lets plain pickles name these objects; torch.save uses torch's names instead."""
    for kind, reducer in REDUCERS.items():
        copyreg.pickle(kind, reducer)
