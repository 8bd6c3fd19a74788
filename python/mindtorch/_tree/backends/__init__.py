"""torch.backends: available libraries and devices, and their settings."""

import sys
import types
from contextlib import contextmanager

from .._lazy import lazy_attributes

__allow_nonbracketed_mutation_flag = True


def disable_global_flags():
    """Lets flags of backends change only inside `flags()` blocks from now on.

    Returns:
        None.
    """
    global __allow_nonbracketed_mutation_flag
    __allow_nonbracketed_mutation_flag = False


def flags_frozen():
    """Returns whether only `flags()` blocks may change flags.

    Returns:
        bool: True after `disable_global_flags`.
    """
    return not __allow_nonbracketed_mutation_flag


@contextmanager
def __allow_nonbracketed_mutation():
    global __allow_nonbracketed_mutation_flag
    previous, __allow_nonbracketed_mutation_flag = __allow_nonbracketed_mutation_flag, True
    try:
        yield
    finally:
        __allow_nonbracketed_mutation_flag = previous


class ContextProp:
    """A module's attribute that is read and written through functions.

    Args:
        getter (callable): returns the value.
        setter (callable): takes a new value.
    """

    def __init__(self, getter, setter):
        self.getter, self.setter = getter, setter

    def __get__(self, obj, objtype):
        return self.getter()

    def __set__(self, obj, val):
        if flags_frozen():
            raise RuntimeError(
                f"not allowed to set {obj.__name__} flags after disable_global_flags; please use flags() context "
                "manager instead"
            )
        self.setter(val)


class PropModule(types.ModuleType):
    """A module whose class has attributes read and written through functions.

    Args:
        m (module): the module that it was made from, as attribute `m`.
        name (str): its name.
    """

    def __init__(self, m, name):
        super().__init__(name)
        self.m = m

    def __getattr__(self, attr):
        return getattr(self.m, attr)


class _Setting:
    """A flag that only a device library would read; without the library it is merely stored."""

    def __init__(self, value, convert=lambda value: value):
        self.value = value
        self.convert = convert

    def get(self):
        return self.value

    def set(self, value):
        self.value = self.convert(value)


def _require_bool(value):
    if not isinstance(value, bool):
        raise RuntimeError(f"set flag expects a bool, but got {type(value).__name__}")
    return value


_PRECISIONS = ("none", "ieee", "tf32", "bf16")


def _require_precision_name(value):
    if value not in _PRECISIONS:
        raise RuntimeError(f"Invalid precision: {value}")
    return value


def _make_property_module(name: str, settings: dict, in_flags: dict) -> None:
    """Adds flags as attributes, `set_flags`, and the context `flags` to a module.

    `in_flags` maps the parameters of `flags()` to their defaults; the argument None does not change a flag.
    """
    module = sys.modules[name]

    def set_flags(*args, **kwargs):
        """Sets flags of the module.

        Args:
            *args, **kwargs: values by position or name, in the order of `flags`; None leaves a flag alone.

        Returns:
            tuple: what they were, as `flags` takes them.
        """
        given = dict(zip(in_flags, args)) | {key.removeprefix("_"): value for key, value in kwargs.items()}
        unknown = [key for key in given if key not in in_flags]
        if unknown or len(args) > len(in_flags):
            raise TypeError(f"set_flags() got an unexpected keyword argument '_{unknown[0] if unknown else ''}'")
        previous = tuple(settings[flag].get() for flag in in_flags)
        for flag, value in given.items():
            if value is not None:
                settings[flag].set(value)
        return previous

    @contextmanager
    def flags(*args, **kwargs):
        """Sets flags of the module inside a block.

        Args:
            *args, **kwargs: values by position or name; omitted ones get their defaults.

        Returns:
            A context manager.
        """
        values = in_flags | dict(zip(in_flags, args)) | kwargs
        if len(values) > len(in_flags) or len(args) > len(in_flags):
            raise TypeError(f"flags() got an unexpected keyword argument '{list(values)[-1]}'")
        with __allow_nonbracketed_mutation():
            previous = set_flags(**values)
        try:
            yield
        finally:
            with __allow_nonbracketed_mutation():
                set_flags(*previous)

    for function in (set_flags, flags):
        function.__module__, function.__qualname__ = name, function.__name__
        setattr(module, function.__name__, function)
    properties = {flag: ContextProp(setting.get, setting.set) for flag, setting in settings.items()}
    module.__class__ = type("_FlagModule", (types.ModuleType,), properties)


class _FP32Precision:
    """The precision of float32 in one kind of operator of a device library."""

    def __init__(self, backend, op):
        object.__setattr__(self, "backend", backend)
        object.__setattr__(self, "op", op)
        object.__setattr__(self, "_setting", _Setting("none", _require_precision_name))

    def __setattr__(self, name, value):
        if name != "fp32_precision":
            raise AttributeError("Unknown attribute " + name)
        self._setting.set(value)

    def __getattr__(self, name):
        if name != "fp32_precision":
            raise AttributeError("Unknown attribute " + name)
        return self._setting.get()


_make_property_module(
    __name__, {"fp32_precision": _Setting("none", _require_precision_name)}, {"fp32_precision": "none"}
)

__getattr__ = lazy_attributes(
    __name__,
    modules=("cpu", "cuda", "cudnn", "cusparselt", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps", "nnpack",
             "openmp", "opt_einsum", "quantized"),
)  # fmt: skip
