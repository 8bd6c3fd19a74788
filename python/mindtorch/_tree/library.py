"""torch.library: operators defined by schema, kernels by dispatch key, and operators made of Python functions."""

from __future__ import annotations

import contextlib
import functools
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _C
from ._library.custom_ops import OPDEFS, CustomOpDef, autograd_function, custom_op
from . import _dispatch_keys as dispatch_keys
from ._library import fake_rules, kernels, vmap_rules
from ._library import opcheck as _opcheck
from ._library.infer_schema import infer_schema
from ._library.triton import triton_op, wrap_triton
from ._library.utils import has_kwarg_only_tensors, lookup_op, parse_namespace
from ._root import torch
from .utils._pytree import tree_leaves

__all__ = [
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "get_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]

# Namespaces with a DEF library and its source location; definitions and fakes with theirs.
_defined_namespaces: dict = {}
_definitions: dict = {}
_fakes: dict = {}
# Libraries that this module's functions created: their registrations are permanent.
_keep_alive: list = []


def _find_caller():
    frame = sys._getframe(2)
    while frame.f_globals.get("__name__") in (__name__, CustomOpDef.__module__) and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class _DispatchModule:
    """What a Library has as `m`; programs only delete it before the library."""


class Library:
    """Registers operators or kernels of one namespace; they last as long as the object.

    Args:
        ns (str): the namespace; ``"_"`` for fallbacks of all operators.
        kind (str): ``"DEF"`` for the one library that defines a new namespace, ``"FRAGMENT"`` to add
            definitions to one, ``"IMPL"`` for kernels only.
        dispatch_key (str): default of `impl`. Default: ``""``.

    Raises:
        ValueError: when the kind is unknown or the namespace reserved.
        RuntimeError: when a namespace is defined twice.

    Example:
        >>> lib = torch.library.Library("doc_library", "DEF")
        >>> lib.define("twice(Tensor x) -> Tensor")
        'twice'
        >>> lib.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
        >>> torch.ops.doc_library.twice(torch.tensor([1.0]))
        tensor([2.])
    """

    _reserved_namespaces = ("prim",)

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in self._reserved_namespaces and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        if dispatch_key:
            dispatch_keys.dispatcher_key_numbers(dispatch_key)
        self._place = _find_caller()
        if ns == "_" and kind == "DEF":
            raise RuntimeError("bad optional access")
        if ns == "_" and kind == "FRAGMENT":
            raise RuntimeError(
                "TORCH_LIBRARY_FRAGMENT: cannot define TORCH_LIBRARY_FRAGMENT with the wildcard namespace _ (every "
                "TORCH_LIBRARY_FRAGMENT defines operators for a distinct namespace!) Did you mean to use "
                "TORCH_LIBRARY_IMPL instead?  (Error occurred while processing TORCH_LIBRARY_FRAGMENT block at "
                f"{self._place})"
            )
        if kind == "DEF":
            self._claim_namespace(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._op_defs: set = set()
        self._op_impls: list = []
        self._op_rules: set = set()
        self._fallbacks: set = set()
        self.m = _DispatchModule()
        # Not __del__: registrations stay when the interpreter exits.
        registered = self._op_defs, self._op_impls, self._op_rules, self._fallbacks
        self._registrations = weakref.finalize(self, _unregister_all, ns if kind == "DEF" else None, *registered)
        self._registrations.atexit = False

    def _check_not_destroyed(self):
        if not self._registrations.alive:
            raise AssertionError("Library object has been destroyed")

    def _claim_namespace(self, ns):
        former = "aten" if ns == "aten" else _defined_namespaces.get(ns) or _find_namespace_definition_location(ns)
        if former:
            raise RuntimeError(
                f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your "
                "definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, consider "
                "using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define operators for a "
                "single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate "
                f"this.  Previous registration of TORCH_LIBRARY was registered at {former}; latest registration was "
                f"registered at {self._place}"
            )
        _defined_namespaces[ns] = self._place

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Defines an operator of this namespace.

        Args:
            schema (str): name and types, as ``"name(Tensor x, int n=1) -> Tensor"``.
            alias_analysis (str): ``""``, ``"FROM_SCHEMA"`` or ``"CONSERVATIVE"``. Default: ``""``.
            tags (torch.Tag or sequence): its properties. Default: ``()``.

        Returns:
            str: its name.

        Raises:
            RuntimeError: when it exists already or the schema cannot be read.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        self._check_not_destroyed()
        if schema.endswith("-> None"):
            schema = schema.removesuffix("None") + "()"
        name = schema.split("(")[0].strip()
        qualname = f"{self.ns}::{name}"
        if qualname in _definitions or (in_c := _find_definition_in_c(qualname)):
            former_schema, former = _definitions.get(qualname) or in_c
            raise RuntimeError(
                f"Tried to register an operator ({former_schema}) with the same name and overload name multiple times. "
                "Each overload's schema should only be registered with a single call to def(). Duplicate registration: "
                f"registered at {self._place}. Original registration: registered at {former}"
            )
        self._define_or_restore(qualname, schema)
        _definitions[qualname] = (f"{self.ns}::{schema}", self._place)
        torch._ops.told_tags[qualname] = (tags,) if isinstance(tags, torch.Tag) else tuple(tags)
        self._op_defs.add(qualname)
        kernels.install_waiting_kernels(qualname)
        space, base = getattr(torch.ops, self.ns), name.split(".")[0]
        space.__dict__.pop(base, None)  # makes the packet again, with this overload
        return name

    def _define_or_restore(self, qualname, schema):
        """Defines an operator. One that was removed is used again for the same schema, or frees its name."""
        former = torch._ops.removed.pop(qualname, None)
        if former == f"{self.ns}::{schema}":
            return
        if former is not None:
            _C._mt_library_undefine(*kernels.split(qualname))
        _C._mt_library_define(f"{self.ns}::{schema}")

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Registers a function as the kernel of an operator for a dispatch key.

        Args:
            op_name (str or OpOverload): the operator.
            fn (callable): the function, or `fallthrough_kernel`.
            dispatch_key (str): the key, such as ``"CPU"`` or ``"Autograd"``. Default: the library's, or
                ``"CompositeImplicitAutograd"``.
            with_keyset (bool): gives the function the keys as its first argument. Default: ``False``.
            allow_override (bool): does not warn when a kernel is replaced. Default: ``False``.

        Raises:
            TypeError: when `fn` cannot be called.
            RuntimeError: for another key than the library's.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        if self.dispatch_key not in ("", key):
            raise RuntimeError(
                f'impl("{op_name}", ...): Explicitly provided dispatch key ({key}) is inconsistent with the dispatch '
                f"key of the enclosing TORCH_LIBRARY_IMPL block ({self.dispatch_key}).  Please declare a separate "
                "TORCH_LIBRARY_IMPL block for this dispatch key and move your impl() there.  (Error occurred while "
                f"processing TORCH_LIBRARY_IMPL block at {self._place})"
            )
        if isinstance(op_name, str):
            name = op_name
        elif isinstance(op_name, torch._ops.OpOverload):
            name = op_name._schema.name + (f".{op_name._schema.overload_name}" if op_name._schema.overload_name else "")
        else:
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                f"{type(op_name)}"
            )
        self._check_not_destroyed()
        name = name.split("::")[-1]
        qualname = f"{self.ns}::{name}"
        if key == "Meta" and kernels.latest_kernel(qualname, "CompositeImplicitAutograd"):
            raise RuntimeError(
                f"We should not register a meta kernel directly to the operator '{qualname}', because it has a "
                "CompositeImplicitAutograd kernel in core. Instead we should let the operator decompose, and ensure "
                "that we have meta kernels for the base ops that it decomposes into."
            )
        former = kernels.latest_kernel(qualname, key)
        if not allow_override and former and qualname in _definitions:
            _warn_override(qualname, key, former.place, self._place)
        kernel = kernels.Kernel(None if fn is fallthrough_kernel else fn, key, self._place, with_keyset)
        self._op_impls.append((qualname, kernel))
        # As in torch, a kernel may be registered before its definition.
        kernels.add(qualname, kernel, qualname in _definitions or _has_operator(qualname))

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Registers a function for all operators that have no kernel for a key; in the namespace ``"_"`` only.

        Args:
            fn (callable): ``fn(operator, *args, **kwargs)``, or `fallthrough_kernel`.
            dispatch_key (str): the key. Default: the library's.
            with_keyset (bool): gives the function the keys as its first argument. Default: ``False``.

        Raises:
            RuntimeError: in another namespace, or when the key has a fallback.
        """
        name = dispatch_key or self.dispatch_key
        if self.ns != "_":
            raise RuntimeError(
                'Fallback can only be registered using library fragment on the global namespace "_" but it is '
                + self.ns
            )
        if not name:
            raise AssertionError("dispatch_key must not be empty for fallback")
        self._check_not_destroyed()
        former = dispatch_keys.find_conflicting_fallback(name)
        if former:
            raise RuntimeError(
                f"Tried to register multiple backend fallbacks for the same dispatch key {former[0]}; previous "
                f"registration registered at {former[1]}, new registration registered at {self._place}"
            )
        slots = dispatch_keys.dispatcher_key_numbers(name)
        if fn is not fallthrough_kernel:
            function = kernels.make_kernel_with_keys(fn) if with_keyset else fn
            for slot in slots:
                _C._mt_fallback(slot, function, with_keyset)
        dispatch_keys.FALLBACKS[name] = self._place, fn is not fallthrough_kernel
        self._fallbacks.add(name)

    def _register_fake(self, op_name, fn, _stacklevel=1, *, allow_override=True):
        qualname = f"{self.ns}::{op_name.split('::')[-1]}"
        if not allow_override and qualname in _fakes:
            raise RuntimeError(
                f"register_fake(...): the operator {qualname} already has a fake impl registered at {_fakes[qualname]}."
            )
        _fakes[qualname] = _find_caller()
        self.impl(op_name, fake_rules.make_meta_kernel(fn, qualname, _fakes[qualname]), "Meta", allow_override=True)

    def _register_torch_dispatch_rule(self, op_name, torch_dispatch_class, fn):
        qualname = f"{self.ns}::{op_name}"
        _C._torch_dispatch_rules[qualname, torch_dispatch_class] = fn
        self._op_rules.add((qualname, torch_dispatch_class))

    def _destroy(self):
        self._registrations()


def _unregister_all(defined_namespace, op_defs, op_impls, op_rules, fallbacks):
    """Removes a library's registrations when it is destroyed or has no references left."""
    for rule in op_rules:
        _C._torch_dispatch_rules.pop(rule, None)
    for qualname, kernel in op_impls:
        if kernel.key == "Meta":
            _fakes.pop(qualname, None)
        kernels.remove(qualname, kernel, _has_operator(qualname))
    for qualname in op_defs:
        namespace, name = qualname.split("::")
        getattr(torch.ops, namespace).__dict__.pop(name.split(".")[0], None)
        torch._ops.removed[qualname] = _definitions.pop(qualname)[0]
    for name in fallbacks:
        if dispatch_keys.FALLBACKS.pop(name)[1]:
            for slot in dispatch_keys.dispatcher_key_numbers(name):
                _C._mt_fallback(slot, None)
    if defined_namespace:
        _defined_namespaces.pop(defined_namespace, None)
    op_impls.clear()
    op_defs.clear()


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


def _library_or_permanent_one(namespace, lib):
    """Returns the library for registrations of this module's functions: the caller's, or a permanent one."""
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _keep_alive.append(lib)
    return lib


def fallthrough_kernel():
    """Stands for "no kernel" in `Library.impl`: calls go on to the next key. Not to be called.

    Returns:
        Nothing, since it always raises.

    Raises:
        NotImplementedError: when called.

    Example:
        >>> lib = torch.library.Library("doc_fallthrough", "DEF")
        >>> lib.define("twice(Tensor x) -> Tensor")
        'twice'
        >>> lib.impl("twice", lambda x: 2 * x, "CPU")
        >>> lib.impl("twice", torch.library.fallthrough_kernel, "AutogradCPU")
        >>> torch.ops.doc_fallthrough.twice(torch.tensor(3))
        tensor(6)
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def _find_namespace_definition_location(namespace):
    """Returns the source location at which an extension defined a namespace; None if none did, or none was loaded."""
    extensions = sys.modules.get(__package__ + "._extensions")
    return extensions and extensions.find_namespace_source(namespace)


def _find_definition_in_c(qualname):
    """Returns (schema, source location) of an operator that an extension defined; None for others."""
    name, overload = kernels.split(qualname)
    if not _has_operator(qualname):
        return None
    place = _C._mt_op_note(name, overload, "place")
    return place and (str(_C._get_schema(name, overload)), place.removeprefix("registered at "))


def _has_operator(qualname):
    return qualname not in torch._ops.removed and _C._get_operation_overload(*kernels.split(qualname)) is not None


_warned_override = False


def _warn_override(qualname, key, former, place):
    global _warned_override
    if _warned_override:
        return
    _warned_override = True
    warnings.warn(
        "Warning only once for all operators,  other operators may also be overridden.\n"
        "  Overriding a previously registered kernel for the same operator and the same dispatch key\n"
        f"  operator: {_definitions[qualname][0]}\n    registered at {_definitions[qualname][1]}\n"
        f"  dispatch key: {key}\n  previous kernel: no debug info\n       new kernel: registered at {place}",
        stacklevel=4,
    )


class _Underivable(torch.autograd.Function):
    """Makes a tensor the result of inputs that get no gradient; a backward pass through it calls `warn`."""

    @staticmethod
    def forward(ctx, warn, result, *inputs):
        ctx.warn = warn
        ctx.mark_dirty(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        ctx.warn(grad)
        return (None,) * len(ctx.needs_input_grad)


def _warn_on_backward(name, results, args, kwargs):
    """Called after an operator without an autograd kernel when one of its inputs requires a gradient."""
    if dispatch_keys.get_autograd_fallback_mode() == "nothing" or not torch.is_grad_enabled():
        return

    def warn(grad):
        warnings.warn(
            f"{name}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop "
            "through it. This may lead to silently incorrect behavior. This behavior is deprecated and will be removed "
            "in a future version of PyTorch. If your operator is differentiable, please ensure you have registered an "
            "autograd kernel to the correct Autograd key (e.g. DispatchKey::Autograd, "
            "DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to squash this "
            "warning and use the previous behavior, please register torch::CppFunction::makeFallthrough() to "
            "DispatchKey::Autograd."
        )

    inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    for result in tree_leaves(results):
        if not isinstance(result, torch.Tensor):
            continue
        if not result.requires_grad:
            if result.is_floating_point() or result.is_complex():
                _Underivable.apply(warn, result, *inputs)
            continue
        result.register_hook(warn)
        # Programs use what an operator wrote into through the tensor that it is a view of.
        base = result._base if any(result is item for item in inputs) else None
        if base is not None and base.requires_grad:
            base.register_hook(warn)


def _check_tensors_by_position(overload, who):
    if has_kwarg_only_tensors(overload._schema):
        raise NotImplementedError(
            f"{who} with kwarg-only Tensor args. In the original definition of the op, please make your tensors not "
            f"kwarg-only. Got: {overload._schema}"
        )


@functools.singledispatch
def define(qualname, schema, *, lib=None, tags: Iterable = ()):
    """Defines an operator by its schema; `impl` and `register_fake` add what it does.

    Args:
        qualname (str): ``"namespace::name"``.
        schema (str): the types, as ``"(Tensor x) -> Tensor"``.
        lib (Library, optional): the definition lasts as long as it. Default: for good.
        tags (torch.Tag or iterable): its properties. Default: ``()``.

    Returns:
        None.

    Raises:
        ValueError: when a text is not as required.

    Example:
        >>> torch.library.define("doc_define::thrice", "(Tensor x) -> Tensor")
        >>> @torch.library.impl("doc_define::thrice", "cpu")
        ... def thrice(x):
        ...     return x * 3
        >>> torch.ops.doc_define.thrice(torch.tensor([1.0]))
        tensor([3.])
    """
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = parse_namespace(qualname)
    if not isinstance(schema, str):
        raise TypeError(f"expected string or bytes-like object, got '{type(schema).__name__}'")
    if not schema.startswith("("):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    _library_or_permanent_one(namespace, lib).define(name + schema, alias_analysis="", tags=tags)


@define.register
def _make_define_decorator(lib: Library, schema, alias_analysis=""):
    """The older form: define(lib, "name(Tensor x) -> Tensor") decorates the operator's implementation."""

    def register(function):
        name = lib.define(schema, alias_analysis)
        lib.impl(name, function)
        return function

    return register


def impl(
    qualname: str, types: str | Sequence[str], func: Callable | None = None, *, lib: torch.library.Library | None = None
) -> object:
    """Registers the function of an operator for kinds of devices.

    Args:
        qualname (str or Library): ``"namespace::name"``; in an older form, a library, after which come
            the operator's name and a dispatch key, for a decorator.
        types (str or sequence of str): kinds of devices, such as ``"cpu"``, or ``"default"`` for all, or
            dispatch keys, such as ``"CPU"``.
        func (callable, optional): the function; without one the result is a decorator.
        lib (Library, optional): the registration lasts as long as it. Default: for good.

    Returns:
        callable or None: a decorator without `func`.

    Example:
        >>> torch.library.define("doc_impl::negated", "(Tensor x) -> Tensor")
        >>> torch.library.impl("doc_impl::negated", "default", lambda x: -x)
        >>> torch.ops.doc_impl.negated(torch.tensor([1.0]))
        tensor([-1.])
    """
    if isinstance(qualname, Library):
        return _make_impl_decorator(qualname, types, "" if func is None else func)
    kinds = {types} if isinstance(types, str) else set(types)
    keys = ["CompositeExplicitAutograd"] if "default" in kinds else [_dispatch_key_of(kind) for kind in kinds]

    def register(function):
        namespace, name = parse_namespace(qualname)
        target = _library_or_permanent_one(namespace, lib)
        for key in keys:
            target.impl(name, function, key)

    return register if func is None else register(func)


def _dispatch_key_of(kind):
    """Returns the dispatch key of a device type, or the key itself."""
    return kind if kind in dispatch_keys.DispatchKey.__members__ else dispatch_keys.key_for_device(kind)


def _make_impl_decorator(lib, name, dispatch_key):
    def register(function):
        lib.impl(name, function, dispatch_key)
        return function

    return register


def _find_custom_op_definition(op):
    """Returns the CustomOpDef for a name, an overload or the definition itself; None for other operators."""
    if isinstance(op, CustomOpDef):
        return op
    return OPDEFS.get(op._name if isinstance(op, torch._ops.OpOverload) else op)


def _qualified_operator_name_of(op, who):
    if isinstance(op, CustomOpDef):
        return op._qualname
    if isinstance(op, torch._ops.OpOverload):
        return op._name
    if isinstance(op, str):
        return op
    raise ValueError(f"{who}({op}): got unexpected type for op: {type(op)}")


def register_kernel(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef,
    device_types: str | Sequence[str] | None,
    func: Callable | None = None,
    /,
    *,
    lib: torch.library.Library | None = None,
):
    """Adds the function of an operator for some kinds of devices.

    Args:
        op (str, OpOverload or CustomOpDef): the operator.
        device_types (str, sequence of str or None): the kinds; None for all.
        func (callable, optional): the function; without one the result is a decorator.
        lib (Library, optional): the registration lasts as long as it. Default: for good.

    Returns:
        callable: the function, or a decorator.

    Raises:
        RuntimeError: when the operator does not exist.

    Example:
        >>> @torch.library.custom_op("doc_kernel::plus_one", mutates_args=())
        ... def plus_one(x: torch.Tensor) -> torch.Tensor:
        ...     return x + 1
        >>> @torch.library.register_kernel("doc_kernel::plus_one", "cpu")
        ... def _(x):
        ...     return x + 1.0
        >>> plus_one(torch.tensor([1.0]))
        tensor([2.])
    """
    qualname = _qualified_operator_name_of(op, "register_kernel")
    if _find_custom_op_definition(op) is not None:
        return _find_custom_op_definition(op).register_kernel(device_types, func)
    if func is not None and not _has_operator(qualname):
        raise RuntimeError(f"operator {qualname} does not exist")
    return impl(qualname, "default" if device_types is None else device_types, func, lib=lib)


def register_fake(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef,
    func: Callable | None = None,
    /,
    *,
    lib: torch.library.Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
):
    """Adds the rule of an operator for tensors without data: shapes and dtypes of its results.

    Args:
        op (str, OpOverload or CustomOpDef): the operator.
        func (callable, optional): takes the operator's arguments, returns empty tensors; without one
            the result is a decorator.
        lib (Library, optional): the registration lasts as long as it. Default: for good.
        _stacklevel (int): ignored. Default: ``1``.
        allow_override (bool): whether a rule may be replaced. Default: ``True``.

    Returns:
        callable: the function, or a decorator.

    Raises:
        RuntimeError: when the operator does not exist.

    Example:
        >>> @torch.library.custom_op("doc_fake::first_row", mutates_args=())
        ... def first_row(x: torch.Tensor) -> torch.Tensor:
        ...     return x[0].clone()
        >>> @torch.library.register_fake("doc_fake::first_row")
        ... def _(x):
        ...     return torch.empty_like(x[0])
        >>> first_row(torch.empty(2, 3, device="meta")).shape
        torch.Size([3])
    """
    qualname = _qualified_operator_name_of(op, "register_fake")

    def register(function):
        if _find_custom_op_definition(op) is not None:
            return _find_custom_op_definition(op).register_fake(function)
        if not _has_operator(qualname):
            raise RuntimeError(f"operator {qualname} does not exist")
        namespace, name = parse_namespace(qualname)
        _library_or_permanent_one(namespace, lib)._register_fake(name, function, allow_override=allow_override)
        return function

    return register if func is None else register(func)


def impl_abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    """Adds the rule of an operator for tensors without data; deprecated: `register_fake`.

    Args:
        qualname (str): ``"namespace::name"``.
        func (callable, optional): the rule; without one the result is a decorator.
        lib (Library, optional): the registration lasts as long as it.
        _stacklevel (int): ignored. Default: ``1``.

    Returns:
        callable: the function, or a decorator.

    Example:
        >>> import warnings
        >>> @torch.library.custom_op("doc_abstract::pairs", mutates_args=())
        ... def pairs(x: torch.Tensor) -> torch.Tensor:
        ...     return torch.stack([x, x])
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     _ = torch.library.impl_abstract("doc_abstract::pairs", lambda x: x.new_empty(2, *x.shape))
        >>> pairs(torch.empty(3, device="meta")).shape
        torch.Size([2, 3])
    """
    warnings.warn(
        "`torch.library.impl_abstract` was renamed to `torch.library.register_fake`. Please use that instead; we will "
        "remove `torch.library.impl_abstract` in a future version of PyTorch.",
        FutureWarning,
        stacklevel=2,
    )
    return register_fake(qualname, func, lib=lib, _stacklevel=_stacklevel + 1)


def register_autograd(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef,
    backward: Callable,
    /,
    *,
    setup_context: Callable | None = None,
    lib=None,
) -> None:
    """Adds the gradient of an operator.

    Args:
        op (str, OpOverload or CustomOpDef): an operator that changes no argument.
        backward (callable): ``backward(ctx, *grads)`` returns one gradient per input, None where
            there is none.
        setup_context (callable, optional): ``setup_context(ctx, inputs, output)`` saves what backward
            needs. Default: nothing is saved.
        lib (Library, optional): the registration lasts as long as it. Default: for good.

    Raises:
        RuntimeError: when the operator changes arguments.

    Example:
        >>> @torch.library.custom_op("doc_grad::cube", mutates_args=())
        ... def cube(x: torch.Tensor) -> torch.Tensor:
        ...     return x ** 3
        >>> def setup_context(ctx, inputs, output):
        ...     ctx.save_for_backward(*inputs)
        >>> def backward(ctx, grad):
        ...     return 3 * ctx.saved_tensors[0] ** 2 * grad
        >>> torch.library.register_autograd("doc_grad::cube", backward, setup_context=setup_context)
        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> torch.autograd.grad(cube(x), x)
        (tensor([12.]),)
    """
    qualname = _qualified_operator_name_of(op, "register_autograd")
    if _find_custom_op_definition(op) is not None:
        _find_custom_op_definition(op).register_autograd(backward, setup_context=setup_context)
        return
    namespace, name = parse_namespace(qualname)
    overload = lookup_op(qualname)
    if overload._schema.is_mutable:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {overload} with schema {overload._schema}. "
            "Please create a functional operator and register an autograd formula for that."
        )
    _check_tensors_by_position(overload, "register_autograd")
    function = autograd_function(overload, backward, setup_context)

    def kernel(*args, **kwargs):
        return function.apply(*args, kwargs)

    _library_or_permanent_one(namespace, lib).impl(name, kernel, "Autograd", allow_override=True)


def register_vmap(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef,
    func: Callable | None = None,
    /,
    *,
    lib=None,
):
    """Adds the rule of `torch.vmap` for an operator.

    Args:
        op (str, OpOverload or CustomOpDef): the operator.
        func (callable, optional): ``func(info, in_dims, *args)`` returns ``(output, out_dims)``;
            without one the result is a decorator.
        lib (Library, optional): the registration lasts as long as it; ignored for operators made by
            `custom_op`. Default: for good.

    Returns:
        callable or None: a decorator without `func`.

    Raises:
        ValueError: when `op` is no operator.

    Example:
        >>> @torch.library.custom_op("doc_vmap::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> @torch.library.register_vmap("doc_vmap::double")
        ... def _(info, in_dims, x):
        ...     return double(x), in_dims[0]
        >>> torch.vmap(double)(torch.tensor([1.0, 2.0]))
        tensor([2., 4.])
    """
    qualname = _qualified_operator_name_of(op, "register_vmap")
    if _find_custom_op_definition(op) is not None:
        return _find_custom_op_definition(op).register_vmap(func)
    namespace, name = parse_namespace(qualname)

    def register(function):
        overload = lookup_op(qualname)
        _check_tensors_by_position(overload, "register_vmap")
        kernel = vmap_rules.make_kernel_from_vmap_rule(overload, function)
        _library_or_permanent_one(namespace, lib).impl(name, kernel, vmap_rules.KEY, allow_override=True)

    return register if func is None else register(func)


def register_autocast(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef,
    device_type: str,
    cast_inputs: torch.dtype,
    /,
    *,
    lib: torch.library.Library | None = None,
):
    """Casts the floating-point tensors given to an operator made by `custom_op` while autocast is on.

    Args:
        op (str, OpOverload or CustomOpDef): the operator.
        device_type (str): the kind of device, such as ``"cpu"``.
        cast_inputs (torch.dtype): dtype that inputs are cast to.
        lib (Library, optional): ignored for these operators.

    Raises:
        NotImplementedError: for other operators.

    Returns:
        None.

    Example:
        >>> @torch.library.custom_op("doc_autocast::same", mutates_args=())
        ... def same(x: torch.Tensor) -> torch.Tensor:
        ...     return x.clone()
        >>> _ = torch.library.register_autocast("doc_autocast::same", "cpu", torch.bfloat16)
        >>> with torch.autocast("cpu"):
        ...     same(torch.ones(1)).dtype
        torch.bfloat16
    """
    qualname = _qualified_operator_name_of(op, "register_autocast")
    if _find_custom_op_definition(op) is None:
        raise NotImplementedError(f"torch.library.register_autocast: {qualname} was not made by custom_op")
    return _find_custom_op_definition(op).register_autocast(device_type, cast_inputs)


def register_torch_dispatch(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef,
    torch_dispatch_class: Any,
    func: Callable | None = None,
    /,
    *,
    lib: torch.library.Library | None = None,
):
    """Sets what one mode, or one tensor subclass, does when an operator reaches its ``__torch_dispatch__``.

    Args:
        op (str, OpOverload or CustomOpDef): the operator.
        torch_dispatch_class (type): the mode or the subclass.
        func (callable, optional): ``func(mode, operator, types, args, kwargs)``, with the class in
            place of the mode for subclasses; without one the result is a decorator.
        lib (Library, optional): the registration lasts as long as it. Default: for good.

    Returns:
        callable: the function, or a decorator.

    Example:
        >>> from torch.utils._python_dispatch import TorchDispatchMode
        >>> class Loud(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         return func(*args, **(kwargs or {}))
        >>> @torch.library.custom_op("doc_dispatch::copied", mutates_args=())
        ... def copied(x: torch.Tensor) -> torch.Tensor:
        ...     return x.clone()
        >>> @torch.library.register_torch_dispatch("doc_dispatch::copied", Loud)
        ... def rule(mode, func, types, args, kwargs):
        ...     print("called")
        ...     return func(*args, **kwargs)
        >>> with Loud():
        ...     _ = copied(torch.ones(1))
        called
    """
    qualname = _qualified_operator_name_of(op, "register_torch_dispatch")

    def register(function):
        namespace, name = parse_namespace(qualname)
        _library_or_permanent_one(namespace, lib)._register_torch_dispatch_rule(name, torch_dispatch_class, function)
        return function

    return register if func is None else register(func)


def get_ctx():
    """Returns the context of fake tensors, for use inside a rule of `register_fake`.

    Rules here get meta tensors. Only `opcheck` gives them a context, whose ``new_dynamic_size()`` is an
    int.

    Returns:
        The context; None outside of a rule.

    Raises:
        RuntimeError: inside of a rule that meta tensors called.

    Example:
        >>> torch.library.get_ctx() is None
        True
    """
    return fake_rules.context()


def get_kernel(
    op: str | torch._ops.OpOverload | torch._library.custom_ops.CustomOpDef, dispatch_key: str | torch.DispatchKey
):
    """Returns the kernel that an operator has for a dispatch key.

    A kernel that came with an operator goes on working when another is registered over it, which may
    call it.

    Args:
        op (str, OpOverload or CustomOpDef): the operator, such as ``"aten::add.Tensor"``.
        dispatch_key (str or DispatchKey): the key.

    Returns:
        The kernel; ``call_boxed(keys, ...)`` calls it.

    Raises:
        ValueError: when the key is unknown or the operator given by something else.

    Example:
        >>> kernel = torch.library.get_kernel("aten::sin", "CPU")
        >>> kernel.call_boxed(torch._C._dispatch_keys(torch.ones(1)), torch.tensor(0.0))
        tensor(0.)
    """
    if not isinstance(op, (str, torch._ops.OpOverload)):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else op._name
    if isinstance(dispatch_key, str):
        if dispatch_key not in dispatch_keys.DispatchKey.__members__:
            raise ValueError(f"Invalid dispatch key: {dispatch_key}")
        dispatch_key = dispatch_keys.DispatchKey[dispatch_key]
    return _C._dispatch_get_computed_kernel_for_dispatch_key(name, dispatch_key)


def opcheck(
    op: torch._ops.OpOverload | torch._ops.OpOverloadPacket | torch._library.custom_ops.CustomOpDef,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = _opcheck.DEFAULT_TESTS,
    raise_exception: bool = True,
    atol=None,
    rtol=None,
) -> dict[str, str]:
    """Checks that an operator agrees with its registrations, for given arguments.

    The tests compare the schema with what the operator changes, its gradient registration, the rule
    for tensors without data with real results, and the operator under functionalisation, and its
    gradients, with eager calls.

    Args:
        op (OpOverload, OpOverloadPacket or CustomOpDef): the operator.
        args (tuple): positional arguments.
        kwargs (dict, optional): keyword arguments.
        test_utils (str or sequence of str): names of tests, or ``"ALL"``. Default: all.
        raise_exception (bool): raises where a test fails, instead of noting it. Default: ``True``.
        atol, rtol (float, optional): tolerances of the comparison of values; both or none.

    Returns:
        dict: from the name of a test to ``"SUCCESS"`` or the error.

    Raises:
        ValueError: when arguments are not as required.

    Example:
        >>> result = torch.library.opcheck(torch.ops.aten.sin.default, (torch.ones(2),))
        >>> set(result.values())
        {'SUCCESS'}
    """
    if (rtol is None) != (atol is None):
        raise ValueError("opcheck(op, ...): if you specify one of rtol/atol, you must specify both")
    overload = op._opoverload if isinstance(op, CustomOpDef) else op
    if isinstance(overload, torch._ops.OpOverloadPacket):
        overload = _opcheck.only_overload(overload)
    if not isinstance(overload, torch._ops.OpOverload):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    names = tuple(_opcheck.TESTS) if test_utils == "ALL" else test_utils
    names = (names,) if isinstance(names, str) else names
    if not isinstance(names, (tuple, list)) or not set(names) <= set(_opcheck.TESTS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={names}), expected test_utils to be subset of {tuple(_opcheck.TESTS)} but it "
            "was not"
        )
    tolerance = {} if rtol is None else {"rtol": rtol, "atol": atol}
    return {name: _opcheck.check(name, overload, args, kwargs or {}, raise_exception, tolerance) for name in names}
