"""Parametrizations: parameters that are computed from others at each access."""

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from contextlib import contextmanager
from copy import deepcopy

from ... import _C
from ..._root import torch
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

__all__ = [
    "cached", "ParametrizationList", "register_parametrization", "is_parametrized", "remove_parametrizations",
    "type_before_parametrizations", "transfer_parametrizations_and_params",
]  # fmt: skip

_cache_enabled = 0
_cache = {}


@contextmanager
def cached():
    """Returns a context in which each parametrized tensor is computed once, however often it is read.

    For a weight that one forward pass reads several times, as in a recurrent network. Values
    computed inside are dropped at its end.

    Returns:
        context manager: gives ``None``.

    Example:
        >>> from torch.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.orthogonal(nn.Linear(3, 3))
        >>> with parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register_parameter_or_buffer(module, name, X):
    if isinstance(X, Parameter):
        module.register_parameter(name, X)
    else:
        module.register_buffer(name, X)


def _maybe_set(dest, src):
    """Gives `dest` the values and memory of `src`, and keeps the object."""
    from ...utils._python_dispatch import is_traceable_wrapper_subclass

    if torch.__future__.get_swap_module_params_on_conversion() or is_traceable_wrapper_subclass(dest):
        if isinstance(dest, Parameter) and not isinstance(src, Parameter):
            src = Parameter(src, requires_grad=dest.requires_grad)
        torch.utils.swap_tensors(dest, src)
    else:
        dest.set_(src)


def _is_tensor_or_sequence(value):
    return isinstance(value, (torch.Tensor, Sequence))


class ParametrizationList(ModuleList):
    """Holds the parametrizations of one tensor, in the order applied, and the tensor `original` they start from.

    `register_parametrization` creates it; it is ``module.parametrizations.<name>``.
    Calling it computes the parametrized tensor.

    Args:
        modules (sequence of Module): the parametrizations, at least one.
        original (Parameter or Tensor): the tensor to parametrize. Where they have
            `right_inverse` it becomes what gives its present value.
        unsafe (bool): whether dtype and shape may change and are not checked. Default: ``False``.

    Attributes:
        original (Parameter): where it starts; `original0`, `original1`, ... if there are
            several tensors.

    Raises:
        ValueError: when a parametrization or its inverse returns a wrong result.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> class Double(nn.Module):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> parametrize.ParametrizationList([Double()], nn.Parameter(torch.ones(2)))()
        tensor([2., 2.], grad_fn=<MulBackward0>)
    """

    original: torch.Tensor
    unsafe: bool

    def __init__(
        self, modules: Sequence[torch.nn.Module], original: torch.Tensor | Parameter, unsafe: bool = False
    ) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype

        # Returns an original for which the parametrized tensor has the tensor's current values.
        with torch.no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not _is_tensor_or_sequence(new):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, torch.Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._set_one_original(original, new)
        else:
            self._set_several_originals(original, new)
        if not unsafe:
            self._check_result(shape, dtype)

    def _set_one_original(self, original, new):
        for what in ("dtype", "device"):
            before, after = getattr(original, what), getattr(new, what)
            if before != after:
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {what}.\n"
                    f"original.{what}: {before}\n"
                    f"right_inverse(original).{what}: {after}"
                )
        # Keeps the Parameter object, to which optimizers refer.
        with torch.no_grad():
            _maybe_set(original, new)
        _register_parameter_or_buffer(self, "original", original)

    def _set_several_originals(self, original, new):
        for i, tensor in enumerate(new):
            if not isinstance(tensor, torch.Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors "
                    "(list, tuple...). "
                    f"Got element {i} of the sequence with type {type(tensor).__name__}."
                )
            if isinstance(original, Parameter):
                tensor = Parameter(tensor, original.requires_grad)
            tensor.requires_grad_(original.requires_grad)
            _register_parameter_or_buffer(self, f"original{i}", tensor)

    def _check_result(self, shape, dtype):
        result = self()
        if not isinstance(result, torch.Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
        for what, before, after in (("dtype", dtype, result.dtype), ("shape", shape, result.shape)):
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, "
                    "unless `unsafe` flag is enabled.\n"
                    f"unparametrized {what}: {before}\n"
                    f"parametrized {what}: {after}"
                )

    def right_inverse(self, value: torch.Tensor) -> None:
        """Sets the originals, in place, so that the parametrized tensor becomes a value.

        Args:
            value (Tensor): the new value.

        Raises:
            RuntimeError: when a parametrization has no `right_inverse`.
            ValueError: when one gives another kind, number or dtype than the originals have.
        """
        with torch.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, torch.Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} "
                        f"while `original` has dtype {self.original.dtype}"
                    )
                _maybe_set(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(value)}."
                )
            for i, tensor in enumerate(value):
                self._set_one_of_several(i, tensor)

    def _set_one_of_several(self, i, tensor):
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(
                "'right_inverse' must return a sequence of tensors or reference-type opaques. "
                f"Got element {i} of type {type(tensor).__name__}."
            )
        original = getattr(self, f"original{i}")
        if original.dtype != tensor.dtype:
            raise ValueError(
                f"Tensor {i} returned by `right_inverse` has dtype {tensor.dtype} "
                f"while `original{i}` has dtype {original.dtype}"
            )
        _maybe_set(original, tensor)

    def forward(self) -> torch.Tensor:
        """Computes the parametrized tensor from the originals."""
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in list(self)[1:]:
            x = module(x)
        return x


def _inject_new_class(module):
    """Gives the module its own class, with properties that compute its tensors."""
    cls = module.__class__

    def default_deepcopy(self, memo):
        own = type(self)
        if id(self) not in memo:
            memo[id(self)] = replica = own.__new__(own)
            replica.__dict__ = deepcopy(self.__dict__, memo)
            filled = {slot: getattr(self, slot) for slot in copyreg._slotnames(own) if hasattr(self, slot)}
            for slot, value in deepcopy(filled, memo).items():
                setattr(replica, slot, value)
        return memo[id(self)]

    def getstate(self):
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    members = {"__getstate__": getstate}
    # Without its own __deepcopy__ the class would be copied through __getstate__, which refuses.
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = default_deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module, tensor_name):
    """Makes reading `module.<tensor_name>` compute the parametrization, and setting it invert the parametrization."""
    if hasattr(module, tensor_name):
        raise AssertionError(f"Module already has an attribute named '{tensor_name}'")
    key = (id(module), tensor_name)

    def get_parametrized(self):
        parametrization = self.parametrizations[tensor_name]
        if not _cache_enabled:
            return parametrization()
        if _C._get_tracing_state() is not None:
            raise RuntimeError("Cannot trace a model while caching parametrizations.")
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def set_original(self, value):
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(module.__class__, tensor_name, property(get_parametrized, set_original))


def _check_unchanged(before, after, what, name):
    """Raises for an additional parametrization that changes dtype or shape."""
    for attribute in ("dtype", "shape"):
        old, new = getattr(before, attribute), getattr(after, attribute)
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {attribute} of the tensor, "
                "unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{attribute}: {old}\n"
                f"parametrization(module.{name}).{attribute}: {new}"
            )


def _check_added_parametrization(module, tensor_name, parametrization):
    before = getattr(module, tensor_name)
    after = parametrization(before)
    if not isinstance(after, torch.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    _check_unchanged(before, after, "parametrization", tensor_name)
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, torch.Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for attribute in ("dtype", "shape"):
        old, new = getattr(before, attribute), getattr(back, attribute)
        if old != new:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {attribute} "
                f"as module.{tensor_name}, unless the `unsafe` flag is enabled.\n"
                f"module.{tensor_name}.{attribute}: {old}\n"
                f"returned {attribute}: {new}"
            )


def register_parametrization(
    module: torch.nn.Module, tensor_name: str, parametrization: torch.nn.Module, *, unsafe: bool = False
) -> torch.nn.Module:
    """Makes a parameter or buffer the result of a module, computed at each access.

    The original moves to ``module.parametrizations.<name>.original`` and is what an optimizer
    trains. Assigning to the attribute calls `right_inverse` of the parametrization, where it
    has one. A second parametrization is applied after the first. Modules with parametrizations
    are saved by `state_dict`, not pickled.

    Args:
        module (Module): changed in place; its class too.
        tensor_name (str): the parameter or buffer.
        parametrization (Module): takes the original and returns the tensor.
        unsafe (bool): whether dtype and shape may change and are not checked. Default: ``False``.

    Returns:
        Module: `module`.

    Raises:
        ValueError: when there is no such tensor, or the parametrization changes dtype or shape.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> class Positive(nn.Module):
        ...     def forward(self, x):
        ...         return x.exp()
        >>> layer = parametrize.register_parametrization(nn.Linear(2, 3), "weight", Positive())
        >>> bool((layer.weight > 0).all())
        True
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added_parametrization(module, tensor_name, parametrization)
        applied = module.parametrizations[tensor_name]
        applied.append(parametrization)
        applied.unsafe |= unsafe
        return module
    if not any(tensor_name in registered for registered in (module._parameters, module._buffers)):
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a "
            f"parametrized element with name '{tensor_name}'"
        )
    # The list is created before the module changes, because its constructor may raise.
    first = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    _prepare_module(module)
    _inject_property(module, tensor_name)
    module.parametrizations[tensor_name] = first
    return module


def _prepare_module(module):
    if not is_parametrized(module):
        _inject_new_class(module)
        module.parametrizations = ModuleDict()


def is_parametrized(module: torch.nn.Module, tensor_name: str | None = None) -> bool:
    """Returns whether a module, or one tensor of it, is parametrized.

    Args:
        module (Module): the module; those inside do not count.
        tensor_name (str, optional): the tensor. Default: ``None``, any.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(nn.Linear(2, 3))
        >>> parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias")
        (True, False)
    """
    parametrizations = getattr(module, "parametrizations", None)
    if parametrizations is None or not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(
    module: torch.nn.Module, tensor_name: str, leave_parametrized: bool = True
) -> torch.nn.Module:
    """Makes a parametrized tensor a plain parameter or buffer again.

    Args:
        module (Module): changed in place.
        tensor_name (str): the tensor.
        leave_parametrized (bool): whether it keeps its current value, otherwise that of the
            original. Default: ``True``.

    Returns:
        Module: `module`.

    Raises:
        ValueError: when it is not parametrized, or `leave_parametrized` is off and there are
            several originals.

    Example:
        >>> from torch.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(nn.Linear(2, 3))
        >>> type(parametrize.remove_parametrizations(layer, "weight").weight).__name__
        'Parameter'
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with torch.no_grad():
                value = getattr(module, tensor_name)
                try:
                    _maybe_set(original, value)
                except RuntimeError as error:
                    if type(original) is torch.Tensor:
                        raise
                    raise RuntimeError(
                        "Calling remove_parametrizations() with leave_parametrized=True for a parameter that is an "
                        "instance of a tensor subclass requires set_() to be implemented correctly for the tensor "
                        "subclass.Alternatively, one can opt into the swap_tensors pathEither set "
                        "leave_parametrized=False or provide a working implementationfor set_() in the tensor "
                        "subclass or set torch.__future__.set_swap_module_params_on_conversion(True)."
                    ) from error
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor "
            "that is parametrized in terms of a sequence of tensors."
        )
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module: torch.nn.Module) -> type:
    """Returns the class that a module had before it was parametrized.

    Args:
        module (Module): the module.

    Returns:
        type: its class.

    Example:
        >>> from torch.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(nn.Linear(2, 3))
        >>> type(layer).__name__, parametrize.type_before_parametrizations(layer).__name__
        ('ParametrizedLinear', 'Linear')
    """
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: torch.nn.Module, to_module: torch.nn.Module, tensor_name: str | None = None
) -> torch.nn.Module:
    """Parametrizes one module as another is, sharing parametrizations and originals.

    Args:
        from_module (Module): the module with the parametrizations.
        to_module (Module): changed in place; missing parameters are added.
        tensor_name (str, optional): the tensor. Default: ``None``, all.

    Returns:
        Module: `to_module`.

    Example:
        >>> from torch.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(nn.Linear(2, 3))
        >>> other = parametrize.transfer_parametrizations_and_params(layer, nn.Linear(2, 3))
        >>> torch.equal(layer.weight, other.weight)
        True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        if hasattr(source, "original"):
            target.original = source.original
        else:
            for i in range(source.ntensors):
                setattr(target, f"original{i}", getattr(source, f"original{i}"))
    return to_module
