"""torch._C's view of the dispatcher: dispatch keys and key sets, guards, queries of kernels; with torch's names and
numbers.

The dispatcher here has fewer keys than torch's: one Autograd serves all devices, one Autocast, one for transforms.
"""

import enum

from . import _C

_BACKENDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta".split()
# Families of dispatch keys with one key per backend, such as AutogradCPU: each family's priority, and the number of its
# first backend's key.
_PER_BACKEND = {
    "": (1, 49),
    "Quantized": (5, 66),
    "Sparse": (8, 83),
    "SparseCsr": (9, 100),
    "NestedTensor": (10, 117),
    "Autograd": (21, 134),
}
_ALONE = {
    "Undefined": 0, "Dense": 1, "Quantized": 5, "Sparse": 8, "SparseCsr": 9, "NestedTensor": 10, "BackendSelect": 11,
    "Python": 13, "FuncTorchDynamicLayerBackMode": 14, "Functionalize": 15, "Conjugate": 16, "Negative": 17,
    "ZeroTensor": 18, "ADInplaceOrView": 19, "AutogradOther": 20, "AutogradFunctionality": 21,
    "AutogradNestedTensor": 22, "AutocastCPU": 24, "AutocastXPU": 27, "AutocastIPU": 28, "AutocastHPU": 29,
    "AutocastMPS": 31, "AutocastCUDA": 32, "AutocastPrivateUse1": 33, "FuncTorchBatched": 34, "FuncTorchVmapMode": 36,
    "FuncTorchGradWrapper": 39, "PythonTLSSnapshot": 41, "FuncTorchDynamicLayerFrontMode": 42, "PreDispatch": 45,
    "PythonDispatcher": 46,
}  # fmt: skip
_ALIASES = {
    "Autograd": 150, "CompositeImplicitAutograd": 151, "FuncTorchBatchedDecomposition": 152,
    "CompositeImplicitAutogradNestedTensor": 153, "CompositeExplicitAutograd": 154,
    "CompositeExplicitAutogradNonFunctional": 155,
}  # fmt: skip


def _assign_numbers_to_keys():
    numbers = dict(_ALONE)
    for functionality, (_, first) in _PER_BACKEND.items():
        numbers |= {functionality + backend: first + place for place, backend in enumerate(_BACKENDS)}
        group = {"": "Dense", "Autograd": "AutogradFunctionality"}.get(functionality, functionality)
        numbers[f"StartOf{group}Backends"] = first - 1
        numbers[f"EndOf{group}Backends"] = first + len(_BACKENDS) - 1
    return dict(sorted((numbers | _ALIASES).items(), key=lambda item: item[1]))


DispatchKey = enum.Enum("DispatchKey", _assign_numbers_to_keys(), module="torch._C")
DispatchKey.__doc__ = "What an operator's kernels are registered for: a backend, or a layer above such as Autograd."
# The keys that the dispatcher of this library implements: the number of each key's bit in the masks that _C's functions
# take, lowest priority first.
_CPU, _PRIVATE, _META, _SPARSE, _SPARSE_CSR, _NEGATIVE, _CONJUGATE, _PYTHON, _VIEWS, _AUTOGRAD = range(10)
_AUTOCAST, _TRANSFORMS = 10, 11
COMPOSITE = 14
_OWN = {
    "CPU": _CPU, "PrivateUse1": _PRIVATE, "Meta": _META, "SparseCPU": _SPARSE, "SparseCsrCPU": _SPARSE_CSR,
    "Negative": _NEGATIVE, "Conjugate": _CONJUGATE,
    "Python": _PYTHON, "ADInplaceOrView": _VIEWS, "AutogradCPU": _AUTOGRAD, "AutogradPrivateUse1": _AUTOGRAD,
    "AutogradMeta": _AUTOGRAD, "AutogradFunctionality": _AUTOGRAD, "AutogradOther": _AUTOGRAD,
    "AutocastCPU": _AUTOCAST, "AutocastPrivateUse1": _AUTOCAST, "FuncTorchBatched": _TRANSFORMS,
    "FuncTorchGradWrapper": _TRANSFORMS, "FuncTorchDynamicLayerFrontMode": _TRANSFORMS,
}  # fmt: skip


# Registrations of Library.fallback: {key: (source location, whether there is a function; fallthrough needs none)}.
FALLBACKS: dict = {}
# Keys that have a built-in fallback, and for each alias key the first of its keys that has one.
_SERVED = frozenset(
    "AutogradOther Conjugate ZeroTensor Negative BackendSelect ADInplaceOrView PythonTLSSnapshot Python "
    "FuncTorchDynamicLayerFrontMode FuncTorchDynamicLayerBackMode FuncTorchBatched FuncTorchVmapMode "
    "FuncTorchGradWrapper PythonDispatcher PreDispatch Functionalize AutocastCPU AutocastMPS AutocastXPU AutocastCUDA "
    "Meta AutogradCPU AutogradCUDA AutogradXLA AutogradMPS AutogradXPU AutogradHPU AutogradLazy AutogradMeta".split()
)
_FIRST_SERVED = {
    "Autograd": "AutogradOther", "CompositeImplicitAutograd": "Meta", "CompositeExplicitAutograd": "Meta",
    "CompositeExplicitAutogradNonFunctional": "Meta", "FuncTorchBatchedDecomposition": "FuncTorchBatched",
}  # fmt: skip


def find_conflicting_fallback(name):
    """Returns the key at which a fallback for this key conflicts with another, and the other's source location; None
    if there is none."""
    find_key_by_name(name)
    name = _FIRST_SERVED.get(name, name)
    if name in _SERVED:
        return name, "the dispatcher"
    if name in ("AutogradPrivateUse1", "AutocastPrivateUse1"):
        raise NotImplementedError(f"torch.library: a fallback for {name} is not available")
    return (name, FALLBACKS[name][0]) if name in FALLBACKS else None


def find_key_by_name(name):
    """Returns the key with a name; RuntimeError, with torch's text, for an unknown one."""
    key = DispatchKey.__members__.get(name)
    if key is None:
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return key


def dispatcher_key_numbers(name):
    """Returns the dispatcher's own numbers for a key with registered kernels; none if no tensor can have the key."""
    find_key_by_name(name)
    if name in ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"):
        return [_CPU, _PRIVATE, _META]
    if name == "CompositeImplicitAutograd":
        return [COMPOSITE]
    if name == "Autograd":
        return [_AUTOGRAD]
    return [_OWN[name]] if name in _OWN else []


def _dispatch_priority_of(key_name):
    for functionality, (number, _) in _PER_BACKEND.items():
        backend = key_name[len(functionality) :]
        if key_name.startswith(functionality) and backend in _BACKENDS:
            return number, _BACKENDS.index(backend)
    return _ALONE[key_name], 0


class DispatchKeySet:
    """A set of dispatch keys; aliases and the undefined key are in none.

    Args:
        key (torch._C.DispatchKey or str): the key that the set has at first, or its name; more come by ``add()`` and
            ``|``.

    Example:
        >>> keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        >>> keys.has(torch._C.DispatchKey.CPU)
        True
    """

    __slots__ = ("_names",)
    __module__ = "torch._C"

    def __init__(self, key):
        key = find_key_by_name(key) if isinstance(key, str) else key
        if not isinstance(key, DispatchKey):
            raise TypeError(
                "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
                f"    1. torch._C.DispatchKeySet(arg0: torch._C.DispatchKey)\n\nInvoked with: {key!r}"
            )
        self._names = frozenset() if key.name in _ALIASES or key.value == 0 else frozenset((key.name,))

    def has(self, key):
        """Returns whether a key is in the set.

        Args:
            key (DispatchKey): the key.

        Returns:
            bool: whether it is.
        """
        return key.name in self._names

    def add(self, key):
        """Returns the set with one more key.

        Args:
            key (DispatchKey): the key.

        Returns:
            DispatchKeySet: a new set.
        """
        return self | DispatchKeySet(key)

    def remove(self, key):
        """Returns the set without a key.

        Args:
            key (DispatchKey): the key.

        Returns:
            DispatchKeySet: a new set.
        """
        return self - DispatchKeySet(key)

    def highestPriorityTypeId(self):
        """Returns the key that a call with this set goes to first.

        Returns:
            DispatchKey: the key.
        """
        return DispatchKey[max(self._names, key=_dispatch_priority_of)] if self._names else DispatchKey.Undefined

    def __or__(self, other):
        return key_set_from_names(self._names | other._names)

    def __and__(self, other):
        return key_set_from_names(self._names & other._names)

    def __sub__(self, other):
        return key_set_from_names(self._names - other._names)

    def __eq__(self, other):
        return isinstance(other, DispatchKeySet) and self._names == other._names

    def __hash__(self):
        return hash(self._names)

    def __repr__(self):
        return f"DispatchKeySet({', '.join(sorted(self._names, key=_dispatch_priority_of))})"


def key_set_from_names(names):
    """Returns the set of the keys with these names."""
    made = DispatchKeySet(DispatchKey.Undefined)
    made._names = frozenset(names)
    return made


def mask_from_key_set(keys):
    """Converts a set to the dispatcher's bit mask."""
    mask = 0
    for name in keys._names:
        mask |= 1 << _OWN[name] if name in _OWN else 0
    return mask


def key_set_from_mask(mask):
    """Converts the dispatcher's bit mask to a set; Autograd and Autocast become those of its backends."""
    backends = [name for name in ("CPU", "PrivateUse1", "Meta") if mask >> _OWN[name] & 1]
    names = set(backends)
    names |= {name for name in ("Negative", "Conjugate", "Python", "ADInplaceOrView") if mask >> _OWN[name] & 1}
    if mask >> _AUTOGRAD & 1:
        names |= {"Autograd" + backend for backend in backends} or {"AutogradFunctionality"}
    if mask >> _AUTOCAST & 1:
        names |= {"Autocast" + backend for backend in backends if backend != "Meta"} or {"AutocastCPU"}
    if mask >> _TRANSFORMS & 1:
        names.add("FuncTorchDynamicLayerFrontMode")
    return key_set_from_names(names)


def _keys_of(tensor):
    backend = {"cpu": "CPU", "meta": "Meta"}.get(tensor.device.type, "PrivateUse1")
    names = {backend}
    if not tensor.is_inference():
        names |= {"ADInplaceOrView", "Autograd" + backend}
    names |= {name for name, there in (("Conjugate", tensor.is_conj()), ("Negative", tensor.is_neg())) if there}
    if backend != "Meta":
        names.add("Autocast" + backend)
    handler = getattr(type(tensor), "__torch_dispatch__", _C._disabled_torch_dispatch_impl)
    if handler is not _C._disabled_torch_dispatch_impl:
        names |= {"Python", "PythonTLSSnapshot"}
    return key_set_from_names(names)


class _Guard:
    """A context that adds keys to the thread's included and excluded keys, and restores both."""

    __module__ = "torch._C"

    def _change_thread_masks(self, included, excluded):
        return included, excluded

    def __enter__(self):
        self._before = _C._mt_thread_keys()
        _C._mt_set_thread_keys(*self._change_thread_masks(*self._before))

    def __exit__(self, *exception):
        _C._mt_set_thread_keys(*self._before)


class _ExcludeDispatchKeyGuard(_Guard):
    def __init__(self, keys):
        self._mask = mask_from_key_set(keys)

    def _change_thread_masks(self, included, excluded):
        return included & ~self._mask, excluded | self._mask


class ExcludeDispatchKeyGuard(_ExcludeDispatchKeyGuard):
    """Excludes dispatch keys in this thread while the object exists.

    Args:
        keys (DispatchKeySet): the keys.

    Example:
        >>> from torch._C import DispatchKey, DispatchKeySet
        >>> guard = torch.ExcludeDispatchKeyGuard(DispatchKeySet(DispatchKey.ADInplaceOrView))
        >>> del guard
    """

    def __init__(self, keys):
        super().__init__(keys)
        self.__enter__()

    def __del__(self):
        self.__exit__()


class _IncludeDispatchKeyGuard(_Guard):
    def __init__(self, key):
        self._mask = mask_from_key_set(DispatchKeySet(key))

    def _change_thread_masks(self, included, excluded):
        return included | self._mask, excluded


class _ForceDispatchKeyGuard(_Guard):
    def __init__(self, included, excluded):
        self._forced = mask_from_key_set(included), mask_from_key_set(excluded)

    def _change_thread_masks(self, included, excluded):
        return self._forced


class _SetExcludeDispatchKeyGuard(_Guard):
    def __init__(self, key, excluded):
        self._mask, self._on = mask_from_key_set(DispatchKeySet(key)), excluded

    def _change_thread_masks(self, included, excluded):
        return included, excluded | self._mask if self._on else excluded & ~self._mask


class _PreserveDispatchKeyGuard(_Guard):
    pass


class _AutoDispatchBelowADInplaceOrView(_Guard):
    def _change_thread_masks(self, included, excluded):
        return included, excluded | 1 << _AUTOGRAD | 1 << _VIEWS


class _DispatchOperatorHandle:
    """An overload that is called, or called below some keys."""

    __module__ = "torch._C"

    def __init__(self, call, redispatch):
        self._call, self._redispatch = call, redispatch

    def redispatch_boxed(self, keys, *args, **kwargs):
        return self._redispatch(mask_from_key_set(keys), *args, **kwargs)


def _find_schema_or_throw(name, overload):
    found = _C._get_operation_overload(name, overload)
    if found is None:
        raise RuntimeError(f"Could not find schema for {name}.{overload}.")
    return _DispatchOperatorHandle(*found[:2])


def _is_tensor_subclass_like(tensor):
    """Whether the values of a tensor may not be in its memory: for a wrapper, a transform's level, or inside a mode."""
    if not isinstance(tensor, _C.TensorBase):
        from ._future import raise_incompatible_arguments

        raise_incompatible_arguments("_dispatch_isTensorSubclassLike", "(arg0: torch.Tensor) -> bool", tensor)
    is_wrapped = _C._dispatch_keys(tensor).has(DispatchKey.Python) or _C._functorch.is_batchedtensor(tensor)
    return is_wrapped or _C._len_torch_dispatch_stack() > 0


def _has_kernel(name):
    base, _, overload = name.partition(".")
    return _C._get_operation_overload(base, overload) is not None


def _has_kernel_for(name, key):
    """Whether a kernel is registered for the key itself, or for an alias under its own name."""
    key = find_key_by_name(key) if isinstance(key, str) else key
    base, _, overload = name.partition(".")
    if _C._get_operation_overload(base, overload) is None:
        raise RuntimeError(f"operator {name} does not exist")
    composite = _C._mt_has_kernel(base, overload, COMPOSITE)
    if key.name == "CompositeImplicitAutograd" or (composite and name.startswith("aten::")):
        return composite and key.name == "CompositeImplicitAutograd"
    if key.name.startswith("Autograd") and key.name != "Autograd" and name.startswith("aten::"):
        return False  # aten's kernels are registered for the alias
    wanted = dispatcher_key_numbers(key.name)
    return bool(wanted) and all(_C._mt_has_kernel(base, overload, slot) for slot in wanted[:1])


def _has_computed_kernel_for(name, key):
    key = find_key_by_name(key) if isinstance(key, str) else key
    base, _, overload = name.partition(".")
    return (
        _has_kernel_for(name, key)
        or key.name in FALLBACKS
        or any(_C._mt_has_kernel(base, overload, slot) for slot in dispatcher_key_numbers(key.name))
    )


def has_built_in_kernel(name, key):
    """Whether an operator has a built-in kernel for a key, or the key has a built-in fallback."""
    base, _, overload = name.partition(".")
    return key.name in _SERVED or any(
        _C._mt_has_kernel(base, overload, slot) for slot in dispatcher_key_numbers(key.name)
    )


def is_alias(key):
    return key.name in _ALIASES


def key_for_device(kind):
    """Returns the key of a device type: "CPU" for "cpu". RuntimeError, with torch.device's text, for unknown types."""
    kind = _C.device(kind).type
    special = {"npu": "PrivateUse1", "privateuseone": "PrivateUse1", "meta": "Meta", "lazy": "Lazy"}
    return special.get(kind, kind.upper())


def _find_key_or_none(name):
    return DispatchKey.__members__.get(name)


def _key_name(key):
    return key.name if isinstance(key, DispatchKey) else find_key_by_name(key).name


def _set_of_keys_below(key):
    rank = _dispatch_priority_of(key.name)
    names = (name for name in DispatchKey.__members__ if name in _OWN or name in _ALONE)
    return key_set_from_names(name for name in names if name != "Undefined" and _dispatch_priority_of(name) < rank)


_fallback_modes = {"current": "warn"}


def get_autograd_fallback_mode():
    """Returns what backward passes through operators without an autograd kernel do: "nothing", "warn" or "error"."""
    return _fallback_modes["current"]


def _set_autograd_fallback_mode(mode):
    if mode not in ("nothing", "warn", "error"):
        raise RuntimeError("Unsupported autograd fallback mode")
    _fallback_modes["current"] = mode


def install():
    """Adds all functions and types to torch._C."""
    public = (
        DispatchKey, DispatchKeySet, ExcludeDispatchKeyGuard, _ExcludeDispatchKeyGuard, _IncludeDispatchKeyGuard,
        _ForceDispatchKeyGuard, _SetExcludeDispatchKeyGuard, _PreserveDispatchKeyGuard,
        _AutoDispatchBelowADInplaceOrView, _DispatchOperatorHandle,
    )  # fmt: skip
    for item in public:
        setattr(_C, item.__name__, item)
    functions = {
        "_dispatch_keys": _keys_of,
        "_dispatch_key_set": lambda tensor: repr(_keys_of(tensor)),
        "_dispatch_key_name": _key_name,
        "_dispatch_key_parse": find_key_by_name,
        "_parse_dispatch_key": _find_key_or_none,
        "_dispatch_key_for_device": key_for_device,
        "_dispatch_keyset_to_string": repr,
        "_dispatch_keyset_full_after": _set_of_keys_below,
        "_dispatch_num_backends": lambda: len(_BACKENDS),
        "_dispatch_has_kernel": _has_kernel,
        "_dispatch_has_kernel_for_dispatch_key": _has_kernel_for,
        "_dispatch_has_computed_kernel_for_dispatch_key": _has_computed_kernel_for,
        "_dispatch_has_kernel_for_any_dispatch_key": lambda name, keys: any(
            _has_computed_kernel_for(name, DispatchKey[key]) for key in keys._names
        ),
        "_dispatch_is_alias_key": is_alias,
        "_dispatch_get_backend_keyset_from_autograd": lambda key: key_set_from_names(
            (key.name.removeprefix("Autograd"),)
        ),
        "_dispatch_find_schema_or_throw": _find_schema_or_throw,
        "_dispatch_call_boxed": lambda handle, /, *args, **kwargs: handle._call(*args, **kwargs),
        "_dispatch_isTensorSubclassLike": _is_tensor_subclass_like,
        "_dispatch_tls_local_include_set": lambda: key_set_from_mask(_C._mt_thread_keys()[0]),
        "_dispatch_tls_local_exclude_set": lambda: key_set_from_mask(_C._mt_thread_keys()[1]),
        "_dispatch_tls_is_dispatch_key_included": lambda key: bool(
            _C._mt_thread_keys()[0] & mask_from_key_set(DispatchKeySet(key))
        ),
        "_dispatch_tls_is_dispatch_key_excluded": lambda key: bool(
            _C._mt_thread_keys()[1] & mask_from_key_set(DispatchKeySet(key))
        ),
        "_get_autograd_fallback_mode": get_autograd_fallback_mode,
        "_set_autograd_fallback_mode": _set_autograd_fallback_mode,
        "_after_autograd_keyset": _set_of_keys_below(DispatchKey.AutogradFunctionality),
        "_after_ADInplaceOrView_keyset": _set_of_keys_below(DispatchKey.ADInplaceOrView),
    }
    for name, item in functions.items():
        setattr(_C, name, item)


install()
