"""Higher-order operators that programs define: Python kernels by dispatch key, mode or subclass."""

import abc
import types

from .. import _C
from .._root import torch


class HigherOrderNamespace(types.ModuleType):
    """torch.ops.higher_order: the operators that programs defined, by name."""

    __file__ = "torch.ops"

    def __init__(self):
        super().__init__("torch.ops.higher_order")

    def __getattr__(self, name):
        raise AttributeError(f"'_HigherOrderNamespace' 'torch.ops.higher_order' object has no attribute '{name}'")


def make_higher_order_operator_class(operator_base, namespace):
    """HigherOrderOperator, whose instances `namespace` lists."""

    class HigherOrderOperator(operator_base, abc.ABC):
        """The base of operators that take functions; a subclass writes `__call__`, which may call this one.

        A call goes to the kernel of `py_impl` for the highest key that counts: autograd first, then a mode or
        a subclass of ``__torch_dispatch__``, then the tensors' backend.

        Args:
            name (str): the operator's name.
            cacheable (bool): a note for compilers. Default: ``False``.

        Raises:
            TypeError: when the class itself is called.

        Example:
            >>> from torch._ops import HigherOrderOperator
            >>> class Twice(HigherOrderOperator):
            ...     def __init__(self):
            ...         super().__init__("doc_twice")
            ...     def __call__(self, function, x):
            ...         return function(function(x))
            >>> Twice()(torch.square, torch.tensor(3.0))
            tensor(81.)
        """

        def __init__(self, name, *, cacheable=False):
            super().__init__()
            self._name = self.__name__ = name
            self._ns = "higher_order"
            self._cacheable = cacheable
            self._passed_on = set()
            setattr(namespace, name, self)

        def __str__(self):
            return self._name

        def name(self):
            return self._name

        @property
        def namespace(self):
            return self._ns

        def cacheable(self):
            return self._cacheable

        def py_impl(self, k):
            if k in self.py_kernels:
                raise RuntimeError(f"Trying to override a python impl for {k} on operator {self._name}")
            return super().py_impl(k)

        def fallthrough(self, dispatch_key):
            """Makes calls skip a key."""
            self._passed_on.add(dispatch_key)

        @abc.abstractmethod
        def __call__(self, /, *args, **kwargs):
            given = torch.utils._pytree.tree_leaves((args, kwargs))
            tensors = [value for value in given if isinstance(value, _C.TensorBase)]
            if overloaded := torch.overrides._get_overloaded_args(given):
                return torch.overrides.handle_torch_function(self, overloaded, *args, **kwargs)
            for key in _keys_of_call(tensors):
                if key is _C.DispatchKey.Python:
                    found, kernel = _python_kernel(self, tensors)
                    if found:
                        return kernel(*args, **kwargs)
                elif key not in self._passed_on:
                    return self.dispatch(key, *args, **kwargs)
            raise NotImplementedError(f"could not find kernel for HigherOrderOperator {self._name}")

        def dispatch(self, dispatch_key, /, *args, **kwargs):
            """Calls the kernel of a key, or of an alias of it.

            Args:
                dispatch_key (DispatchKey): the key.
                *args, **kwargs: the kernel's arguments.

            Raises:
                NotImplementedError: when there is none.
            """
            for key in (dispatch_key, *_alias_keys_of(dispatch_key)):
                if key in self.py_kernels:
                    return self.py_kernels[key](*args, **kwargs)
            raise NotImplementedError(
                f"could not find kernel for HigherOrderOperator {self._name} at dispatch key {dispatch_key} (resolved "
                f"from {dispatch_key})"
            )

    HigherOrderOperator.__module__ = operator_base.__module__
    HigherOrderOperator.__qualname__ = "HigherOrderOperator"
    return HigherOrderOperator


def _keys_of_call(tensors):
    """Returns the relevant keys of a call, the highest first."""
    keys = _C.DispatchKey
    if not tensors:
        return [keys.Python, keys.CompositeExplicitAutograd]
    backend = "Meta" if any(tensor.is_meta for tensor in tensors) else "CPU"
    autograd = getattr(keys, f"Autograd{backend}")
    records = not all(tensor.is_inference() for tensor in tensors)
    if records and not _C._dispatch_tls_is_dispatch_key_excluded(autograd):
        return [autograd, keys.Python, getattr(keys, backend)]
    return [keys.Python, getattr(keys, backend)]


def _alias_keys_of(key):
    keys = _C.DispatchKey
    if key.name.startswith("Autograd"):
        return keys.Autograd, keys.CompositeImplicitAutograd
    return keys.CompositeExplicitAutograd, keys.CompositeImplicitAutograd


def _python_kernel(operator, tensors):
    """Returns whether a mode or a subclass handles the call, and the function that does."""
    modes = torch.utils._python_dispatch
    mode = modes._get_current_dispatch_mode()
    if mode is not None:
        rule = operator.py_kernels.get(type(mode))
        if rule is None and not getattr(mode, "supports_higher_order_operators", False):
            raise NotImplementedError(
                f"There was no rule registered for HigherOrderOperator {operator._name} and mode {mode}.Hint: set "
                f"{mode}'s supports_higher_order_operators to True. This causes all higher order operators to pass "
                f"through {mode}'s __torch_dispatch__, so handle them accordingly by adding support for "
                f"HigerOrderOperators (in this case, {operator._name}) in {mode}.__torch_dispatch__ or returning "
                "NotImplemented when not supported."
            )

        def call_mode_handler(*args, **kwargs):
            with modes._pop_mode_temporarily() as current:
                if rule is not None:
                    return rule(current, *args, **kwargs)
                return current.__torch_dispatch__(operator, (), args, kwargs)

        return True, call_mode_handler
    for tensor in tensors:
        if type(tensor) in operator.py_kernels:
            return True, operator.py_kernels[type(tensor)]
    return False, None
