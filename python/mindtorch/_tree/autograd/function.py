"""autograd.Function: operators with a gradient, written in Python."""

import functools
import itertools
import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .. import _C
from .._root import torch
from ..utils.hooks import RemovableHandle
from ._nested_io import (
    _iter_None_tensors,
    _iter_tensors,
    _map_tensor_data,
    _unflatten,
)

__all__ = [
    "FunctionCtx",
    "BackwardCFunction",
    "FunctionMeta",
    "Function",
    "once_differentiable",
    "InplaceFunction",
    "NestedIOFunction",
]

AUTOGRAD_FUNCTION_COUNTER = itertools.count()


class FunctionCtx:
    """What a custom Function's static methods share: the context that records inputs for backward.

    `forward` (or `setup_context`) gets it as `ctx`; anything else than tensors can be stored as its
    attributes. `ctx.needs_input_grad` tells which inputs need gradients.

    Example:
        >>> class Scale(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x, factor):
        ...         ctx.factor = factor
        ...         return factor * x
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return ctx.factor * grad, None
        >>> x = torch.tensor(1.0, requires_grad=True)
        >>> Scale.apply(x, 3.0).backward()
        >>> x.grad
        tensor(3.)
    """

    def save_for_backward(self, *tensors: "torch.Tensor"):
        """Keeps tensors for backward, where `ctx.saved_tensors` returns them.

        Saved so, they cause no reference cycle, pass the saved-tensor hooks, and raise when they were
        changed in place in between. Call it once at most. Save inputs and outputs so, intermediate
        results too.

        Args:
            *tensors (Tensor or None): the tensors.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: "torch.Tensor"):
        """Keeps tensors for `jvp`, where `ctx.saved_tensors` returns them.

        Args:
            *tensors (Tensor or None): the tensors.

        Raises:
            AssertionError: for other types.
        """
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, torch.Tensor):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: "torch.Tensor"):
        """Names the inputs that `forward` changes in place; they have to be returned, too.

        Args:
            *args (Tensor): the inputs.
        """
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs):
        """Does nothing but warn; deprecated: shared storage is found without it.

        Args:
            *pairs: ignored.
        """
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: "torch.Tensor"):
        """Names the outputs that have no gradient, such as indices; backward gets zeros for them.

        Args:
            *args (Tensor): the outputs.
        """
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool):
        """Chooses how gradients of unused outputs reach backward.

        Args:
            value (bool): True for zeros (the default), False for None.
        """
        self.materialize_grads = value


# Old pickles contain this class.
_ContextMethodMixin = FunctionCtx


class _HookMixin:
    @staticmethod
    def _register_hook(backward_hooks, hook):
        if backward_hooks is None:
            backward_hooks = OrderedDict()
        handle = RemovableHandle(backward_hooks)
        backward_hooks[handle.id] = hook
        return backward_hooks, handle


class BackwardCFunction(_C._FunctionBase, FunctionCtx, _HookMixin):
    """The node of a custom Function in the graph; it is the `ctx` of forward and backward.

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        >>> y = Double.apply(torch.ones(1, requires_grad=True))
        >>> isinstance(y.grad_fn, torch.autograd.function.BackwardCFunction)
        True
    """

    def _get_user_fn(self):
        backward_fn, vjp_fn = self._forward_cls.backward, self._forward_cls.vjp
        if vjp_fn is Function.vjp:
            return backward_fn
        if backward_fn is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return vjp_fn

    def apply(self, *args):
        """Runs the Function's `backward` (or `vjp`) with the gradients of the outputs; the engine calls it.

        Args:
            *args (Tensor or None): gradients of the outputs.

        Returns:
            What `backward` returned.
        """
        user_fn = self._get_user_fn()
        if getattr(self._forward_cls, "boxed_grads_call", False):
            return user_fn(self, list(args))
        return user_fn(self, *args)

    def apply_boxed(self, *args):
        """Runs the Function's backward with the gradients as one list; the engine calls it.

        Args:
            *args: the list.

        Returns:
            What `backward` returned.
        """
        return self._get_user_fn()(self, *args)

    def apply_jvp(self, *args):
        """Runs the Function's `jvp`; forward-mode differentiation calls it.

        Args:
            *args (Tensor or None): tangents of the inputs.

        Returns:
            What `jvp` returned.
        """
        return self._forward_cls.jvp(self, *args)

    def _compiled_autograd_key(self):
        return self._forward_cls._compiled_autograd_key(self)


class FunctionMeta(type):
    """The metaclass of Functions: gives each class a node class that is named after it.

    Args:
        name (str): name of the class.
        bases (tuple): its bases.
        attrs (dict): its attributes.

    Example:
        >>> type(torch.autograd.Function) is torch.autograd.function.FunctionMeta
        True
    """

    def __init__(cls, name, bases, attrs):
        node_cls = type(name + "Backward", (BackwardCFunction,), {"_forward_cls": cls})
        node_cls._autograd_function_id = next(AUTOGRAD_FUNCTION_COUNTER)
        cls._backward_cls = node_cls
        super().__init__(name, bases, attrs)


class _SingleLevelFunction(_C._FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    """A Function without support for transforms."""

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the result; every custom Function defines it, as a static method.

        ``forward(ctx, *args)``, or ``forward(*args)`` beside a `setup_context`. It runs without recording.

        Args:
            *args, **kwargs: what `apply` was called with.

        Returns:
            Tensor or tuple: the outputs.
        """
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Records on `ctx` what backward needs, after forward has run. Function transforms need this form.

        Args:
            ctx (FunctionCtx): the context.
            inputs (tuple): what forward got.
            output (Tensor or tuple): what forward returned.

        Returns:
            None.
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Computes gradients of the inputs from those of the outputs; also known as `vjp`.

        Args:
            ctx (FunctionCtx): the context.
            *grad_outputs (Tensor or None): gradient of each output.

        Returns:
            Tensor or tuple: one gradient for each input of forward, None where it needs none.
        """
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    # Frees each saved tensor when `ctx.saved_tensors` is first read.
    clear_saved_tensors_on_access = False
    # Passes gradients to backward as a single list, which backward may empty as it proceeds.
    boxed_grads_call = False

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Computes tangents of the outputs from those of the inputs, for forward-mode differentiation.

        Args:
            ctx (FunctionCtx): the context.
            *grad_inputs (Tensor or None): tangent of each input.

        Returns:
            Tensor or tuple: one tangent for each output.
        """
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )


class Function(_SingleLevelFunction):
    """Base class of differentiable operators written in Python.

    A subclass defines static methods: `forward` (and `setup_context`), `backward` (or `vjp`), and,
    where wanted, `jvp` for forward mode and `vmap` for `torch.vmap` (or ``generate_vmap_rule =
    True``). It is called by ``MyFunction.apply(...)``, never instantiated. The backward is
    differentiable itself when it is made of differentiable operations.

    Args:
        *args, **kwargs: not used; making an object warns.

    Example:
        >>> class Cube(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return 3 * x ** 2 * grad
        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor([12.])
    """

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. "
            "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    # Derives the vmap rule from forward and backward, which must then consist of tensor operations.
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, *args):
        """Computes the function on a batch, under `torch.vmap`.

        Args:
            info: has `batch_size` and `randomness`.
            in_dims (tuple): the batch dimension of each argument, None where it has none.
            *args: the arguments.

        Returns:
            tuple: ``(output, out_dims)``, where the batch is in each output.
        """
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Runs forward and records the node: how a Function is called.

        Args:
            *args, **kwargs: arguments of forward, without `ctx`.

        Returns:
            What forward returned, with its graph.

        Raises:
            RuntimeError: under a function transform, when the class has no `setup_context`.
        """
        has_setup_context = _is_setup_context_defined(cls.setup_context)
        if has_setup_context:
            import inspect

            # setup_context gets every input, including those with defaults.
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if not _C._are_functorch_transforms_active():
            return cls._apply_to_values(*args, **kwargs)
        if not has_setup_context:
            raise RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it "
                "must override the setup_context staticmethod. For more details, please see "
                "https://pytorch.org/docs/main/notes/extending.func.html"
            )
        from .._functorch.autograd_function import custom_function_call

        return custom_function_call(cls, *args, **kwargs)

    @classmethod
    def _apply_to_values(cls, *args, **kwargs):
        forward_ad = sys.modules.get(_FORWARD_AD)
        if forward_ad is not None and forward_ad._open_levels and _C._is_fwd_grad_enabled():
            return _apply_with_tangents(cls, args, kwargs, forward_ad)
        return super().apply(*args, **kwargs)

    @staticmethod
    def _compiled_autograd_key(ctx):
        return (ctx._autograd_function_id,)


_FORWARD_AD = __name__.rpartition(".")[0] + ".forward_ad"


def _apply_with_tangents(cls, args, kwargs, forward_ad):
    """Computes the values by an ordinary call and captures its context; then each level's tangents by the class's
    jvp."""
    tangents = [dict(forward_ad._tangents_of(value)) if isinstance(value, _C.TensorBase) else {} for value in args]
    levels = sorted(set().union(*tangents))
    if not levels:
        return super(Function, cls).apply(*args, **kwargs)
    contexts, without_gradient = [], []

    class Catching(cls._backward_cls):
        def __init__(self):
            contexts.append(self)

        def mark_non_differentiable(self, *args):
            without_gradient.extend(args)
            super().mark_non_differentiable(*args)

    Catching.__name__ = cls._backward_cls.__name__
    catching = type(cls.__name__, (cls,), {})
    catching._backward_cls = Catching
    _C._set_fwd_grad_enabled(False)
    try:
        result = super(Function, catching).apply(*args, **kwargs)
        outputs = list(result) if isinstance(result, tuple) else [result]
        for level in levels:
            given = [found.get(level) for found in tangents]
            if contexts[0].materialize_grads:
                given = [
                    torch.zeros_like(value) if tangent is None and _is_differentiable(value) else tangent
                    for value, tangent in zip(args, given)
                ]
            derivatives = contexts[0].apply_jvp(*given)
            derivatives = derivatives if isinstance(derivatives, tuple) else (derivatives,)
            if len(derivatives) != len(outputs):
                raise RuntimeError(
                    "Function's jvp returned an invalid number of forward gradients (expected "
                    f"{len(outputs)} but got {len(derivatives)})"
                )
            for index, tangent in enumerate(derivatives):
                if not _takes_tangent(outputs[index], tangent, index, without_gradient):
                    continue
                _check_tangent_shares_memory_as_output(outputs[index], tangent, args, given)
                if not any(outputs[index] is value and level in found for value, found in zip(args, tangents)):
                    outputs[index] = forward_ad._attach_tangents(outputs[index], [(level, tangent)])
    finally:
        _C._set_fwd_grad_enabled(True)
        contexts.clear()  # the class Catching, which is a cycle, keeps these lists
        without_gradient.clear()
    return tuple(outputs) if isinstance(result, tuple) else outputs[0]


def _takes_tangent(output, tangent, index, without_gradient):
    """Whether an output has a tangent; raises where the jvp returned one that it must not."""
    if tangent is not None and not isinstance(tangent, _C.TensorBase):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {index}.")
    if tangent is None or not isinstance(output, _C.TensorBase):
        return False
    if any(output is value for value in without_gradient) or not _is_differentiable(output):
        raise RuntimeError(
            f"Function's jvp returned a gradient at position {index}, but  the corresponding forward "
            "output is not a differentiable Tensor.You should return None at that position instead."
        )
    return True


def _is_differentiable(value):
    return isinstance(value, _C.TensorBase) and (value.is_floating_point() or value.is_complex())


def _check_tangent_shares_memory_as_output(output, tangent, args, given):
    """Raises for a tangent that does not share memory as its output shares it with an argument."""
    for value, its_tangent in zip(args, given):
        if output is value:  # marked dirty: other inputs are returned as views
            if tangent is not its_tangent:
                raise RuntimeError(
                    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
                    "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
                )
            return
    bases = [
        (value if value._base is None else value._base, tangent_of)
        for value, tangent_of in zip(args, given)
        if isinstance(value, _C.TensorBase)
    ]
    for base, its_tangent in bases:
        if output._base is not base:
            continue
        base_of_tangent = its_tangent if its_tangent is None or its_tangent._base is None else its_tangent._base
        if tangent._base is None or tangent._base is not base_of_tangent:
            raise RuntimeError(
                "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a "
                "view."
            )


def _is_setup_context_defined(fn):
    return fn != _SingleLevelFunction.setup_context


def once_differentiable(fn: Callable) -> Callable:
    """Decorates a backward that is not differentiable itself: it runs without recording.

    Differentiating its result raises RuntimeError instead of giving wrong second derivatives.

    Args:
        fn (callable): a static `backward(ctx, *grads)`.

    Returns:
        callable: the wrapped function.

    Example:
        >>> from torch.autograd.function import once_differentiable
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     @once_differentiable
        ...     def backward(ctx, grad):
        ...         return 2 * ctx.saved_tensors[0] * grad
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> torch.autograd.grad(Square.apply(x), x)
        (tensor([6.]),)
    """

    @functools.wraps(fn)
    def wrapper(ctx, *args, **kwargs):
        with torch.no_grad():
            outputs = fn(ctx, *args, **kwargs)
        if not torch.is_grad_enabled():
            return outputs
        if not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
            return outputs
        results = outputs if isinstance(outputs, tuple) else (outputs,)
        # Adds the error node to the graph only if its inputs require grad.
        sources = [None if result is None else result.detach().requires_grad_() for result in results]
        message = "trying to differentiate twice a function that was marked with @once_differentiable"
        late = _Error.apply(message, *sources)
        return late if isinstance(outputs, tuple) else late[0]

    return wrapper


class _Error(Function):
    """Returns tensors unchanged; differentiating the results raises."""

    @staticmethod
    def forward(ctx, message, *tensors):
        ctx.message = message
        return tuple(None if tensor is None else tensor.detach() for tensor in tensors)

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(ctx.message)


_Error._backward_cls.__name__ = "Error"


class InplaceFunction(Function):
    """A Function with a flag `inplace`; kept for old programs.

    Args:
        inplace (bool): stored as an attribute. Default: ``False``.

    Example:
        >>> issubclass(torch.autograd.function.InplaceFunction, torch.autograd.Function)
        True
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function whose inputs and outputs may be nested tuples and lists; kept for old programs.

    Args:
        *args, **kwargs: not used.

    Example:
        >>> issubclass(torch.autograd.function.NestedIOFunction, torch.autograd.Function)
        True
    """

    def _do_forward(self, *input):
        self._nested_input = input
        flat_output = super()._do_forward(*_iter_tensors(input))
        return _unflatten(flat_output, self._nested_output)

    def _do_backward(self, gradients, retain_variables):
        self.retain_variables = retain_variables
        result = super()._do_backward(gradients, retain_variables)
        if not retain_variables:
            del self._nested_output
            del self._to_save_nested
        return result

    def backward(self, *gradients: Any) -> Any:
        """Unflattens the gradients and calls `backward_extended`.

        Args:
            *gradients (Tensor): gradients of the flat outputs.

        Returns:
            tuple: gradients of the flat inputs.
        """
        nested = _unflatten(gradients, self._nested_output)
        return tuple(_iter_None_tensors(self.backward_extended(*nested)))

    __call__ = _do_forward

    def forward(self, *args: Any) -> Any:
        """Calls `forward_extended` with the nested inputs and flattens its result.

        Args:
            *args: flat inputs.

        Returns:
            tuple of Tensor: flat outputs.
        """
        result = self.forward_extended(*_map_tensor_data(self._nested_input))
        del self._nested_input
        self._nested_output = result
        return tuple(_iter_tensors(result))

    def save_for_backward(self, *args: Any) -> None:
        """Keeps nested tensors for backward.

        Args:
            *args: tensors, or tuples and lists of them.
        """
        self.to_save = tuple(_iter_tensors(args))
        self._to_save_nested = args

    @property
    def saved_tensors(self):
        return _unflatten(super().saved_tensors, self._to_save_nested)

    def mark_dirty(self, *args: Any, **kwargs: Any) -> None:
        """Names the inputs that are changed in place.

        Args:
            *args, **kwargs: tensors, or tuples and lists of them.
        """
        self.dirty_tensors = tuple(_iter_tensors((args, kwargs)))

    def mark_non_differentiable(self, *args: Any, **kwargs: Any) -> None:
        """Names the outputs that have no gradient.

        Args:
            *args, **kwargs: tensors, or tuples and lists of them.
        """
        self.non_differentiable = tuple(_iter_tensors((args, kwargs)))

    def forward_extended(self, *input: Any) -> None:
        """Computes nested outputs from nested inputs; subclasses define it.

        Args:
            *input: the inputs.
        """
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        """Computes nested gradients of the inputs; subclasses define it.

        Args:
            *grad_output: gradients of the outputs.
        """
        raise NotImplementedError
