"""torch.library: operators defined in Python, with their gradients."""

import inspect
from collections.abc import Iterable

from ._root import torch
from .autograd.function import Function

__all__ = [
    "Library",
    "custom_op",
    "define",
    "get_ctx",
    "impl",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
]

# Operators by "namespace::name".
_OPDEFS: dict = {}


class CustomOpDef:
    """A callable operator; kernels by device, and formulas registered afterwards."""

    def __init__(self, namespace: str, name: str, fn, mutates_args) -> None:
        self._namespace, self._name, self._init_fn = namespace, name, fn
        self._mutates_args = mutates_args
        self._kernels: dict = {}
        self._setup_context = self._backward = self._fake = None
        self._autograd_cls = None
        self.__name__, self.__doc__ = name, fn.__doc__
        self.__signature__ = inspect.signature(fn)
        _OPDEFS[self._qualname] = self
        setattr(getattr(torch.ops, namespace), name, self)

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def _kernel_for(self, args):
        kinds = {arg.device.type for arg in args if isinstance(arg, torch.Tensor)}
        if "meta" in kinds:
            if self._fake is None:
                raise NotImplementedError(
                    f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx "
                    f"tracing to work. Please use `{self._init_fn.__name__}.register_fake` to add an fake impl."
                )
            return self._fake
        return next((self._kernels[kind] for kind in kinds if kind in self._kernels), self._kernels.get(None))

    def _run(self, *args):
        kernel = self._kernel_for(args)
        if kernel is None:
            raise NotImplementedError(f"{self._qualname} has no kernel for the devices of its arguments")
        return kernel(*args)

    def __call__(self, *args, **kwargs):
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        values = (*bound.args, *bound.kwargs.values())
        wants_grad = torch.is_grad_enabled() and any(
            isinstance(value, torch.Tensor) and value.requires_grad for value in values
        )
        if not wants_grad:
            return self._run(*values)
        return self._autograd_function().apply(*values)

    def _autograd_function(self):
        if self._autograd_cls is not None:
            return self._autograd_cls
        opdef = self

        def forward(ctx, *args):
            with torch.no_grad():
                output = opdef._run(*args)
            if opdef._setup_context is not None:
                opdef._setup_context(ctx, args, output)
            return output

        def backward(ctx, *grads):
            if opdef._backward is None:
                raise RuntimeError(
                    f"Trying to backward through {opdef._qualname} but no autograd formula was registered. Please use "
                    "register_autograd to add one."
                )
            found = opdef._backward(ctx, *grads)
            return found if isinstance(found, tuple) else (found,)

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        self._autograd_cls = type(f"GeneratedBackwardFor_{self._namespace}_{self._name}", (Function,), members)
        return self._autograd_cls

    def register_kernel(self, device_types, fn=None, /):
        """Adds a kernel for some devices; None is for all."""

        def register(kernel):
            kinds = [device_types] if device_types is None or isinstance(device_types, str) else device_types
            self._kernels.update(dict.fromkeys(kinds, kernel))
            return kernel

        return register if fn is None else register(fn)

    def register_fake(self, fn, /):
        """Adds the rule for tensors without data."""
        self._fake = fn
        return fn

    def register_autograd(self, backward, /, *, setup_context=None) -> None:
        """Adds the gradient."""
        if self._mutates_args:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self}. Please create a functional "
                "operator and register an autograd formula for that."
            )
        self._backward, self._setup_context = backward, setup_context

    def register_vmap(self, func=None):
        """vmap here calls the operator once per slice, so no rule is asked for."""
        raise NotImplementedError("register_vmap: vmap runs by iteration and takes no rules")

    def register_autocast(self, device_type, cast_inputs, /):
        raise NotImplementedError("register_autocast is not available for Python operators")


def custom_op(name: str, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes an operator of a Python function."""

    def define_op(function):
        if "::" not in name:
            raise ValueError(
                f"Expected `name` to be of the form `namespace::name` where name is unqualified, got {name}"
            )
        namespace, opname = name.split("::")
        opdef = CustomOpDef(namespace, opname, function, mutates_args)
        opdef.register_kernel(device_types, function)
        return opdef

    return define_op if fn is None else define_op(fn)


def _find(op):
    if isinstance(op, CustomOpDef):
        return op
    if isinstance(op, str) and op in _OPDEFS:
        return _OPDEFS[op]
    raise NotImplementedError(f"{op} is not an operator made by torch.library.custom_op")


def register_kernel(op, device_types, func=None, /, *, lib=None):
    return _find(op).register_kernel(device_types, func)


def register_fake(op, func=None, /, *, lib=None, _stacklevel: int = 1, allow_override: bool = True):
    found = _find(op)
    return found.register_fake if func is None else found.register_fake(func)


def register_autograd(op, backward, /, *, setup_context=None, lib=None) -> None:
    _find(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op, func=None, /, *, lib=None):
    return _find(op).register_vmap(func)


def register_autocast(op, device_type: str, cast_inputs, /, *, lib=None):
    return _find(op).register_autocast(device_type, cast_inputs)


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    raise NotImplementedError("torch.library.register_torch_dispatch is not available")


def _unavailable(name):
    raise NotImplementedError(f"torch.library.{name}: use torch.library.custom_op")


class Library:
    """Kernels by dispatch key; operators from Python are made by custom_op instead."""

    def __init__(self, ns, kind, dispatch_key=""):
        _unavailable("Library")


def define(qualname, schema, *, lib=None, tags: Iterable = ()):
    _unavailable("define")


def impl(qualname, types, func=None, *, lib=None):
    _unavailable("impl")


def get_ctx():
    _unavailable("get_ctx")


def opcheck(op, args, kwargs=None, *, test_utils=(), raise_exception=True, atol=None, rtol=None):
    _unavailable("opcheck")


_TYPES = {"float": "float", "int": "SymInt", "bool": "bool", "str": "str"}


def _type_text(annotation) -> str:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return "Tensor" if name.endswith("Tensor") else _TYPES.get(name, name)


def infer_schema(prototype_function, /, *, mutates_args, op_name: str | None = None, tags=()) -> str:
    """The schema that a function's annotations tell."""
    signature = inspect.signature(prototype_function)
    parts = []
    for index, parameter in enumerate(signature.parameters.values()):
        text = _type_text(parameter.annotation)
        if parameter.name in mutates_args:
            text = f"{text}(a{index}!)"
        default = "" if parameter.default is parameter.empty else f"={parameter.default}"
        parts.append(f"{text} {parameter.name}{default}")
    returned = "()" if signature.return_annotation is None else _type_text(signature.return_annotation)
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"
