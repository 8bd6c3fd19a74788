"""make_graphed_callables: functions and modules whose forward and backward replay recorded graphs."""

from .._root import torch
from ..utils._pytree import tree_flatten, tree_unflatten
from .graphs import NPUGraph, graph, graph_pool_handle
from .streams import Stream, current_stream, stream


def _is_differentiable(tensors) -> list:
    return [tensor for tensor in tensors if tensor.requires_grad]


class _Recorded:
    """The graphs of one callable and the tensors that they read and write: inputs, then a module's parameters."""

    def __init__(self, function, sample_args, allow_unused: bool):
        self.function, self.allow_unused = function, allow_unused
        self.sample_args = tuple(sample_args)
        self.inputs = tree_flatten(self.sample_args)[0]
        if not all(isinstance(tensor, torch.Tensor) for tensor in self.inputs):
            raise TypeError(
                "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed."
            )
        self.n_inputs = len(self.inputs)
        if isinstance(function, torch.nn.Module):
            self._check_has_no_hooks(function)
            self.inputs = [*self.inputs, *function.parameters()]
        self.forward_graph, self.backward_graph = NPUGraph(), NPUGraph()

    @staticmethod
    def _check_has_no_hooks(module) -> None:
        if module._backward_hooks or module._forward_hooks or module._forward_pre_hooks:
            raise RuntimeError(
                "Modules must not have hooks registered at the time they are passed. However, registering hooks "
                "on modules after passing them through make_graphed_callables is allowed."
            )
        if any(buffer.requires_grad for buffer in module.buffers()):
            raise RuntimeError(
                "In any :class:`~torch.nn.Module` passed to "
                ":func:`~make_graphed_callables`, only parameters may be trainable. All buffers must have "
                "``requires_grad=False``."
            )

    def _gradients(self, outputs, incoming):
        wanted = _is_differentiable(self.inputs)
        if not wanted or not outputs:
            return ()
        return torch.autograd.grad(
            outputs, wanted, grad_outputs=incoming, only_inputs=True, allow_unused=self.allow_unused
        )

    def warm_up(self, times: int) -> None:
        for _ in range(times):
            outputs = _is_differentiable(tree_flatten(self.function(*self.sample_args))[0])
            self._gradients(outputs, [torch.empty_like(output) for output in outputs])

    def record_forward(self, pool) -> None:
        with graph(self.forward_graph, pool=pool):
            result = self.function(*self.sample_args)
        self.outputs, self.structure = tree_flatten(result)

    def record_backward(self, pool) -> None:
        self.incoming = [torch.empty_like(output) if output.requires_grad else None for output in self.outputs]
        with graph(self.backward_graph, pool=pool):
            gradients = self._gradients(
                _is_differentiable(self.outputs), [gradient for gradient in self.incoming if gradient is not None]
            )
        given = iter(gradients)
        self.gradients = [next(given, None) if tensor.requires_grad else None for tensor in self.inputs]

    def make_replay_function(self):
        """Returns a function that replays the graphs on inputs of the sample's shapes."""
        recorded = self

        class Graphed(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *inputs):
                for place, given in zip(recorded.inputs[: recorded.n_inputs], inputs):
                    if place.data_ptr() != given.data_ptr():
                        place.copy_(given)
                recorded.forward_graph.replay()
                return tuple(output.detach() for output in recorded.outputs)

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, *incoming):
                for place, given in zip(recorded.incoming, incoming):
                    if place is not None and place.data_ptr() != given.data_ptr():
                        place.copy_(given)
                recorded.backward_graph.replay()
                return tuple(None if gradient is None else gradient.detach() for gradient in recorded.gradients)

        def replay_graph(*args):
            inputs = [*tree_flatten(args)[0], *self.inputs[self.n_inputs :]]
            return tree_unflatten(list(Graphed.apply(*inputs)), self.structure)

        return replay_graph


def _replace_forward(module, replay):
    """Makes a module replay its graphs in calls with the recorded mode (training or not)."""
    eager, recorded_mode = module.forward, module.training

    def forward(*args):
        return replay(*args) if module.training == recorded_mode else eager(*args)

    module.forward = forward
    return module


def make_graphed_callables_as_given(callables, sample_args, num_warmup_iters: int, allow_unused_input: bool, pool):
    """Returns the result of make_graphed_callables: a tuple if it got one."""
    if torch.is_autocast_enabled("npu") and torch.is_autocast_cache_enabled():
        raise RuntimeError(
            "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`."
        )
    single = not isinstance(callables, tuple)
    if single:
        callables, sample_args = (callables,), (sample_args,)
    pool = graph_pool_handle() if pool is None else pool
    records = [_Recorded(function, args, allow_unused_input) for function, args in zip(callables, sample_args)]
    torch.npu.synchronize()
    side = Stream()
    side.wait_stream(current_stream())
    with stream(side):
        for record in records:
            record.warm_up(num_warmup_iters)
    torch.npu.synchronize()
    # Records backward graphs in the order in which they run: the last callable's first.
    for record in records:
        record.record_forward(pool)
    for record in reversed(records):
        record.record_backward(pool)
    results = tuple(
        _replace_forward(record.function, record.make_replay_function())
        if isinstance(record.function, torch.nn.Module)
        else record.make_replay_function()
        for record in records
    )
    return results[0] if single else results
