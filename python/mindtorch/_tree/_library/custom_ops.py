"""Operators made from Python functions; the dispatcher treats them like any other."""

import contextlib
import inspect
import logging

from .. import _C
from .._root import torch
from ..autograd.function import Function
from .. import _dispatch_keys
from . import vmap_rules
from .autograd import showing_needed_grads, supports_tensorlist
from .infer_schema import infer_schema
from .utils import (
    fill_defaults,
    get_device_arg_index,
    has_kwarg_only_tensors,
    has_tensor_arg,
    is_tensorlist_like_type,
    iter_tensors,
    lookup_op,
    zip_schema,
)

__all__ = ["CustomOpDef", "custom_op"]

_log = logging.getLogger("torch._library.custom_ops")

# Maps "namespace::name" to the custom operator.
OPDEFS: dict = {}


def custom_op(name: str, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes an operator of a Python function, known to the dispatcher like any other.

    Its results must not share memory with its inputs. Gradients, rules for tensors without data and
    kernels for other devices can be registered afterwards (`register_autograd`, `register_fake`,
    `register_kernel`).

    Args:
        name (str): ``"namespace::name"``.
        fn (callable, optional): the function, with annotations; without one the result is a decorator.
        mutates_args (iterable of str or str): names of the tensors that it writes to, ``()`` for
            none, or ``"unknown"``.
        device_types (str, sequence of str or None): kinds of devices that it is for. Default: all.
        schema (str, optional): its types, as ``"(Tensor x) -> Tensor"``. Default: from the annotations.
        tags (torch.Tag or sequence, optional): properties of the operator.

    Returns:
        CustomOpDef: the operator, or a decorator.

    Raises:
        ValueError: when annotations are missing or not supported, or the schema contradicts
            `mutates_args`.

    Example:
        >>> @torch.library.custom_op("doc_custom::add_one", mutates_args=())
        ... def add_one(x: torch.Tensor) -> torch.Tensor:
        ...     return x + 1
        >>> add_one(torch.tensor([1.0])), torch.ops.doc_custom.add_one(torch.tensor([2.0]))
        (tensor([2.]), tensor([3.]))
    """

    def define_op(function):
        text = schema if schema is not None else infer_schema(function, mutates_args=mutates_args)
        namespace, opname = name.split("::")
        opdef = CustomOpDef(namespace, opname, text, function, tags)
        if schema is not None:
            _check_mutates_args_match_schema(opdef, mutates_args)
        opdef.register_kernel(device_types)(function)
        return opdef

    return define_op if fn is None else define_op(fn)


def _check_mutates_args_match_schema(opdef, mutates_args):
    told = {a.name for a in opdef._opoverload._schema.arguments if a.alias_info is not None and a.alias_info.is_write}
    if told != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={opdef._schema}. The "
            f"schema suggests that the op mutates {told}which is different from what was provided to us in "
            "`mutates_args`. Please make these consistent."
        )


class CustomOpDef:
    """An operator made by `custom_op`: callable, with methods that register further behaviour.

    Args:
        namespace (str): the namespace.
        name (str): the name.
        schema (str): its types.
        fn (callable): the function.
        tags (torch.Tag or sequence, optional): its properties.
    """

    def __init__(self, namespace: str, name: str, schema: str, fn, tags=None) -> None:
        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._backend_fns: dict = {}
        self._disabled_kernel: set = set()
        self._abstract_fn = self._setup_context_fn = self._backward_fn = self._vmap_fn = None
        self._autograd_class = self._autocast_dtype = None
        self._tags = [tags] if isinstance(tags, torch.Tag) else list(tags or ())
        self._lib = torch.library.Library(namespace, "FRAGMENT")
        self._define_in_library()
        OPDEFS[self._qualname] = self

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def _define_in_library(self):
        if former := OPDEFS.get(self._qualname):  # a repeated definition replaces the earlier one
            former._lib._destroy()
        self._lib.define(self._name + self._schema, tags=[torch.Tag.pt2_compliant_tag, *self._tags])
        self._opoverload = lookup_op(self._qualname)
        schema = self._opoverload._schema
        if has_kwarg_only_tensors(schema):
            self._lib._destroy()
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{self._name}{self._schema}"
            )
        self._mutated = [a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        self._lib._register_fake(self._name, self._run_fake, allow_override=True)
        self._lib.impl(self._name, self._run_autograd, "Autograd", allow_override=True)

    def __call__(self, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    # ---- registration --------------------------------------------------------------------------------------------

    def register_kernel(self, device_types, fn=None, /):
        """Adds the function for some kinds of devices.

        Args:
            device_types (str, sequence of str or None): the kinds; None for all.
            fn (callable, optional): the function; without one the result is a decorator.

        Returns:
            callable: the function, or a decorator.
        """

        def register(kernel):
            kinds = [device_types] if device_types is None or isinstance(device_types, str) else list(device_types)
            if kinds != [None] and not has_tensor_arg(self._opoverload._schema):
                return self._register_for_device_argument(kinds, kernel)
            for kind in kinds:
                self._backend_fns[kind] = kernel
                keys = ("CPU", "PrivateUse1") if kind is None else (_dispatch_keys.key_for_device(kind),)
                for key in keys:
                    self._lib.impl(self._name, self._make_kernel(kind), key, allow_override=True)
            return kernel

        return register if fn is None else register(fn)

    def _register_for_device_argument(self, kinds, kernel):
        """Registers the function of an operator without tensor arguments: its device argument selects the kernel."""
        index = get_device_arg_index(self._opoverload._schema)
        if index is None:
            raise ValueError("Functions without tensor inputs are required to have a `device: torch.device` argument")
        schema = self._opoverload._schema

        def select_kernel_by_device(*args, **kwargs):
            kind = dict(zip_schema(schema, *fill_defaults(schema, args, kwargs)))[schema.arguments[index]].type
            if kind not in self._backend_fns:
                raise RuntimeError(
                    f"{self._name} does not have a kernel registered for {kind}. Please use register_kernel to do so."
                )
            return self._make_kernel(kind)(*args, **kwargs)

        self._backend_fns.update(dict.fromkeys(kinds, kernel))
        self._lib.impl(self._name, select_kernel_by_device, "CompositeExplicitAutograd", allow_override=True)
        return kernel

    def _make_kernel(self, kind):
        def kernel(*args, **kwargs):
            function = self._init_fn if kind in self._disabled_kernel else self._backend_fns[kind]
            result = function(*args, **kwargs)
            for tensor in self._tensors_written_by(args, kwargs):  # autograd must see every write by the function
                torch.autograd.graph.increment_version(tensor)
            self._check_aliases(result, args, kwargs)
            return result

        return kernel

    def _tensors_written_by(self, args, kwargs):
        """Returns the tensors that the schema marks as written."""
        if not self._mutated:
            return ()
        given = dict(zip((a.name for a in self._opoverload._schema.arguments), args, strict=False)) | kwargs
        return [given[name] for name in self._mutated if isinstance(given.get(name), torch.Tensor)]

    def _check_aliases(self, result, args, kwargs):
        seen = {t.untyped_storage()._cdata for t in iter_tensors(args, kwargs)}
        for tensor in iter_tensors((result,), {}, allowed_nesting=2):
            storage = tensor.untyped_storage()._cdata
            if storage in seen:
                raise RuntimeError(
                    f"{self._name} (with implementation in {inspect.getmodule(self._make_kernel)}): The output of this "
                    "custom operator (1) must not also be an input to this custom operator and (2) may not alias any "
                    "inputs to this custom operator or other returns. The most common way to trigger this error is if "
                    "we have y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of the "
                    "offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return "
                    "y."
                )
            seen.add(storage)

    def register_fake(self, fn, /):
        """Adds the rule for tensors without data.

        Args:
            fn (callable): takes the operator's arguments, returns empty tensors.

        Returns:
            callable: the function.
        """
        self._abstract_fn = fn
        return fn

    def _run_fake(self, *args, **kwargs):
        if self._abstract_fn is not None:
            return self._abstract_fn(*args, **kwargs)
        if not self._opoverload._schema.returns:
            return None
        raise RuntimeError(
            f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx tracing to "
            f"work. Please use `{self._init_fn.__name__}.register_fake` to add an fake impl."
        )

    def register_autograd(self, backward, /, *, setup_context=None) -> None:
        """Adds the gradient.

        Args:
            backward (callable): ``backward(ctx, *grads)`` returns one gradient per argument.
            setup_context (callable, optional): ``setup_context(ctx, inputs, output)`` saves what it needs.

        Raises:
            RuntimeError: when the operator changes arguments.
        """
        if self._mutated:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema "
                f"{self._opoverload._schema}. Please create a functional operator and register an autograd formula for "
                "that."
            )
        self._backward_fn, self._setup_context_fn, self._autograd_class = backward, setup_context, None

    def _run_autograd(self, *args, **kwargs):
        wants_grad = torch.is_grad_enabled() and any(t.requires_grad for t in iter_tensors(args, kwargs))
        if wants_grad and not self._mutated:
            return self._autograd_function().apply(*args, kwargs)
        with _C._AutoDispatchBelowAutograd():
            return self._opoverload(*args, **kwargs)

    def _autograd_function(self):
        if self._autograd_class is None:
            self._autograd_class = autograd_function(self._opoverload, self._backward_fn, self._setup_context_fn)
        return self._autograd_class

    def register_vmap(self, func=None):
        """Adds the rule of `torch.vmap`; without one, vmap calls the operator once per slice.

        Args:
            func (callable, optional): ``func(info, in_dims, *args)`` returns ``(output, out_dims)``;
                without one the result is a decorator.

        Returns:
            callable or None: a decorator without `func`.
        """

        def register(function):
            if self._vmap_fn is None:
                kernel = vmap_rules.make_kernel_from_vmap_rule(
                    self._opoverload, lambda *args, **kwargs: self._vmap_fn(*args, **kwargs)
                )
                self._lib.impl(self._name, kernel, vmap_rules.KEY)
            self._vmap_fn = function

        return register if func is None else register(func)

    def register_autocast(self, device_type: str, cast_inputs, /):
        """Casts floating-point arguments while autocast is on for a kind of device.

        Args:
            device_type (str): ``"cpu"`` or ``"cuda"``.
            cast_inputs (torch.dtype): dtype that they are cast to.

        Returns:
            callable: the kernel.

        Raises:
            ValueError: when the device is unknown.
        """
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in ("cpu", "cuda"):
            raise ValueError(f"Unknown device type: {device_type}")
        need_wrapper = self._autocast_dtype is None
        self._autocast_dtype = cast_inputs

        def kernel(*args, **kwargs):
            with torch.autocast(device_type, enabled=False):
                return self._opoverload(*_cast(args, self._autocast_dtype), **_cast(kwargs, self._autocast_dtype))

        if need_wrapper and device_type == "cpu":
            self._lib.impl(self._name, kernel, "AutocastCPU")
        return kernel

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True):
        """Uses or skips the kernel of a kind of device inside the block; skipped, the original function runs.

        Args:
            device_type (str): the kind.
            enabled (bool): whether to use it. Default: ``True``.

        Returns:
            A context manager.
        """
        was_disabled = device_type in self._disabled_kernel
        if not enabled and device_type not in self._backend_fns:
            _log.warning(
                "Attempted to disable kernel for %s but no kernel was registered for this device type.", device_type
            )
        elif not enabled and was_disabled:
            _log.warning("Attempted to disable kernel for %s but it was already disabled.", device_type)
        elif enabled and not was_disabled:
            _log.warning("Attempted to enable kernel for  %s but it was already enabled.", device_type)
        (self._disabled_kernel.discard if enabled else self._disabled_kernel.add)(device_type)
        try:
            yield
        finally:
            (self._disabled_kernel.add if was_disabled else self._disabled_kernel.discard)(device_type)


def _cast(value, dtype):
    if isinstance(value, torch.Tensor):
        eligible = value.is_floating_point() and value.dtype != torch.float64
        return value.to(dtype) if eligible else value
    if isinstance(value, dict):
        return {key: _cast(item, dtype) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, dtype) for item in value)
    return value


def autograd_function(overload, backward_fn, setup_context_fn):
    """Returns the autograd.Function of an operator, whose last argument is a dictionary of those given by name;
    without a formula, its backward raises."""
    schema = overload._schema
    has_lists = any(is_tensorlist_like_type(a.type) for a in (*schema.arguments, *schema.returns))

    def forward(ctx, *values):
        *args, kwargs = values
        with _C._AutoDispatchBelowAutograd():
            result = overload(*args, **kwargs)
        if setup_context_fn is not None:
            inputs, named = fill_defaults(schema, args, kwargs)
            options = {"keyword_only_inputs": named} if named else {}
            setup_context_fn(ctx=ctx, inputs=inputs, output=result, **options)
        return result

    def backward(ctx, *grads):
        if backward_fn is None:
            raise RuntimeError(
                f"Trying to backward through {overload} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        with showing_needed_grads(ctx, ctx.needs_input_grad[:-1]):
            found = backward_fn(ctx, *grads)
        return (*found, None) if isinstance(found, tuple) else (found, None)

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    name = str(overload).replace(".", "_")
    function = type(f"GeneratedBackwardFor_{name}", (Function,), members)
    return supports_tensorlist(function) if has_lists else function
