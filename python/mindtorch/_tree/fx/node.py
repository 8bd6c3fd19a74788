"""torch.fx.node: one step of a graph, its arguments, and the mapping of what is nested in arguments."""

import operator
import types
from fractions import Fraction

from .. import _C, amp
from .._root import torch
from ._compatibility import compatibility
from ._names import _find_module_of_method, _get_qualified_name, _type_repr, torch_path  # noqa: F401
from .immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

base_types = (
    str,
    int,
    float,
    bool,
    complex,
    torch.dtype,
    torch.Tensor,
    torch.device,
    torch.memory_format,
    torch.layout,
)
base_types += tuple(getattr(torch, name) for name in ("SymInt", "SymBool", "SymFloat") if hasattr(torch, name))
Target = Argument = object  # for annotations

_legal_ops = dict.fromkeys(("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"))
_side_effectful_functions = {torch._assert, operator.setitem, _C._set_grad_enabled}
_side_effectful_functions |= {
    getattr(place, name)
    for place, name in ((torch, "_assert_async"), (amp, "_enter_autocast"), (amp, "_exit_autocast"))
    if hasattr(place, name)
}


@compatibility(is_backward_compatible=False)
def has_side_effect(fn):
    """Keeps calls of `fn` from being removed as dead code; returns `fn`."""
    _side_effectful_functions.add(fn)
    return fn


@compatibility(is_backward_compatible=True)
def map_aggregate(a, fn):
    """`a` with `fn` applied to what is no tuple, list, dict or slice in it; lists and dicts come out immutable."""
    if isinstance(a, tuple):
        items = [map_aggregate(item, fn) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list([map_aggregate(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict([(key, map_aggregate(value, fn)) for key, value in a.items()])
    if isinstance(a, slice):
        return slice(*(map_aggregate(part, fn) for part in (a.start, a.stop, a.step)))
    return fn(a)


@compatibility(is_backward_compatible=True)
def map_arg(a, fn):
    """`a` with `fn` applied to each Node inside it, as map_aggregate."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda item: fn(item) if isinstance(item, Node) else item)


def _format_arg(arg, max_list_len=float("inf")):
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, (list, tuple)):
        shown = [_format_arg(item) for place, item in enumerate(arg) if place < max_list_len]
        rest = f", ...[total_len={len(arg)}]" if len(arg) >= max_list_len + 1 else ""
        if isinstance(arg, list):
            return f"[{', '.join(shown)}{rest}]"
        return f"({', '.join(shown)}{',' if len(arg) == 1 else ''}{rest})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {_format_arg(value)}' for key, value in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


@compatibility(is_backward_compatible=True)
class Node:
    """One step of a Graph: what is done (`op`), to what (`target`), with which `args` and `kwargs`.

    `users` are the nodes that take this one as an argument, `all_input_nodes` those that it takes; `meta` is for
    passes to write into. A graph makes its nodes; they are ordered, and `a < b` says whether `a` comes first.
    """

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        if op not in _legal_ops:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        wanted = "Callable" if op == "call_function" else "str"
        if not (callable(target) if op == "call_function" else isinstance(target, str)):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {torch.typename(target)} "
                f"but a {wanted} is expected"
            )
        self.graph, self._name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users, self._input_nodes, self.meta = {}, {}, {}
        self._args, self._kwargs = (), immutable_dict()
        self._prev = self._next = self
        self._erased = False
        self._repr_fn = None
        self._sort_key = Fraction(0)
        self._update_args_kwargs(args, kwargs)

    def _update_args_kwargs(self, args, kwargs):
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._input_nodes = {}

        def note(node):
            self._input_nodes[node] = None
            node.users[self] = None
            return node

        self._args, self._kwargs = map_arg(args, note), map_arg(kwargs, note)

    @property
    def name(self):
        """The name of the value; unique in its graph."""
        return self._name

    @name.setter
    def name(self, value):
        if not isinstance(value, str):
            raise AssertionError(f"Expected value to be str, got {type(value)}")
        hooks = getattr(self.graph.owning_module, "_replace_hooks", ())
        for user in self.users if hooks else ():
            for hook in hooks:
                hook(old=self, new=value, user=user)
        self._name = value

    @property
    def args(self):
        """The positional arguments: a tuple of what may nest lists, dicts, slices and other nodes. Assign to change."""
        return self._args

    @args.setter
    def args(self, value):
        self._update_args_kwargs(value, self._kwargs)

    @property
    def kwargs(self):
        """The named arguments, an immutable dict. Assign to change."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, value):
        self._update_args_kwargs(self._args, value)

    @property
    def all_input_nodes(self):
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    @property
    def next(self):
        """The node after this one; the graph's root after the last."""
        return self._next

    @property
    def prev(self):
        """The node before this one; the graph's root before the first."""
        return self._prev

    def _unlink(self):
        self._prev._next, self._next._prev = self._next, self._prev

    def prepend(self, x):
        """Moves `x` to just before this node."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._unlink()
        before, root = self._prev, self.graph._root
        before._next = self._prev = x
        x._prev, x._next = before, self
        if self is root:
            x._sort_key = Fraction(0) if before is root else Fraction(before._sort_key.__floor__() + 1)
        elif before is root:
            x._sort_key = Fraction(self._sort_key.__ceil__() - 1)
        else:
            x._sort_key = (before._sort_key + self._sort_key) / 2

    def append(self, x):
        """Moves `x` to just after this node."""
        if self is not x:
            self._next.prepend(x)

    def _remove_from_list(self):
        self._unlink()

    def __lt__(self, other):
        return self._sort_key < other._sort_key

    def __gt__(self, other):
        return self._sort_key > other._sort_key

    def __le__(self, other):
        return self is other or self < other

    def __ge__(self, other):
        return self is other or self > other

    def update_arg(self, idx, arg):
        """Makes `arg` the positional argument `idx`, which there must be."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx, arg):
        """Puts `arg` before the positional argument `idx`, which may be their number."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key, arg):
        """Makes `arg` the argument named `key`."""
        self.kwargs = {**self.kwargs, key: arg}

    @property
    def stack_trace(self):
        """Where the traced program made this node, if the tracer recorded that."""
        return self.meta.get("stack_trace", None)

    @stack_trace.setter
    def stack_trace(self, trace):
        self.meta["stack_trace"] = trace

    def __repr__(self):
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target):
        if isinstance(target, str):
            return target
        module = getattr(target, "__module__", None)
        if module in ("builtins", "_operator") and getattr(target, "__name__", None) is not None:
            return f"{module.lstrip('_')}.{target.__name__}"
        return _get_qualified_name(target)

    @compatibility(is_backward_compatible=True)
    def format_node(self, placeholder_names=None, maybe_return_typename=None, *, include_tensor_metadata=False):
        """One line that tells this node; None for a placeholder whose text went into `placeholder_names`."""
        typename = f"{_type_repr(self.type)} " if self.type else ""
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        if self.op == "placeholder":
            if placeholder_names:
                placeholder_names.append(f"{self.target}: {typename}".rstrip() if self.type else self.target)
                return None
            tail = f"(default={self.args[0]})" if self.args else ""
        elif self.op == "get_attr":
            tail = ""
        else:
            tail = f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
            value = self.meta.get("val", self.meta.get("tensor_meta", self.meta.get("example_value")))
            if include_tensor_metadata and isinstance(value, torch.Tensor):
                from ..utils._dtype_abbrs import dtype_abbrs

                shape, stride = list(value.shape), list(value.stride())
                typename = f'Tensor "{dtype_abbrs[value.dtype]}{shape}{stride}{value.device}"'
        target = self._pretty_print_target(self.target)
        return f"%{self.name} : {typename}[num_users={len(self.users)}] = {self.op}[target={target}]{tail}"

    def _replace_input_with(self, old_input, new_input):
        def swap(node):
            return new_input if node is old_input else node

        self._update_args_kwargs(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_input_with(self, old_input, new_input):
        """Takes `new_input` wherever this node took `old_input` as an argument."""
        for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
            hook(old=old_input, new=new_input.name, user=self)
        self._replace_input_with(old_input, new_input)

    @compatibility(is_backward_compatible=True)
    def replace_all_uses_with(self, replace_with, delete_user_cb=None, *, propagate_meta=False):
        """Lets the users of this node that `delete_user_cb` accepts (or all) take `replace_with`; lists them."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), "
                    "but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = []
        for user in list(self.users):
            if delete_user_cb is None or delete_user_cb(user):
                user.replace_input_with(self, replace_with)
                changed.append(user)
        return changed

    @compatibility(is_backward_compatible=False)
    def is_impure(self, impure_random=True):
        """Whether removing this node could change what the program does besides its result."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(owner.get_submodule(self.target), "_is_impure", False)
        if self.op != "call_function":
            return False
        if self.target in _side_effectful_functions:
            return True
        schema = getattr(self.target, "_schema", None)
        if schema is not None and getattr(schema, "is_mutable", False):
            return True
        return impure_random and _draws_random_numbers(self.target)

    @compatibility(is_backward_compatible=False)
    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        """This call's arguments by their parameters' names, or None where they cannot be told."""
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    def _rename(self, candidate):
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    def __getstate__(self):
        return self.__dict__ | {"_name": self._name}

    def __setstate__(self, state):
        self.__dict__.update(state)


def _draws_random_numbers(function):
    names = ("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal", "poisson")
    names += ("bernoulli", "multinomial")
    if isinstance(function, torch._ops.OpOverload):
        return function.__name__.partition(".")[0] in names
    return isinstance(function, types.BuiltinFunctionType) and any(
        getattr(torch, name, None) is function for name in names
    )
