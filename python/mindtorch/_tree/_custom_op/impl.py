"""Operators of the former custom operator interface: functions by device type, and a pair for gradients."""

import collections
import inspect
import warnings

from .. import _C
from .._library import kernels
from .._library.autograd import supports_tensorlist
from .._library.infer_schema import infer_schema
from .._library.utils import (
    fill_defaults,
    get_source,
    is_functional_schema,
    is_tensor_like_type,
    is_tensorlist_like_type,
    iter_tensors,
    lookup_op,
)
from .._root import torch
from ..autograd.function import Function
from ..library import Library, get_ctx
from ..utils import _pytree as pytree

__all__ = ["custom_op", "CustomOp", "get_ctx"]

SUPPORTED_DEVICE_TYPE_TO_KEY = {"cpu": "CPU", "cuda": "CUDA"}
RESERVED_NS = {"aten", "prims", "pytorch", "at", "prim", "torch"}

# Maps "namespace::name" to the custom operator.
global_registry: dict = {}

_FORMULA_PARTS = ("save_for_backward", "backward")


def warn_deprecated():
    """Says that torch.library replaces this module."""
    warnings.warn(
        "torch._custom_op is deprecated and will be removed in PyTorch 2.6, please use the equivalent torch.library "
        "API instead.",
        DeprecationWarning,
        stacklevel=3,
    )


def parse_qualname(qualname: str) -> tuple[str, str]:
    """Splits "namespace::name"; raises for overloads."""
    namespace, found, name = qualname.partition("::")
    if not found:
        raise ValueError(
            f"Expected there to be a namespace in {qualname}, i.e. The operator name should look something like ns::foo"
        )
    if "." in name:
        raise ValueError(
            "The torch.custom_ops APIs do not handle overloads, i.e. operator names with '.' in them. Please name your "
            f"operator something like ns::foo. Got: {qualname}"
        )
    return namespace, name


def validate_namespace(ns: str) -> None:
    """Raises for namespaces of the library."""
    if ns in RESERVED_NS:
        raise ValueError(f"custom_op(..., ns='{ns}'): '{ns}' is a reserved namespace, please choose something else. ")


def _parse_schema(text):
    try:
        return _C.parse_schema(text)
    except RuntimeError as error:
        raise AssertionError(f"Invalid function schema: {text}") from error


def _check_supported(schema):
    if not is_functional_schema(schema):
        raise ValueError(
            "custom_op only supports functional operators (ops that do not mutate any inputs, do not return views of "
            "the inputs, and has at least one return). Got the following non-functional schema: " + str(schema)
        )
    if any(argument.name == "self" for argument in schema.arguments):
        raise ValueError(
            f"custom_op does not support arguments named 'self'. Please rename your argument. Got: {schema}"
        )


def _check_signature(function, schema):
    """Raises where a function and the schema given for it have other parameters."""
    signature = inspect.signature(function)
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    if not set(kinds) <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:
        raise ValueError(
            "custom_op(..., manual_schema)(func): positional-only args, varargs, and kwargs are not supported. Please "
            f"rewrite `func` to not have them. Got `func` with signature: {signature}"
        )
    has_defaults = any(p.default is not p.empty for p in signature.parameters.values())
    if has_defaults or any(argument.has_default_value() for argument in schema.arguments):
        raise ValueError(
            "custom_op(..., manual_schema)(func): neither func nor manual_schema should have default arguments. Got "
            f"func's signature: {signature}, manual_schema: {schema}"
        )
    declared = [(argument.name, argument.kwarg_only) for argument in schema.arguments]
    given = [(p.name, p.kind == p.KEYWORD_ONLY) for p in signature.parameters.values()]
    if declared != given:
        raise ValueError(
            "custom_op(..., manual_schema)(func): When passing in a manual schema, we expect `func`'s signature to "
            "match `manual_schema` (aside from type annotations). func's signature: "
            f"{signature}, manual_schema: {schema}"
        )


def custom_op(qualname: str, manual_schema: str | None = None):
    """Defines an operator with a function's name and annotations; the function itself is never called.

    Args:
        qualname (str): ``"namespace::name"``.
        manual_schema (str, optional): types, as ``"(Tensor x) -> Tensor"``. Default: from the annotations.

    Returns:
        callable: a decorator that returns the CustomOp.
    """
    warn_deprecated()
    return _make_decorator_to_define(qualname, manual_schema)


def _make_decorator_to_define(qualname, manual_schema=None):
    def define(function):
        namespace, name = parse_qualname(qualname)
        validate_namespace(namespace)
        if not inspect.isfunction(function):
            raise ValueError(f"custom_op(...)(func): Expected `func` to be a Python function, got: {type(function)}")
        if function.__name__ != name:
            raise ValueError(
                f"custom_op(qualname='{qualname}', ...)(func): expected `func` to have name '{name}' but got "
                f"'{function.__name__}'. Please either change the name of `func` or the qualname that is passed to "
                "`custom_op`"
            )
        if manual_schema is None:
            return _define_operator(qualname, infer_schema(function, mutates_args=()))
        _check_signature(function, _parse_schema(name + manual_schema))
        return _define_operator(qualname, manual_schema)

    return define


def _define_operator(qualname, types_text):
    namespace, name = parse_qualname(qualname)
    validate_namespace(namespace)
    _check_supported(_parse_schema(name + types_text))
    lib = Library(namespace, "FRAGMENT")
    lib.define(name + types_text)
    made = CustomOp(lib, namespace, None, name, lookup_op(qualname), _private_access=True)
    made._refuse_missing_kernels()
    return made


def get_op(qualname):
    """Returns the OpOverload of an operator, whoever defined it."""
    parse_qualname(qualname)
    try:
        return lookup_op(qualname)
    except AttributeError:
        raise ValueError(
            f"Could not find the operator {qualname}. Please make sure you have already registered the operator and "
            "(if registered from C++) loaded it via torch.ops.load_library."
        ) from None


def _find_custom_op(qualname, also_check_torch_library=False):
    if qualname in global_registry:
        return global_registry[qualname]
    if not also_check_torch_library:
        raise RuntimeError(f'Could not find custom op "{qualname}". Did you register it via the torch._custom_ops API?')
    overload = get_op(qualname)
    namespace, name = parse_qualname(qualname)
    return CustomOp(Library(namespace, "FRAGMENT"), namespace, None, name, overload, _private_access=True)


class CustomOp:
    """An operator of this module: callable, with decorators that add its functions.

    Args:
        lib (Library): holds the registrations.
        cpp_ns (str): the namespace.
        schema (FunctionSchema, optional): ignored: the operator's own counts.
        operator_name (str): the name.
        ophandle (OpOverload): the operator.
        _private_access (bool): only `custom_op` may make objects. Default: ``False``.

    Raises:
        RuntimeError: when a program calls it.
    """

    def __init__(self, lib, cpp_ns, schema, operator_name, ophandle, *, _private_access=False):
        warn_deprecated()
        if not _private_access:
            raise RuntimeError(
                "The CustomOp constructor is private and we do not guarantee BC for it. Please use custom_op(...) to "
                "create a CustomOp object"
            )
        self._lib, self._cpp_ns, self._opname, self._opoverload = lib, cpp_ns, operator_name, ophandle
        self._qualname = f"{cpp_ns}::{operator_name}"
        self.__name__ = None
        self._impls = {}  # what was registered: (function, source location) by device type or part of the formula
        self._own_kernels = set()
        self._output_differentiability = None
        self._function = None
        global_registry[self._qualname] = self

    def __repr__(self):
        return f'<CustomOp(op="{self._qualname}")>'

    def __call__(self, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    def _destroy(self):
        self._lib._destroy()
        global_registry.pop(self._qualname, None)

    # ---- kernels -------------------------------------------------------------------------------------------------

    def _register(self, kind, function, place):
        if kind in self._impls:
            raise RuntimeError(
                f"Attempting to register a {kind} impl for operator {self._qualname} that already has a {kind} impl "
                f"registered from Python at {self._impls[kind][1]}. This is not supported."
            )
        self._impls[kind] = function, place

    def _add_kernel(self, function, key):
        self._own_kernels.add(function)
        self._lib.impl(self._opname, function, key, allow_override=True)

    def _has_foreign_kernel(self, key):
        kernel = kernels.latest_kernel(self._qualname, key)
        return kernel is not None and kernel.function not in self._own_kernels

    def _refuse_missing_kernels(self):
        """Registers kernels that name what the program has not registered yet."""

        def no_kernel(*args, **kwargs):
            tensor = next(iter_tensors(args, kwargs), None)
            if tensor is None:
                raise NotImplementedError(
                    f"{self}: There were no Tensor inputs to this operator (e.g. you passed an empty list of Tensors). "
                    "If your operator is a factory function (that is, it takes no Tensors and constructs a new one), "
                    "then please use CustomOp.impl_factory to register an implementation for it"
                )
            kind = tensor.device.type
            if kind == "meta":
                raise NotImplementedError(
                    f"{self._qualname}: attempted to run this operator with Meta tensors, but there was no fake impl "
                    "or Meta kernel registered. You may have run into this message while using an operator with PT2 "
                    "compilation APIs (torch.compile/torch.export); in order to use this operator with those APIs "
                    "you'll need to add a fake impl. Please see the following for next steps:  "
                    "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
                )
            raise NotImplementedError(
                f"{self}: when running with device='{kind}' tensors: there is no {kind} impl registered for this "
                f"CustomOp. Please register one via CustomOp.impl(device_type='{kind}')"
            )

        self._add_kernel(no_kernel, "CompositeExplicitAutograd")
        self._add_kernel(self._run_registered_backward_formula, "Autograd")

    def impl(self, device_types, _stacklevel=2):
        """Adds the function for one or several kinds of devices.

        Args:
            device_types (str or iterable of str): ``"cpu"`` or ``"cuda"``.

        Returns:
            callable: a decorator that returns its function.
        """
        kinds = [device_types] if isinstance(device_types, str) else list(device_types)
        place = get_source(_stacklevel)

        def register_device_kernel(function):
            unknown = [kind for kind in kinds if kind not in SUPPORTED_DEVICE_TYPE_TO_KEY]
            if unknown:
                raise ValueError(
                    f"CustomOp.impl(device_types=[{unknown[0]}, ...]): we only support device_type in "
                    f"{SUPPORTED_DEVICE_TYPE_TO_KEY.keys()}."
                )
            for kind in dict.fromkeys(kinds):
                keys = (SUPPORTED_DEVICE_TYPE_TO_KEY[kind], "CompositeImplicitAutograd", "CompositeExplicitAutograd")
                if any(self._has_foreign_kernel(key) for key in keys):
                    raise RuntimeError(
                        f"impl(..., device_types={kind}): the operator {self._qualname} already has an implementation "
                        "for this device type via a pre-existing torch.library or TORCH_LIBRARY registration."
                    )
                self._register(kind, function, place)
                self._add_kernel(function, SUPPORTED_DEVICE_TYPE_TO_KEY[kind])
            return function

        return register_device_kernel

    def impl_factory(self):
        """Adds the function of an operator without tensor arguments; returns a decorator."""
        place = get_source(2)

        def register_factory_kernel(function):
            self._register("factory", function, place)
            self._add_kernel(function, "BackendSelect")
            return function

        return register_factory_kernel

    def impl_abstract(self, _stacklevel=2):
        """Adds the rule for tensors without data; returns a decorator."""

        def register_fake_kernel(function):
            torch.library.register_fake(self._qualname, function, lib=self._lib, _stacklevel=_stacklevel)
            return function

        return register_fake_kernel

    # ---- gradients -----------------------------------------------------------------------------------------------

    def _check_can_register_backward(self):
        def refuse_backward_registration(what):
            text = f"{self._opname}{str(self._opoverload._schema).partition(self._qualname)[2]}"
            raise RuntimeError(
                f"Cannot use torch._custom_ops APIs to register backward formula for {what}. Got operator "
                f"{self._qualname} with schema: {text}"
            )

        schema = self._opoverload._schema
        if schema.is_mutable:
            refuse_backward_registration("non-functional operator")
        if not schema.returns:
            refuse_backward_registration("operator with no returns")
        if not is_functional_schema(schema):
            refuse_backward_registration("operator that returns views")
        if self._has_foreign_kernel("CompositeImplicitAutograd"):
            raise RuntimeError(
                f"impl_backward/impl_save_for_backward: the operator {self._qualname} already has an implementation "
                "for this device type via a pre-existing registration to DispatchKey::CompositeImplicitAutograd."
                "CompositeImplicitAutograd operators do not need an autograd formula; instead, the operator will "
                "decompose into its constituents and those can have autograd formulas defined on them."
            )
        for key in ("Autograd", "AutogradCPU", "AutogradCUDA"):
            if self._has_foreign_kernel(key):
                raise RuntimeError(
                    f"impl_backward/impl_save_for_backward: the operator {self._qualname} already has an Autograd "
                    f"kernel registered to DispatchKey::{key} vi a pre-existing torch.library or TORCH_LIBRARY "
                    "registration. Please either remove those registrations or don't use the torch._custom_ops APIs"
                )

    def _make_decorator_to_register_backward(self, formula_part, source_location):
        def register_backward_part(function):
            self._check_can_register_backward()
            self._register(formula_part, function, source_location)
            if self._run_registered_backward_formula not in self._own_kernels:
                self._add_kernel(self._run_registered_backward_formula, "Autograd")
            return function

        return register_backward_part

    def impl_save_for_backward(self, _stacklevel=2):
        """Adds ``function(inputs, output)``, whose result the backward function gets; returns a decorator."""
        return self._make_decorator_to_register_backward("save_for_backward", get_source(_stacklevel))

    def impl_backward(self, output_differentiability=None, _stacklevel=2):
        """Adds ``function(ctx, saved, *grads)``, which returns a dictionary of gradients by argument.

        Args:
            output_differentiability (list of bool, optional): which results have gradients. Default: all.

        Returns:
            callable: a decorator that returns its function.
        """
        given, count = output_differentiability, len(self._opoverload._schema.returns)
        if given is not None:
            is_list = isinstance(given, list) and all(isinstance(flag, bool) for flag in given)
            if not is_list or len(given) != count:
                raise RuntimeError(
                    "impl_backward(output_differentiability): expected output_differentiability to be a list of bools "
                    f"with length equal to the number of outputs of this CustomOp got: {given}"
                )
        register = self._make_decorator_to_register_backward("backward", get_source(_stacklevel))

        def register_with_flags(function):
            result = register(function)
            self._output_differentiability = given
            return result

        return register_with_flags

    def _run_registered_backward_formula(self, *args, **kwargs):
        if not torch.is_grad_enabled() or not any(t.requires_grad for t in iter_tensors(args, kwargs)):
            with _C._AutoDispatchBelowAutograd():
                return self._opoverload(*args, **kwargs)
        there = [part for part in _FORMULA_PARTS if part in self._impls]
        if not there:
            raise RuntimeError("Autograd has not been implemented for operator")
        if len(there) == 1:
            missing = next(part for part in _FORMULA_PARTS if part not in there)
            raise RuntimeError(
                f"We found a '{there[0]}' registration for {self} at {self._impls[there[0]][1]} but were unable to "
                f"find a '{missing}' registration. To use the CustomOp API to register a backward formula, please "
                "provide us both a backward function and a 'save for backward' function via `impl_backward` and "
                "`impl_save_for_backward` respectively."
            )
        if self._function is None:
            self._function = self._make_function()
        args, kwargs = fill_defaults(self._opoverload._schema, args, kwargs)
        return self._function.apply(*args, *kwargs.values(), None)

    def _make_function(self):
        """Returns the autograd.Function of the two registered functions; it takes all arguments by position."""
        schema = self._opoverload._schema
        names = [argument.name for argument in schema.arguments]
        n_positional = sum(not argument.kwarg_only for argument in schema.arguments)
        inputs_type = collections.namedtuple(f"{self._opname}_args", names)
        save, back = (self._impls[part][0] for part in _FORMULA_PARTS)

        def forward(ctx, *values):
            values = values[:-1]
            named = dict(zip(names[n_positional:], values[n_positional:], strict=True))
            with _C._AutoDispatchBelowAutograd():
                result = self._opoverload(*values[:n_positional], **named)
            saved, ctx.saved_structure = pytree.tree_flatten(save(inputs_type(*values), result))
            is_tensor = [isinstance(leaf, torch.Tensor) for leaf in saved]
            ctx.save_for_backward(*(leaf for leaf, keep in zip(saved, is_tensor, strict=True) if keep))
            ctx.saved_others = [(keep, None if keep else leaf) for leaf, keep in zip(saved, is_tensor, strict=True)]
            ctx.list_lengths = {
                name: len(value) for name, value in zip(names, values, strict=True) if isinstance(value, (list, tuple))
            }
            self._mark_outputs(ctx, result if isinstance(result, tuple) else (result,))
            return result

        def backward(ctx, *grads):
            tensors = iter(ctx.saved_tensors)
            leaves = [next(tensors) if is_tensor else value for is_tensor, value in ctx.saved_others]
            found = back(ctx, pytree.tree_unflatten(leaves, ctx.saved_structure), *grads)
            self._check_gradients(found, ctx.list_lengths)
            return (*(list(g) if isinstance(g := found.get(name), tuple) else g for name in names), None)

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return supports_tensorlist(type(f"{self._opname}_customop", (Function,), members))

    def _mark_outputs(self, ctx, results):
        flags = self._output_differentiability
        if flags is None:
            return
        for index, (result, flag) in enumerate(zip(results, flags, strict=True)):
            tensors = list(iter_tensors((result,), {}))
            if flag and not tensors and not isinstance(result, (list, tuple)):
                raise RuntimeError(
                    f"With output_differentiability={flags}. At idx {index}, we received an object of type "
                    f"{type(result)} that is not a Tensor, so it cannot have be marked as differentiable in "
                    "output_differentiability."
                )
        ctx.mark_non_differentiable(
            *iter_tensors([r for r, flag in zip(results, flags, strict=True) if not flag], {}, allowed_nesting=1)
        )

    def _check_gradients(self, found, list_lengths):
        """Raises where the result of the backward function does not fit the arguments."""

        def refuse_gradient(what):
            raise RuntimeError(
                f"In the backward function defined for {self} at {self._impls['backward'][1]} using the CustomOp API, "
                + what
            )

        if not isinstance(found, dict):
            refuse_gradient(f"expected the output of the backward function to be a dict but got {type(found)}")
        arguments = self._opoverload._schema.arguments
        lists = {a.name for a in arguments if is_tensorlist_like_type(a.type)}
        expected = lists | {a.name for a in arguments if is_tensor_like_type(a.type)}
        if found.keys() != expected:
            refuse_gradient(
                f"expected the returned grad_input dict to have keys {expected} but got {found.keys()}. The backward "
                "function must return a gradient (can be None) for each arg to the CustomOp that may be a Tensor or "
                "Sequence[Tensor]. Args declared to be non-Tensor-like types should not appear in the grad_input dict"
            )
        for name, gradient in found.items():
            if name not in lists:
                if gradient is not None and not isinstance(gradient, torch.Tensor):
                    refuse_gradient(
                        f"got object of type {type(gradient)} as the gradient for input '{name}', but expected the "
                        "gradient to be either None or a Tensor"
                    )
                continue
            head = f"for input '{name}' expected the grad_input dict to hold a list of "
            if not isinstance(gradient, (list, tuple)):
                refuse_gradient(f"{head}gradients but got object of type {type(gradient)}.")
            if len(gradient) != list_lengths.get(name, len(gradient)):
                refuse_gradient(f"{head}{list_lengths[name]} gradients but got {len(gradient)}")
            for index, item in enumerate(gradient):
                if item is not None and not isinstance(item, torch.Tensor):
                    refuse_gradient(f"{head}None or Tensor gradients but got object of {type(item)} at index {index}")
