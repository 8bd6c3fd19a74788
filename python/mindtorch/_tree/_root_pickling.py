"""Pickling under the root name mindtorch: types made in C report module `torch`, which may be missing or another
library."""

import copyreg
import sys

from . import _C

root = sys.modules[__package__]


def _get_attribute_of_root(name):
    return getattr(root, name)


def _call_root_function(name, *args):
    return getattr(root, name)(*args)


def _reduce_to_root_name(value):
    return _get_attribute_of_root, (str(value).removeprefix("torch."),)


def _reduce_tensor_class(cls):
    return (_get_attribute_of_root, ("Tensor",)) if cls is root.Tensor else cls.__qualname__


REDUCERS = {
    _C.dtype: _reduce_to_root_name,
    _C.layout: _reduce_to_root_name,
    _C.memory_format: _reduce_to_root_name,
    _C.Size: lambda size: (_call_root_function, ("Size", tuple(size))),
    _C.device: lambda device: (_call_root_function, ("device", str(device))),
    type(root.Tensor): _reduce_tensor_class,
}


def register():
    """Lets plain pickles name these objects; torch.save uses torch's names instead."""
    for kind, reducer in REDUCERS.items():
        copyreg.pickle(kind, reducer)
