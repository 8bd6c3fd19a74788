"""functionalize: transforms around a function, modes and autograd see its writes and views as new tensors."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _C
from .._root import torch
from ..utils._python_dispatch import TorchDispatchMode
from ..utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from .batching import set_hidden_outer_levels

_CUSTOM_ALIAS = (
    "Found a custom (non-ATen) operator whose output has alias annotations: {}. We only support functionalizing "
    "operators whose outputs do not have alias annotations (e.g. 'Tensor(a)' is a Tensor with an alias annotation "
    "whereas 'Tensor' is a Tensor without. The '(a)' is the alias annotation). The alias annotation specifies that "
    "the output Tensor shares storage with an input that has the same annotation. Please check if (1) the output "
    "needs to be an output (if not, don't return it), (2) if the output doesn't share storage with any inputs, then "
    "delete the alias annotation. (3) if the output indeed shares storage with an input, then add a .clone() before "
    "returning it to prevent storage sharing and then delete the alias annotation. Otherwise, please file an issue "
    "on GitHub."
)
_CAPTURED = (
    "mutating a non-functional tensor with a functional tensor is not allowed. Please ensure that all of your inputs "
    "are wrapped inside of a functionalize() call."
)

_DOWN_TO_PYTHON = 0b1111_1110_0000  # the dispatcher's keys from the highest to Python's


@contextlib.contextmanager
def _exclude_keys(keys):
    """Makes this thread's calls exclude exactly these dispatch keys."""
    former = _C._mt_thread_keys()[1]
    _C._mt_set_thread_keys(_C._mt_thread_keys()[0], keys)
    try:
        yield
    finally:
        _C._mt_set_thread_keys(_C._mt_thread_keys()[0], former)


def _list_tensor_leaves(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


class _Memory:
    """The state shared by tensors over the same memory: the value of their base."""

    def __init__(self, base):
        self.base = base
        self.writes = 0


class _Step(NamedTuple):
    """One view: the operator, its arguments after the tensor, and the index of its result."""

    op: Any
    args: tuple
    kwargs: dict
    index: int | None

    def forward(self, source, level):
        found = level.call_view(self.op, (source, *self.args), self.kwargs)
        return found if self.index is None else found[self.index]

    def backward(self, source, new, level):
        """Returns `source` with `new` in place of the elements that the view covers."""
        scatter = _find_sibling_overload(self.op, self.op._opname + "_scatter", "default")
        if scatter is not None:
            return scatter(source, new, *self.args, **self.kwargs)
        if self.index is not None:
            return self._replace_view_in_source(source, new)
        likeness = _make_meta_leaf_like(source)
        with _C._DisableTorchDispatch(), torch.inference_mode(False), torch.enable_grad():
            view = self.op(likeness, *self.args, **self.kwargs)
        if view.grad_fn is None:  # no derivative: the view has another dtype, or changes nothing
            return new if new.dtype == source.dtype else level.call_view(self.op, (new, source.dtype), {})
        if 0 in view.stride() and view.numel() > source.numel():  # repeated elements: their sum
            with level.viewing_context():
                return source + (new - source).sum_to_size(source.shape)
        # Any other view permutes elements, so its derivative inverts it.
        with level.viewing_context():
            return view.grad_fn(new)

    def _replace_view_in_source(self, source, new):
        """Replaces the part of `source` that is one of several results by `new`."""
        given = dict(zip([a.name for a in self.op._schema.arguments[1:]], self.args)) | self.kwargs
        dim = given.get("dim", 0)
        if new.dim() < source.dim():
            return torch.ops.aten.select_scatter(source, new, dim, self.index)
        with _C._DisableTorchDispatch():
            parts = self.op(_make_meta_leaf_like(source), *self.args, **self.kwargs)
        start = sum(part.shape[dim] for part in parts[: self.index])
        return torch.ops.aten.slice_scatter(source, new, dim, start, start + new.shape[dim])


def _make_meta_leaf_like(tensor):
    """Returns a leaf without data that has the tensor's shape and strides."""
    dtype = tensor.dtype if tensor.is_floating_point() or tensor.is_complex() else torch.float32
    with _C._DisableTorchDispatch(), torch.inference_mode(False):
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=dtype, device="meta", requires_grad=True)


class FunctionalTensor(torch.Tensor):
    """The tensor that a functionalized function sees: writes update the level's state, not memory."""

    __torch_function__ = _C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, level, value, memory=None, steps=(), shape=None):
        if shape is None:
            self = torch.Tensor._make_wrapper_subclass(
                cls,
                value.shape,
                strides=value.stride(),
                storage_offset=value.storage_offset(),
                dtype=value.dtype,
                device=value.device,
            )
        else:
            with _exclude_keys(_DOWN_TO_PYTHON):
                self = shape.as_subclass(cls)
            _C._functorch._pose(self, value.device)
        self._level, self._value, self._steps = level, value, steps
        self._memory = memory or _Memory(value)
        level.made.append(self)
        self._seen = 0  # as in torch, a view of a written tensor is made again when it is first used
        return self

    def __repr__(self, *, tensor_contents: object | None = None) -> str:
        return f"FunctionalTensor(lvl={self._level.number}, value=\\\n{_value_after_writes(self)!r})"

    def tolist(self) -> Any:
        raise RuntimeError("tolist() shouldn't be called on a tensor with unallocated storage")

    def data_ptr(self):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def numpy(self, *, force=False):
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    @property
    def data(self):
        alias = FunctionalTensor(self._level, self._value, self._memory, self._steps)
        alias._seen = self._seen
        return alias

    @data.setter
    def data(self, value):
        torch.Tensor.data.__set__(self, value)
        make_alias_of(self, value)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        found = [leaf._level for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, FunctionalTensor)]
        return max(found, key=lambda level: level.number).call(func, args, kwargs or {})


def _value_after_writes(tensor):
    """Returns the value of a functional tensor after all writes to its memory."""
    if tensor._seen != tensor._memory.writes:
        tensor._value = functools.reduce(
            lambda value, step: step.forward(value, tensor._level), tensor._steps, tensor._memory.base
        )
        tensor._seen = tensor._memory.writes
    return tensor._value


def _set_value_and_update_base(tensor, new):
    """Makes `new` the tensor's value, and updates the base of a view."""
    memory, steps, level = tensor._memory, tensor._steps, tensor._level
    sources = [memory.base]
    for step in steps[:-1]:
        sources.append(step.forward(sources[-1], level))
    tensor._value = new
    for step, source in zip(reversed(steps), reversed(sources)):
        new = step.backward(source, new, level)
    memory.base = new
    memory.writes += 1
    _value_after_writes(tensor)


def _find_sibling_overload(like, name, overload):
    """Returns the operator with a name in the namespace of another; None if there is none."""
    packet = getattr(getattr(torch.ops, like.namespace), name, None)
    return getattr(packet, overload, None) if packet is not None and overload in packet.overloads() else None


def _argument_names_and_types(arguments):
    return [(a.name, str(a.type)) for a in arguments]


@functools.cache
def _find_functional_form(op):
    """Returns the operator whose results are what `op` writes to its arguments; None if there is none."""
    name = op._opname
    kept = _argument_names_and_types(a for a in op._schema.arguments if not (a.kwarg_only and _is_argument_written(a)))
    for base in (name, name.removesuffix("_"), name + "_functional"):
        packet = getattr(getattr(torch.ops, op.namespace), base, None)
        for candidate in packet.op_overloads() if packet is not None else ():
            own = candidate._schema.arguments
            fits = _argument_names_and_types(own[: len(kept)]) == kept and all(
                a.has_default_value() for a in own[len(kept) :]
            )
            if fits and not candidate._schema.is_mutable:
                return candidate
    return None


def _is_argument_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write


class Level(TorchDispatchMode):
    """One call of a functionalized function: intercepts every operator that the function calls, below autograd.

    Without a transform, it represents a tracing compiler: operators of programs may write to their arguments.
    """

    def __init__(self, as_copies, is_transform=True):
        super().__init__()
        self.as_copies, self.is_transform = as_copies, is_transform
        self.excluded = _C._mt_thread_keys()[1]
        # Autograd graphs and tangents refer to functional tensors; Python's garbage collector does not see these
        # references.
        self.made: list = []

    def __enter__(self):
        self.number = _C._functorch._func_increment_nesting() if self.is_transform else 0
        self.outer = set_hidden_outer_levels(len(_C._functorch._vmap_levels()))
        return super().__enter__()

    def __exit__(self, *exception):
        super().__exit__(*exception)
        set_hidden_outer_levels(self.outer)
        self.made.clear()
        if self.is_transform:
            _C._functorch._func_decrement_nesting()

    def owns_functional_tensor(self, value):
        return isinstance(value, FunctionalTensor) and value._level is self

    def wrap(self, value):
        return FunctionalTensor(self, value) if isinstance(value, torch.Tensor) else value

    def enter(self, value):
        """Returns a leaf of the function's own graph, if its value requires a gradient."""
        if not isinstance(value, torch.Tensor):
            return value
        seen = self.wrap(value.detach())
        seen.requires_grad = value.requires_grad
        return seen

    def unwrap(self, value):
        return _value_after_writes(value) if self.owns_functional_tensor(value) else value

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.call(func, args, kwargs or {})

    def call(self, func, args, kwargs):
        # Restores the visible vmap levels and excluded keys with which the function was entered, so that the same
        # transforms record the calls below.
        own = set_hidden_outer_levels(self.outer)
        try:
            with _exclude_keys(self.excluded):
                return self._call_functionally(func, args, kwargs)
        finally:
            set_hidden_outer_levels(own)

    def _call_functionally(self, func, args, kwargs):
        schema = func._schema
        aliases = [a for a in schema.arguments if a.alias_info is not None]
        if aliases and func.namespace != "aten" and (self.is_transform or not schema.is_mutable):
            raise RuntimeError(_CUSTOM_ALIAS.format(schema))
        if schema.is_mutable:
            return self._call_writing_operator(func, args, kwargs)
        if func.is_view and self.owns_functional_tensor(args[0]):
            return self._record_view(func, args[0], args[1:], kwargs)
        tensors = _list_tensor_leaves((args, kwargs))
        found = func(*tree_map(self.unwrap, args), **tree_map(self.unwrap, kwargs))
        # If no argument is a tensor of this level, neither is the result.
        is_inside = not tensors or any(map(self.owns_functional_tensor, tensors)) or func._opname == "lift_fresh"
        return tree_map(self.wrap, found) if is_inside else found

    def _record_view(self, func, source, args, kwargs):
        values = self.call_view(func, (_value_after_writes(source), *args), kwargs)
        shapes = self._run_on_meta(func, (source, *args), kwargs)

        def make_functional_view(value, shape, index):
            steps = (*source._steps, _Step(func, args, kwargs, index))
            return FunctionalTensor(self, value, source._memory, steps, shape)

        if isinstance(values, torch.Tensor):
            return make_functional_view(values, shapes, None)
        return [make_functional_view(value, shape, index) for index, (value, shape) in enumerate(zip(values, shapes))]

    def call_view(self, func, args, kwargs):
        """Returns a view of values, or a copy of it."""
        copy = _find_sibling_overload(func, func._opname + "_copy", func._overloadname) if self.as_copies else None
        return (copy or func)(*args, **kwargs)

    def viewing_context(self):
        """A context in which views of values become this level's views."""
        return _Copies(self) if self.as_copies else contextlib.nullcontext()

    def _run_on_meta(self, func, args, kwargs):
        """Runs the call on meta tensors: raises shape errors, and resizes the tensors that it writes to."""
        tensors = _list_tensor_leaves((args, kwargs))
        shells = {id(tensor): tensor.device for tensor in tensors if isinstance(tensor, FunctionalTensor)}

        def without_elements(leaf):
            return leaf.to("meta") if isinstance(leaf, torch.Tensor) and id(leaf) not in shells else leaf

        with _exclude_keys(_DOWN_TO_PYTHON):
            args, kwargs = tree_map(without_elements, (args, kwargs))
            for tensor in tensors:
                if id(tensor) in shells:
                    _C._functorch._pose(tensor, torch.device("meta"))
            try:
                return func(*args, **kwargs)
            except NotImplementedError:  # has no meta rule
                return None
            finally:
                for tensor in tensors:
                    if id(tensor) in shells:
                        _C._functorch._pose(tensor, shells[id(tensor)])

    def _call_writing_operator(self, func, args, kwargs):
        schema = func._schema
        given = dict(zip([a.name for a in schema.arguments], args)) | kwargs
        written = [given[a.name] for a in schema.arguments if _is_argument_written(a) and given.get(a.name) is not None]
        targets = _list_tensor_leaves(written)
        if not any(map(self.owns_functional_tensor, targets)):
            if any(map(self.owns_functional_tensor, _list_tensor_leaves((args, kwargs)))):
                raise RuntimeError(_CAPTURED)
            return func(*args, **kwargs)
        if not any(0 in target.stride() for target in targets):  # what memory refuses, functional tensors do not
            self._run_on_meta(func, args, kwargs)
        if func._opname == "set_":
            make_alias_of(args[0], args[1])
        else:
            self._replace_written_values(targets, func, args, kwargs)
        results = [value for value in written if isinstance(value, torch.Tensor)]
        return None if not schema.returns or not results else results[0] if len(schema.returns) == 1 else tuple(results)

    def _replace_written_values(self, targets, func, args, kwargs):
        """Gives each target the value that the call would have written to it."""
        twin = _find_functional_form(func)
        if twin is None:  # the call writes to copies
            copies = {id(target): _value_after_writes(target).clone() for target in targets}
            args, kwargs = tree_map(lambda leaf: copies.get(id(leaf), self.unwrap(leaf)), (args, kwargs))
            func(*args, **kwargs)
            found = list(copies.values())
        elif twin.is_view:
            target = args[0]
            target._value = self.call_view(twin, (target._value, *args[1:]), kwargs)
            target._steps += (_Step(twin, args[1:], kwargs, None),)
            return
        else:
            names = {a.name for a in twin._schema.arguments}
            kept = {name: value for name, value in kwargs.items() if name in names}
            if "dtype" in names and "dtype" not in kept:
                kept |= {"dtype": targets[0].dtype, "device": targets[0].device}
            found = _list_tensor_leaves(twin(*tree_map(self.unwrap, args), **tree_map(self.unwrap, kept)))
        for target, value in zip(targets, found[-len(targets) :]):
            if value.dtype != target.dtype:
                value = torch.ops.aten._to_copy(value, dtype=target.dtype, layout=torch.strided)
            _set_value_and_update_base(target, value)


class _Copies(TorchDispatchMode):
    """Views of values are copies."""

    def __init__(self, level):
        super().__init__()
        self.level = level

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        call = self.level.call_view if func.is_view else lambda func, args, kwargs: func(*args, **kwargs)
        with _exclude_keys(self.level.excluded):
            return call(func, args, kwargs or {})


def make_alias_of(tensor, source):
    """Makes the tensor an alias of what `source` refers to."""
    level = tensor._level
    source = source if level.owns_functional_tensor(source) else level.wrap(source)
    tensor._memory, tensor._steps = source._memory, source._steps
    tensor._value, tensor._seen = source._value, source._seen


def _write_to_input(tensor, value):
    """Gives an input the value that the function wrote to it."""
    if tensor is value:
        return
    if tensor.nbytes != value.nbytes:
        tensor.resize_(value.shape)
    if tensor.shape != value.shape:
        tensor.as_strided_(value.shape, value.stride())
    tensor.copy_(value)


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Returns a function that computes the same without writing to memory in between.

    Operators in place and with ``out=`` run as their plain forms, and views see the written values;
    inputs get their new values at the end. Below other transforms and tracers only plain operators
    are seen.

    Args:
        func (callable): takes and returns tensors.
        remove (str): ``"mutations"``, or ``"mutations_and_views"`` to replace views by copies, too.
            Default: ``"mutations"``.

    Returns:
        callable: the function.

    Raises:
        RuntimeError: when `remove` is unknown.

    Example:
        >>> def f(x):
        ...     y = x.clone()
        ...     y[0] = 5.0
        ...     return y
        >>> torch.func.functionalize(f)(torch.zeros(2))
        tensor([5., 0.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        with Level(as_copies=remove == "mutations_and_views") as level:
            flat, spec = tree_flatten((args, kwargs))
            seen = [level.wrap(value) for value in flat]
            args, kwargs = tree_unflatten(seen, spec)
            outputs = tree_map(level.unwrap, func(*args, **kwargs))
            final = [level.unwrap(value) for value in seen]
        for before, after in zip(flat, final):
            if isinstance(before, torch.Tensor):
                _write_to_input(before, after)
        return outputs

    return wrapped
