"""Inspects the graph and controls what it saves: nodes, edges, saved-tensor hooks, multi-tensor hooks."""

from __future__ import annotations

import abc
import contextlib
import functools
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from .. import _C
from .._root import torch
from ..utils.hooks import RemovableHandle
from .variable import Variable

__all__ = [
    "saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks", "register_multi_grad_hook",
    "allow_mutation_on_saved_tensors", "Node", "GradientEdge", "get_gradient_edge", "increment_version",
    "region_activation_memory_budget", "set_warn_on_accumulate_grad_stream_mismatch",
    "set_override_stale_capture_stream",
]


class Node(abc.ABC):
    """A node of the backward graph, as `Tensor.grad_fn` returns it; an abstract class.

    The types of operators' nodes and those of custom Functions count as subclasses.

    Example:
        >>> y = torch.ones(1, requires_grad=True) + 1
        >>> isinstance(y.grad_fn, torch.autograd.graph.Node), y.grad_fn.name()
        (True, 'AddBackward0')
    """

    @abc.abstractmethod
    def name(self) -> str:
        """Returns the name of the operation, such as ``"AddBackward0"``.

        Returns:
            str: the name.
        """
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def next_functions(self) -> "tuple[tuple[Node | None, int], ...]":
        """Where gradients go next: a tuple of pairs (node or None, number of that node's output)."""
        raise NotImplementedError

    @abc.abstractmethod
    def metadata(self) -> dict:
        """Returns a dict for notes of the user, kept with the node.

        Returns:
            dict: the notes.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def _sequence_nr(self) -> int:
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def _input_metadata(self) -> list[Any]:
        raise NotImplementedError

    @abc.abstractmethod
    def _register_hook_dict(self, tensor: "torch.Tensor") -> None:
        raise NotImplementedError

    @abc.abstractmethod
    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Registers a hook that runs after the node.

        Args:
            fn (callable): ``fn(grad_inputs, grad_outputs)``; a result other than None replaces
                `grad_inputs`.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Registers a hook that runs before the node.

        Args:
            fn (callable): ``fn(grad_outputs)``; a result other than None replaces them.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, subclass: type) -> bool:
        if cls is not Node:
            return NotImplemented
        from .function import BackwardCFunction

        is_c_node = subclass is getattr(_C._functions, subclass.__name__, None)
        return True if is_c_node or issubclass(subclass, BackwardCFunction) else NotImplemented


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor enters the graph; `grad` and `backward` accept it instead of the tensor.

    Args:
        node (Node): the node.
        output_nr (int): which of the node's outputs.
        ownership_token (Node, optional): keeps the node alive. Default: ``None``.

    Example:
        >>> x = torch.ones(1, requires_grad=True)
        >>> edge = torch.autograd.graph.get_gradient_edge(x)
        >>> edge.output_nr
        0
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def _get_grad_fn_or_grad_acc(t: "torch.Tensor | GradientEdge") -> Node:
    if isinstance(t, GradientEdge):
        return t.node
    node = t.grad_fn
    if node is None and t.requires_grad:
        # The node that accumulates a leaf's gradient can only be found as the next function of a node that uses the
        # leaf.
        with torch.enable_grad():
            node = t.view_as(t).grad_fn.next_functions[0][0]
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node


def get_gradient_edge(tensor: "torch.Tensor") -> GradientEdge:
    """Returns where the gradient of a tensor enters the graph.

    Args:
        tensor (Tensor): a tensor that requires gradients.

    Returns:
        GradientEdge: for `grad` and `backward`, in place of the tensor, whose data can be freed.

    Raises:
        RuntimeError: when the tensor does not require gradients.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> edge = torch.autograd.graph.get_gradient_edge(x)
        >>> torch.autograd.grad(x ** 2, edge)
        (tensor(6.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = _get_grad_fn_or_grad_acc(tensor)
    token = None
    if isinstance(node, _C._FunctionBase):
        # The Python object of a node does not keep the C++ node alive; another node that has an edge to it does.
        with torch.enable_grad():
            token = tensor.view_as(tensor).grad_fn
    return GradientEdge(node, tensor.output_nr, ownership_token=token)


def increment_version(tensor: "torch.Tensor | Iterable[torch.Tensor]") -> None:
    """Tells autograd that tensors were changed in place by other means than operators.

    Backward then raises where it needs the old values.

    Args:
        tensor (Tensor or iterable of Tensor): the changed tensors.

    Example:
        >>> x = torch.zeros(1)
        >>> torch.autograd.graph.increment_version(x)
        >>> x._version
        1
    """
    _C._increment_version((tensor,) if isinstance(tensor, torch.Tensor) else tensor)


class saved_tensors_hooks:
    """Inside the block, two functions convert the tensors that the graph saves: to move, compress or count them.

    Args:
        pack_hook (callable): gets each saved tensor; its result is kept instead. It must not
            change the tensor.
        unpack_hook (callable): gets that in backward and returns a tensor of the same content.

    Example:
        >>> def pack(x):
        ...     print("save", tuple(x.shape))
        ...     return x
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        ...     y = x.exp()
        save (2,)
    """

    def __init__(
        self, pack_hook: "Callable[[torch.Tensor], Any]", unpack_hook: "Callable[[Any], torch.Tensor]"
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        _C._autograd._push_saved_tensors_default_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args: object) -> None:
        _C._autograd._pop_saved_tensors_default_hooks()


def _copy_to_pinned(tensor, can_pin):
    copy = torch.empty(tensor.size(), dtype=tensor.dtype, layout=tensor.layout, pin_memory=can_pin)
    return copy.copy_(tensor, non_blocking=can_pin)


class save_on_cpu(saved_tensors_hooks):
    """Inside the block, what the graph saves is kept in host memory and copied back in backward.

    Args:
        pin_memory (bool): uses pinned memory and asynchronous copies. Default: ``False``.
        device_type (str): device whose memory is relieved. Default: ``"cuda"``.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.save_on_cpu():
        ...     y = (x * x).sum()
        >>> y.backward()
        >>> x.grad
        tensor([2., 2.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        module = getattr(torch, device_type, torch.cuda)

        def move_to_host(tensor):
            if pin_memory:
                return tensor.device, _copy_to_pinned(tensor, module.is_available() and not tensor.is_sparse)
            return tensor.device, tensor.cpu()

        def copy_back_to_device(kept):
            device, copy = kept
            return copy.to(device, non_blocking=pin_memory)

        super().__init__(move_to_host, copy_back_to_device)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Generator[None, None, None]:
    """Makes using saved-tensor hooks an error inside the block.

    Args:
        error_message (str): text of the RuntimeError.

    Returns:
        A context manager.

    Example:
        >>> with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        ...     y = torch.ones(1, requires_grad=True).exp()
    """
    previous = _C._autograd._saved_tensors_hooks_get_disabled_error_message()
    _C._autograd._saved_tensors_hooks_disable(error_message)
    try:
        yield
    finally:
        if previous is None:
            _C._autograd._saved_tensors_hooks_enable()
        else:
            _C._autograd._saved_tensors_hooks_disable(previous)


def region_activation_memory_budget(budget: float) -> contextlib.AbstractContextManager[None]:
    """Raises RuntimeError: it steers the compiler, which this library does not have.

    Args:
        budget (float): share of activations that are kept, in [0, 1].

    Returns:
        Nothing, since it always raises.

    Raises:
        TypeError: when `budget` is not a number.
        ValueError: when it is outside [0, 1].
        RuntimeError: otherwise.

    Example:
        >>> try:
        ...     torch.autograd.graph.region_activation_memory_budget(0.5)
        ... except RuntimeError:
        ...     print("compiled regions only")
        compiled regions only
    """
    prefix = "torch.autograd.graph.region_activation_memory_budget"
    if isinstance(budget, bool) or not isinstance(budget, (int, float)):
        raise TypeError(f"{prefix}: expects a float, got {type(budget).__name__}")
    if not 0.0 <= budget <= 1.0:
        raise ValueError(f"{prefix}: must be in [0, 1], got {budget}")
    # There is no compiler, so this is always outside a compiled region.
    raise RuntimeError(f"{prefix} can only be used inside a torch.compile region; it has no effect in eager mode.")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Chooses whether to warn when a gradient is accumulated on another stream than it was made on.

    Args:
        enabled (bool): whether to warn; without effect on the CPU.

    Example:
        >>> torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True)
    """
    return _C._set_warn_on_accumulate_grad_stream_mismatch(enabled)


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Chooses whether a graph capture's backward replaces streams that are not captured.

    Args:
        enabled (bool): whether to replace them; without effect on the CPU.

    Example:
        >>> torch.autograd.graph.set_override_stale_capture_stream(False)
    """
    return _C._set_override_stale_capture_stream(enabled)


class _MultiHandle(RemovableHandle):
    """Removes several hooks at once."""

    def __init__(self, handles) -> None:
        self.handles = handles

    def __reduce__(self):
        return type(self), (self.handles,)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def _number_of_current_backward() -> int:
    task = _C._current_graph_task_id()
    if task == -1:
        raise AssertionError("expected this hook to be called inside a backward call")
    return task


def _hook_when_all_arrived(tensors, fn):
    """Registers a hook per tensor; the last one that this backward reaches calls `fn` with all gradients."""
    nodes = [_get_grad_fn_or_grad_acc(tensor) for tensor in tensors]
    lock = threading.Lock()
    pending: dict[int, list] = {}

    def collect_grad(index, grad):
        task = _number_of_current_backward()
        with lock:
            if task not in pending:
                expected = sum(_C._will_engine_execute_node(node) for node in nodes)
                pending[task] = [expected, [None] * len(nodes)]
            state = pending[task]
            state[0] -= 1
            state[1][index] = grad
            done = state[0] == 0
        if done:
            try:
                fn(state[1])
            finally:
                del pending[task]

    return tuple(tensor.register_hook(functools.partial(collect_grad, index)) for index, tensor in enumerate(tensors))


def _hook_when_first_arrived(tensors, fn):
    lock = threading.Lock()
    ran: dict[int, bool] = defaultdict(bool)

    @functools.wraps(fn)
    def run_hook_once(grad):
        task = _number_of_current_backward()
        with lock:
            already, ran[task] = ran[task], True
        if not already:
            fn(grad)

    return tuple(tensor.register_hook(run_hook_once) for tensor in tensors if tensor.requires_grad)


def register_multi_grad_hook(
    tensors: "Sequence[torch.Tensor]", fn: Callable, *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Registers one hook for the gradients of several tensors, called once per backward.

    Args:
        tensors (sequence of Tensor): the tensors.
        fn (callable): in mode ``"all"``, ``fn(grads)`` with a list, None for tensors that this backward
            does not reach; in mode ``"any"``, ``fn(grad)`` with the first gradient.
        mode (str): waits for ``"all"`` gradients, or for ``"any"``. Default: ``"all"``.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Raises:
        ValueError: when the mode is unknown.

    Example:
        >>> a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
        >>> handle = torch.autograd.graph.register_multi_grad_hook((a, b), print)
        >>> (2 * a + 3 * b).backward()
        [tensor([2.]), tensor([3.])]
    """
    supported_modes = ("all", "any")
    if mode not in supported_modes:
        raise ValueError(f"Expects mode to be one of {supported_modes} but got {mode}")
    register = _hook_when_all_arrived if mode == "all" else _hook_when_first_arrived
    return _MultiHandle(register(tensors, fn))


def allow_mutation_on_saved_tensors():
    """Inside the block, tensors may be changed in place after the graph saved them: they are cloned before.

    Returns:
        A context manager; backward has to run inside of it.

    Example:
        >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
        ...     x = torch.tensor([2.0], requires_grad=True).clone()
        ...     x.retain_grad()
        ...     y = x ** 2
        ...     with torch.no_grad():
        ...         _ = x.fill_(0.0)
        ...     y.backward()
        >>> x.grad
        tensor([4.])
    """
    from ._saved_mutation import allow_mutation

    return allow_mutation()


def _engine_run_backward(
    t_outputs, grad_tensors, keep_graph, create_graph, inputs=(), *args: Any, **kwargs: Any
) -> "tuple[torch.Tensor, ...]":
    return Variable._execution_engine.run_backward(
        t_outputs, grad_tensors, keep_graph, create_graph, inputs, *args, **kwargs
    )
