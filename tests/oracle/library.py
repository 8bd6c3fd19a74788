"""The library under test for torch's databases: converts torch's values and functions to it, and back."""

import functools
import importlib
import sys
import types
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "contract"))

from carried import Carrier  # noqa: E402

# The modules from which torch's databases take their functions.
SPACES = """nn.functional linalg fft special _C._nn _C._linalg _C._fft _C._special Tensor nn.init nn.utils.rnn sparse
nested signal.windows autograd.functional _VF""".split()
DEEPEST_HELPER = 6  # converts functions of torch.testing that call each other, up to this depth


def get_by_path(root, path):
    for part in path.split("."):
        root = getattr(root, part)
    return root


def is_own_module_of_torch(home):
    """Whether a module of this name is torch's own, and not one of its test helpers, which both sides use."""
    return home.split(".")[0] == "torch" and "testing" not in home


class Library(Carrier):
    """A module with torch's API, in the same process as real torch. `name` may be torch itself."""

    def __init__(self, name):
        import torch

        super().__init__(torch, importlib.import_module(name))
        self.is_torch = name == "torch"
        self.paths, self.carried_functions = {}, {}
        self.named = []  # keeps functions alive whose addresses are keys of `paths`
        for prefix, space in [("", torch), *((f"{path}.", get_by_path(torch, path)) for path in SPACES)]:
            for key in dir(space):
                value = getattr(space, key, None)
                if callable(value):
                    self.paths.setdefault(id(value), prefix + key)
                    self.named.append(value)

    def set_seed(self, number):
        self.torch.manual_seed(number)
        self.mt.manual_seed(number)

    # ---- from torch to the library ----

    def copy_value(self, value, copies_by_id):
        if isinstance(value, self.torch.Generator):
            return self.mt.Generator()
        if isinstance(value, types.FunctionType) or id(value) in self.paths:
            return self.convert_any_function(value)
        torch = self.torch
        kinds = (list, tuple, dict, torch.Tensor, torch.dtype, torch.layout, torch.memory_format, torch.device)
        return super().copy_value(value, copies_by_id) if isinstance(value, kinds) else value

    def copy_tensor(self, value):
        if value.layout == self.torch.strided:
            return super().copy_tensor(value.detach().requires_grad_(value.requires_grad))
        parts = [self.copy_tensor(part) for part in list_sparse_components(self.torch, value)]
        layout = {} if value.layout == self.torch.sparse_coo else {"layout": self(value.layout)}
        make = self.mt.sparse_compressed_tensor if layout else self.mt.sparse_coo_tensor
        return make(*parts, tuple(value.shape), **layout).requires_grad_(value.requires_grad)

    def convert_any_function(self, function, depth=0):
        """The same function with `torch` replaced by the library."""
        if self.is_torch:
            return function
        if id(function) in self.paths:
            return get_by_path(self.mt, self.paths[id(function)])
        if not isinstance(function, types.FunctionType):
            return self.convert_callable_object(function)
        if function not in self.carried_functions:
            self.carried_functions[function] = self.convert_function(function, depth)
        return self.carried_functions[function]

    def convert_callable_object(self, function):
        owner = getattr(function, "__objclass__", None)
        if owner is not None and issubclass(self.torch.Tensor, owner):
            return getattr(self.mt.Tensor, function.__name__)
        if isinstance(function, functools.partial):
            return functools.partial(
                self.convert_any_function(function.func), *self(function.args), **self(function.keywords)
            )
        if "aten." in str(function):
            return get_by_path(self.mt.ops.aten, str(function).split("aten.", 1)[1].split("'")[0])
        raise LookupError(f"no counterpart for {function!r}")

    def convert_function(self, function, depth):
        code, scope = function.__code__, dict(function.__globals__)
        cells = function.__closure__
        cells = cells and tuple(types.CellType(self.convert_closure_value(cell.cell_contents)) for cell in cells)
        made = types.FunctionType(code, scope, function.__name__, None, cells)
        self.carried_functions[function] = made  # before its helpers, which may call it
        inner = (const.co_names for const in code.co_consts if isinstance(const, types.CodeType))
        for name in {*code.co_names, *(name for names in inner for name in names)}:
            if name in scope:
                scope[name] = self.convert_global_value(scope[name], depth)
        made.__defaults__ = function.__defaults__ and self(function.__defaults__)
        made.__kwdefaults__ = function.__kwdefaults__ and self(function.__kwdefaults__)
        return made

    def convert_closure_value(self, value):
        is_carried = isinstance(value, (types.FunctionType, self.torch.dtype)) or id(value) in self.paths
        return self(value) if is_carried else value

    def convert_global_value(self, value, depth):
        """Returns the library's counterpart of a global name in a function of torch."""
        if isinstance(value, types.ModuleType):
            if not is_own_module_of_torch(value.__name__):
                return value
            return self.mt if value.__name__ == "torch" else get_by_path(self.mt, value.__name__.removeprefix("torch."))
        if id(value) in self.paths or isinstance(value, self.torch.dtype):
            return self(value)
        home = getattr(value, "__module__", None) or ""
        if isinstance(value, types.FunctionType) and home.startswith("torch") and depth < DEEPEST_HELPER:
            return self.convert_any_function(value, depth + 1)
        if value is self.torch.Tensor:
            return self.mt.Tensor
        if isinstance(value, type) and is_own_module_of_torch(home):
            return get_by_path(self.mt, f"{home}.{value.__qualname__}".removeprefix("torch."))
        return value

    # ---- from the library to torch ----

    def convert_back(self, value, copy=False):
        """Converts a value of the library to torch's, sharing memory if possible; `copy` if the library may still
        write to it."""
        if isinstance(value, self.mt.Tensor):
            return self.convert_tensor_back(value.detach().clone() if copy else value.detach())
        if isinstance(value, (list, tuple)):
            return tuple(self.convert_back(item, copy) for item in value)
        if isinstance(value, dict):
            return {key: self.convert_back(item, copy) for key, item in value.items()}
        if isinstance(value, self.mt.dtype):
            return self.get_torch_attribute(value)
        return value

    def get_torch_attribute(self, value):
        return getattr(self.torch, str(value).removeprefix("torch."))

    def convert_tensor_back(self, value):
        torch, layout, shape = self.torch, self.get_torch_attribute(value.layout), tuple(value.shape)
        if layout == torch.sparse_coo:
            return torch.sparse_coo_tensor(
                self.convert_back(value._indices()), self.convert_back(value._values()), shape
            )
        if layout != torch.strided:
            parts = [self.convert_back(part) for part in list_sparse_components(torch, value, layout)]
            return torch.sparse_compressed_tensor(*parts, shape, layout=layout)
        if value.device.type == "meta" or value.numel() == 0:
            options = {"dtype": self.get_torch_attribute(value.dtype), "device": str(value.device)}
            return torch.empty_strided(shape, tuple(value.stride()), **options)
        return torch.from_dlpack(value.resolve_conj().resolve_neg())


def list_sparse_components(torch, value, layout=None):
    """Returns the component tensors of a sparse tensor of either library."""
    layout = layout or value.layout
    if layout == torch.sparse_coo:
        return value.detach()._indices(), value.detach()._values()
    by_rows = layout in (torch.sparse_csr, torch.sparse_bsr)
    indices = (value.crow_indices(), value.col_indices()) if by_rows else (value.ccol_indices(), value.row_indices())
    return *indices, value.detach().values()
