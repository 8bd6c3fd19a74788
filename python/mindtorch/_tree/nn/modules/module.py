"""nn.Module: parameters, buffers and child modules of an object, and how it is traversed, called and saved."""

import inspect
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Optional, Self, TypeVar

from ... import _C
from ..._root import torch
from ...utils.hooks import RemovableHandle
from ..parameter import Buffer, Parameter
from . import _module_hooks
from ._foreign_modules import convert_foreign_module
from ._module_convert import _ConvertMethods
from ._module_hooks import (
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    _has_any_global_hook,
    _HookMethods,
    _WrappedHook,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ._module_paths import _PathMethods
from ._module_state import _EXTRA_STATE_KEY_SUFFIX, _IncompatibleKeys, _StateMethods

__all__ = [
    "register_module_forward_pre_hook", "register_module_forward_hook", "register_module_full_backward_pre_hook",
    "register_module_backward_hook", "register_module_full_backward_hook", "register_module_buffer_registration_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook", "Module",
]  # fmt: skip

T = TypeVar("T", bound="Module")

for _name in __all__[:-1]:
    globals()[_name].__module__ = __name__
_IncompatibleKeys.__module__ = _WrappedHook.__module__ = __name__
del _name

# The extension may implement attribute lookup and the call in C; the Python code here defines their behaviour.
_Base = getattr(_C, "_mt_ModuleBase", object)


def _addindent(s_, numSpaces):
    """Indents all lines but the first."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def _forward_unimplemented(self, *input: Any) -> None:
    """Computes the output from the inputs; every subclass that is called writes its own.

    Args:
        *input: the arguments that the subclass accepts.

    Raises:
        NotImplementedError: when a subclass has not written it.
    """
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


def _call_registration_hooks(hooks, module, name, value):
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


def _can_register(module, name, members):
    """Whether a parameter or buffer may have this name among `members`."""
    return members is not None and isinstance(name, str) and name != "" and "." not in name and (
        name in members or not hasattr(module, name)
    )  # fmt: skip


def _refuse_name(name, members, what):
    """Returns the reason why a parameter or buffer, `what`, cannot be registered under this name."""
    if members is None:
        raise AttributeError(f"cannot assign {what} before Module.__init__() call")
    if not isinstance(name, str):
        raise TypeError(f"{what} name should be a string. Got {torch.typename(name)}")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{what} name can\'t be empty string ""')
    raise KeyError(f"attribute '{name}' already exists")


class Module(_HookMethods, _StateMethods, _ConvertMethods, _PathMethods, _Base):
    """Is the base class of all layers and models: assign their parts as attributes and write `forward`.

    `Parameter`s, `Buffer`s and `Module`s that are assigned to attributes are registered: they
    appear in `parameters()`, `state_dict()`, `repr` and so on under the attribute's name, also
    in the modules that contain this one. ``super().__init__()`` has to be called before the
    first of them is assigned. Call the module itself, not `forward`: the call runs the hooks.

    Args:
        *args: none are taken; passed to the next base class where a subclass sets
            ``call_super_init``.
        **kwargs: as `*args`.

    Attributes:
        training (bool): whether the module is in training mode, initially True; see `train`.

    Example:
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.hidden = nn.Linear(4, 8)
        ...         self.scale = nn.Parameter(torch.ones(8))
        ...     def forward(self, x):
        ...         return self.hidden(x).relu() * self.scale
        >>> net = Net()
        >>> net(torch.ones(2, 4)).shape
        torch.Size([2, 8])
        >>> [name for name, _ in net.named_parameters()]
        ['scale', 'hidden.weight', 'hidden.bias']
        >>> net
        Net(
          (hidden): Linear(in_features=4, out_features=8, bias=True)
        )
    """

    dump_patches: bool = False
    _version: int = 1

    training: bool
    call_super_init: bool = False
    # Members by name.
    _parameters: dict[str, Optional[Parameter]]
    _buffers: dict[str, Optional[torch.Tensor]]
    _modules: dict[str, Optional["Module"]]
    _non_persistent_buffers_set: set[str]
    # Forward hooks of this module, by the ids of their handles.
    _forward_pre_hooks: dict[int, Callable]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _forward_hooks: dict[int, Callable]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    # Backward hooks of this module; all are of one kind, full or non-full.
    _is_full_backward_hook: Optional[bool]
    _backward_pre_hooks: dict[int, Callable]
    _backward_hooks: dict[int, Callable]
    # Hooks that run when the state is saved or loaded.
    _state_dict_pre_hooks: dict[int, Callable]
    _state_dict_hooks: dict[int, Callable]
    _load_state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_post_hooks: dict[int, Callable]
    _compiled_call_impl: Optional[Callable] = None

    T_destination = TypeVar("T_destination", bound=dict[str, Any])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        # Written to __dict__ directly: __setattr__ would search registries that do not exist yet.
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(),
            _is_full_backward_hook=None,
            _forward_hooks=OrderedDict(),
            _forward_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_always_called=OrderedDict(),
            _forward_pre_hooks=OrderedDict(),
            _forward_pre_hooks_with_kwargs=OrderedDict(),
            _state_dict_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(),
            _modules={},
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented
    __call__: Callable[..., Any] = _HookMethods._wrapped_call_impl

    # -- registration ------------------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: torch.Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is part of the state but not trained, as a running mean.

        The same as assigning ``nn.Buffer(tensor, persistent=persistent)``. It moves with the module
        and is reached as an attribute.

        Args:
            name (str): the attribute; no dot in it.
            tensor (Tensor or None): the buffer; ``None`` is left out of the state_dict.
            persistent (bool): whether it is in the state_dict. Default: ``True``.

        Raises:
            KeyError: when the name is empty, has a dot or is already used by something else.
            TypeError: when `tensor` is neither a tensor nor ``None``.

        Example:
            >>> m = nn.Module()
            >>> m.register_buffer("mean", torch.zeros(2))
            >>> m.state_dict()["mean"]
            tensor([0., 0.])
        """
        if persistent is False and isinstance(self, torch.jit.ScriptModule):
            raise RuntimeError("ScriptModule does not support non-persistent buffers")
        buffers = self.__dict__.get("_buffers")
        if not _can_register(self, name, buffers):
            _refuse_name(name, buffers, "buffer")
        if tensor is not None and not (isinstance(tensor, torch.Tensor) or hasattr(tensor, "__torch_function__")):
            raise TypeError(
                f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        buffers[name] = _call_registration_hooks(_global_buffer_registration_hooks, self, name, tensor)
        others = self._non_persistent_buffers_set
        (others.discard if persistent else others.add)(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter under a name; the same as assigning it.

        Args:
            name (str): the attribute; no dot in it.
            param (Parameter or None): the parameter; ``None`` says that it is absent, as a bias may be.

        Raises:
            KeyError: when the name is empty, has a dot or is already used by something else.
            TypeError: when `param` is no Parameter.
            ValueError: when `param` is the result of an operation, not a leaf.
        """
        params = self.__dict__.get("_parameters")
        if not _can_register(self, name, params):
            _refuse_name(name, params, "parameter")
        if param is None:
            params[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{torch.typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        params[name] = _call_registration_hooks(_global_parameter_registration_hooks, self, name, param)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Adds a child module under a name; the same as assigning it.

        Args:
            name (str): the attribute; no dot in it.
            module (Module or None): the child; ``None`` says that it is absent.

        Raises:
            KeyError: when the name is empty, has a dot or is already used by something else.
            TypeError: when `module` is no Module.

        Example:
            >>> m = nn.Module()
            >>> m.add_module("first", nn.ReLU())
            >>> m.first
            ReLU()
        """
        if not isinstance(module, Module) and module is not None:
            given, module = module, convert_foreign_module(module)
            if module is None:
                raise TypeError(f"{torch.typename(given)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {torch.typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = _call_registration_hooks(_global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: "Module | None") -> None:
        """Adds the child `module` under `name`: another name of `add_module`."""
        self.add_module(name, module)

    # -- attributes --------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        own = self.__dict__
        for registry in ("_parameters", "_buffers", "_modules"):
            members = own.get(registry)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        params = own.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._remove_member(name, own, self._buffers, self._modules)
            self.register_parameter(name, value)
            return
        if params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
            return
        modules = own.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._remove_member(name, own, self._parameters, self._buffers)
            modules[name] = _call_registration_hooks(_global_module_registration_hooks, self, name, value)
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            modules[name] = _call_registration_hooks(_global_module_registration_hooks, self, name, value)
            return
        buffers = own.get("_buffers")
        if isinstance(value, Buffer) or (buffers is not None and name in buffers):
            self._set_buffer(name, value)
            return
        super().__setattr__(name, value)

    def _remove_member(self, name, *members):
        for registry in members:
            registry.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_buffer(self, name, value):
        if value is not None and not (isinstance(value, torch.Tensor) or hasattr(value, "__torch_function__")):
            raise TypeError(
                f"cannot assign '{torch.typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None "
                "expected)"
            )
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        # Subclasses written before `persistent` existed override register_buffer without it.
        plain = getattr(self.register_buffer, "__func__", None) is Module.register_buffer
        if plain or "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
            return
        if not persistent:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )
        self.register_buffer(name, value)

    def __delattr__(self, name):
        for members in (self._parameters, self._buffers, self._modules):
            if name in members:
                del members[name]
                if members is self._buffers:
                    self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())  # `0` of a Sequential is no attribute

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_compiled_call_impl"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        # A module that an older release pickled lacks the registries that were added later.
        for name in (
            "_forward_pre_hooks",
            "_forward_pre_hooks_with_kwargs",
            "_forward_hooks_with_kwargs",
            "_forward_hooks_always_called",
            "_state_dict_hooks",
            "_state_dict_pre_hooks",
            "_load_state_dict_pre_hooks",
            "_load_state_dict_post_hooks",
            "_backward_pre_hooks",
        ):
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    # -- traversal ---------------------------------------------------------------------------------------------

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        else:
            modules = [(prefix, self)]
        for path, module in modules:
            for key, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield (f"{path}.{key}" if path else key), value

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yields all parameters, each once, for instance for an optimizer.

        Args:
            recurse (bool): whether those of modules inside are included. Default: ``True``.

        Returns:
            iterator of Parameter: first the module's own, then those of its children, depth first.

        Example:
            >>> [p.shape for p in nn.Linear(2, 3).parameters()]
            [torch.Size([3, 2]), torch.Size([3])]
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yields pairs of dotted name and parameter.

        Args:
            prefix (str): what all names begin with. Default: ``""``.
            recurse (bool): whether those of modules inside are included. Default: ``True``.
            remove_duplicate (bool): whether a shared parameter appears once, under its first name.
                Default: ``True``.

        Returns:
            iterator of tuple of str and Parameter.

        Example:
            >>> [name for name, _ in nn.Sequential(nn.Linear(2, 3)).named_parameters()]
            ['0.weight', '0.bias']
        """
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[torch.Tensor]:
        """Yields all buffers, each once.

        Args:
            recurse (bool): whether those of modules inside are included. Default: ``True``.

        Returns:
            iterator of Tensor.
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """Yields pairs of dotted name and buffer.

        Args:
            prefix (str): what all names begin with. Default: ``""``.
            recurse (bool): whether those of modules inside are included. Default: ``True``.
            remove_duplicate (bool): whether a shared buffer appears once. Default: ``True``.

        Returns:
            iterator of tuple of str and Tensor.

        Example:
            >>> [name for name, _ in nn.BatchNorm1d(3).named_buffers()]
            ['running_mean', 'running_var', 'num_batches_tracked']
        """
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self) -> "Iterator[Module]":
        """Yields the direct child modules, each once."""
        for _, child in self.named_children():
            yield child

    def named_children(self) -> "Iterator[tuple[str, Module]]":
        """Yields pairs of name and direct child module, each child once."""
        seen = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def modules(self, remove_duplicate: bool = True) -> "Iterator[Module]":
        """Yields this module and all modules inside it, depth first.

        Args:
            remove_duplicate (bool): whether a shared module appears once. Default: ``True``.

        Returns:
            iterator of Module.

        Example:
            >>> layer = nn.Linear(2, 2)
            >>> len(list(nn.Sequential(layer, layer).modules()))  # the Sequential and one Linear
            2
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo: "set[Module] | None" = None, prefix: str = "", remove_duplicate: bool = True):
        """Yields pairs of dotted name and module, this module first.

        Args:
            memo (set of Module, optional): modules to leave out; those that are met are added. Default:
                ``None``.
            prefix (str): the name of this module. Default: ``""``.
            remove_duplicate (bool): whether a shared module appears once. Default: ``True``.

        Returns:
            iterator of tuple of str and Module.

        Example:
            >>> [name for name, _ in nn.Sequential(nn.Sequential(nn.ReLU())).named_modules()]
            ['', '0', '0.0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from child.named_modules(memo, path, remove_duplicate)

    def apply(self, fn: "Callable[[Module], None]") -> Self:
        """Calls a function on every module inside, children first, and at last on this one.

        Args:
            fn (callable): takes a module; its result is ignored.

        Returns:
            Module: this module.

        Example:
            >>> def ones(m):
            ...     if isinstance(m, nn.Linear):
            ...         nn.init.ones_(m.weight)
            >>> nn.Sequential(nn.Linear(2, 1), nn.ReLU()).apply(ones)[0].weight.sum().item()
            2.0
        """
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # -- modes and gradients -----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Sets training or evaluation mode in this module and all inside it.

        Dropout, batch normalisation and a few others work differently in the two. Gradients are not
        affected.

        Args:
            mode (bool): ``True`` for training, ``False`` for evaluation. Default: ``True``.

        Returns:
            Module: this module.

        Raises:
            ValueError: when `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Self:
        """Sets evaluation mode for this and all inner modules: ``train(False)``. Returns the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Says whether autograd records operations on the parameters, in place; for freezing a part of a model.

        Args:
            requires_grad (bool): whether it does. Default: ``True``.

        Returns:
            Module: this module.
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters.

        Args:
            set_to_none (bool): whether `grad` becomes ``None``; else it is filled with zeros. Default:
                ``True``.
        """
        if getattr(self, "_is_replica", False):
            from ..parallel.replicate import _warn_zero_grad_of_replica

            _warn_zero_grad_of_replica()
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
                continue
            if param.grad.grad_fn is not None:
                param.grad.detach_()
            else:
                param.grad.requires_grad_(False)
            param.grad.zero_()

    # -- printing ----------------------------------------------------------------------------------------------

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """Returns the part of this module's `repr` before its children; override it in a subclass.

        Returns:
            str: one or several lines. Default: empty.
        """
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_addindent(repr(child), 2)}" for name, child in self._modules.items()]
        if not child_lines and len(extra_lines) < 2:
            return f"{self._get_name()}({extra})"
        return "\n  ".join([f"{self._get_name()}(", *extra_lines, *child_lines]) + "\n)"

    # -- others ------------------------------------------------------------------------------------------------

    def _replicate_for_data_parallel(self):
        """Returns a shallow copy whose registries may be refilled; parameters become plain attributes of it."""
        own = {name: self.__dict__[name].copy() for name in ("_buffers", "_modules")}
        replica = self.__new__(type(self))
        replica.__dict__ = {**self.__dict__, **own, "_parameters": {}, "_is_replica": True}
        return replica

    def compile(self, *args, **kwargs) -> None:
        """Compiles the call of this module in place, with `torch.compile`.

        Args:
            *args: passed to `torch.compile`.
            **kwargs: passed to `torch.compile`.
        """
        self._compiled_call_impl = torch.compile(self._call_impl, *args, **kwargs)


class _ModuleOfHooks(types.ModuleType):
    """This module, in which programs may replace the registries of global hooks."""

    def __setattr__(self, name, value):
        if name.startswith("_global_"):
            setattr(_module_hooks, name, value)
            _C._mt_reload_global_module_hooks()
        if name != _KIND:
            super().__setattr__(name, value)

    def __getattr__(self, name):
        if name == _KIND:
            return getattr(_module_hooks, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


_KIND = "_global_is_full_backward_hook"  # not a registry: read on each use
sys.modules[__name__].__class__ = _ModuleOfHooks

# `_mt_replaces` names the methods that the C base class implements: the Python methods, which would take precedence,
# are removed.
for _name in getattr(_Base, "_mt_replaces", ()):
    delattr(Module, _name)
