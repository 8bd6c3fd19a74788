"""How torch.fx names functions and types in texts and code, and makes names unique in a graph."""

import builtins
import inspect
import keyword
import math
import re
import types

from .._root import torch

_ROOT = torch.__name__

BUILTIN_OBJECTS: dict = {}  # name -> (import statement, object): in the globals of every graph's code
_RESERVED = {name: object() for name in keyword.kwlist} | vars(builtins)


def _register_custom_builtin(name, import_str, obj):
    """Adds `obj` as `name` to the globals of every graph's code; pickles contain `import_str`."""
    BUILTIN_OBJECTS[name] = (import_str, obj)
    _RESERVED[name] = obj


_AS_TORCH = "import torch" if _ROOT == "torch" else f"import {_ROOT} as torch"
_register_custom_builtin("inf", "from math import inf", math.inf)
_register_custom_builtin("nan", "from math import nan", math.nan)
_register_custom_builtin("NoneType", "NoneType = type(None)", type(None))
_register_custom_builtin("torch", _AS_TORCH, torch)
_register_custom_builtin("device", f"from {_ROOT} import device", torch.device)


def torch_path(module):
    """Returns the module path `module` as programs for torch write it, under whatever name the tree was loaded."""
    if module == _ROOT or module.startswith(_ROOT + "."):
        module = "torch" + module[len(_ROOT) :]
    return module.replace("torch._ops", "torch.ops")


def is_from_torch(obj):
    """Whether generated code can reach `obj` through the name `torch`."""
    module = getattr(obj, "__module__", None)
    if module is not None:
        path = torch_path(module).split(".")
        return path[0] == "torch" and not {"_dynamo", "_inductor"} & set(path[1:])
    name = getattr(obj, "__name__", None)
    if name is None or name == _ROOT:
        return False
    return any(getattr(place, name, None) is obj for place in (torch, torch.nn.functional))


def _type_repr(obj):
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    if not isinstance(obj, type) or isinstance(obj, types.GenericAlias):
        text = repr(obj)
        return text if _ROOT == "torch" else re.sub(rf"\b{_ROOT}\.", "torch.", text)
    if obj.__module__ == "builtins":
        return obj.__qualname__
    return f"{torch_path(obj.__module__)}.{obj.__qualname__}"


def _find_module_of_method(function):
    if function.__module__ is not None:
        return function.__module__
    for place in (torch, torch.nn.functional):
        if getattr(place, function.__name__, None) is function:
            return place.__name__
    raise RuntimeError(f"cannot find module for {function}")


def _is_tensor_method(function):
    if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return function is getattr(torch.Tensor, function.__name__, None)
    return function.__module__ == torch._tensor.__name__ and function.__qualname__ == f"Tensor.{function.__name__}"


def _get_qualified_name(function):
    """Returns the dotted path of `function` in generated code and texts."""
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return name
    if _is_tensor_method(function):
        return f"torch.Tensor.{name}"
    if name == "<lambda>":
        try:
            name = inspect.getsource(function).partition("=")[0].strip()
        except Exception as error:
            raise RuntimeError("Unable to represent lambda") from error
    module = torch_path(_find_module_of_method(function))
    if (module, name) == ("torch", "segment_reduce"):
        name = "_segment_reduce"
    return f"{module}.{name}"


def snake_case(text):
    """Converts `text` to lower case, with an underscore where a capital follows a small letter."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", text).lower()


def is_magic(name):
    """Whether `name` is that of a special method."""
    return name.startswith("__") and name.endswith("__")


def attribute_path(base, target):
    """Returns the expression for the dotted `target` of the expression `base`."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


class _Namespace:
    """Unique names: each object has one; none shadows a builtin or a keyword unless it is that builtin's."""

    _NUMBERED = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?", re.ASCII)

    def __init__(self):
        self._obj_to_name = {}
        self._used_names = set()
        self._base_count = {}

    def create_name(self, candidate, obj):
        """Returns a free name similar to `candidate`; an object other than None gets the same name each time."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        parts = self._NUMBERED.fullmatch(candidate)
        if parts is None:
            candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
            candidate = f"_{candidate}" if candidate[0].isdigit() else candidate
            parts = self._NUMBERED.fullmatch(candidate)
        base, digits = parts.groups()
        if digits is not None and candidate not in self._used_names:
            number = int(digits)
        else:
            number = self._base_count.get(base, 0)
            if _RESERVED.get(candidate, obj) is not obj:
                number += 1
                candidate = f"{base}_{number}"
        while candidate in self._used_names:
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name, obj):
        """Records the name of `obj`; the name must be free and `obj` unnamed."""
        if self._obj_to_name.setdefault(obj, name) is not name:
            raise AssertionError("obj is already associated")

    def _rename_object(self, obj, name):
        if obj not in self._obj_to_name:
            raise AssertionError(f"Object {obj} is not in _obj_to_name")
        self._obj_to_name[obj] = name
        self._used_names.add(name)
