"""Functions for a compiler of forward and backward graphs. Without a compiler, they run as functionalized operators."""

import functools

from .._root import torch
from ..utils._pytree import tree_map
from ._aot_autograd.utils import make_boxed_compiler, make_boxed_func
from .compilers import nop
from .functionalization import Level
from .partitioners import default_partition


def _refuse_compilers(*compilers):
    for compiler in compilers:
        if compiler is not None and compiler is not nop:
            raise NotImplementedError(
                f"compilers of graphs ({getattr(compiler, '__name__', compiler)!s}): there is no tracing compiler; "
                "functorch.compile.nop runs the function"
            )


def aot_function(
    fn,
    fw_compiler,
    bw_compiler=None,
    partition_fn=default_partition,
    decompositions=None,
    num_params_buffers=0,
    keep_inference_input_mutations=False,
    inference_compiler=None,
    *,
    dynamic=False,
    enable_log=True,
    disable_functionalization=False,
    _disable_torch_fn_metadata_mode=False,
):
    """Returns a function that computes the same as `fn`; its operators run as a tracing compiler would record them.

    Args:
        fn (callable): takes and returns tensors.
        fw_compiler (callable): ``functorch.compile.nop``.
        bw_compiler, inference_compiler (callable, optional): None or ``functorch.compile.nop``.
        disable_functionalization (bool): runs the operators as they are. Default: ``False``.
        partition_fn, decompositions, num_params_buffers, keep_inference_input_mutations, dynamic, enable_log: as
            torch has them; not looked at.

    Returns:
        callable: the function.

    Raises:
        NotImplementedError: when a compiler is not ``nop``.
    """
    _refuse_compilers(fw_compiler, bw_compiler, inference_compiler)
    if disable_functionalization:
        return functools.wraps(fn)(lambda *args, **kwargs: fn(*args, **kwargs))

    @functools.wraps(fn)
    def run(*args, **kwargs):
        with Level(as_copies=False, is_transform=False) as level:
            entered = {}

            def enter(leaf):
                if not isinstance(leaf, torch.Tensor):
                    return leaf
                seen = entered[id(leaf)] = (leaf, level.wrap(leaf))
                return seen[1]

            results = fn(*tree_map(enter, args), **tree_map(enter, kwargs))
            for leaf, seen in entered.values():
                value = level.unwrap(seen)
                if value is not leaf:
                    leaf.copy_(value)
            results = tree_map(level.unwrap, results)
            return list(results) if type(results) is tuple else results  # as torch's compiled functions

    return run


def aot_module(mod, *args, **kwargs):
    """Returns a module that computes the same as `mod`, by aot_function.

    Args:
        mod (nn.Module): the module.
        args, kwargs: as of aot_function.

    Returns:
        nn.Module: the module, with `mod` as ``orig_module``.
    """

    class AOTModule(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.orig_module = mod

        def forward(self, *inputs, **options):
            return run(*inputs, **options)

    run = aot_function(mod.__call__, *args, **kwargs)
    return AOTModule()


def aot_module_simplified(
    mod,
    args,
    fw_compiler,
    bw_compiler=None,
    partition_fn=default_partition,
    decompositions=None,
    keep_inference_input_mutations=False,
    inference_compiler=None,
    compiler_config_extra=None,
    ignore_shape_env=False,
    disable_functionalization=False,
    pre_grad_passes=None,
    compile_region_name=None,
):
    """Returns the function of `mod`, by aot_function.

    Args:
        mod (nn.Module): the module.
        args (sequence): example inputs.
        fw_compiler, bw_compiler, inference_compiler, disable_functionalization: as of aot_function.

    Returns:
        callable: the function.

    Raises:
        RuntimeError: when the module's result is not a tuple or list.
    """

    def call(*inputs):
        found = mod(*inputs)
        if not isinstance(found, (tuple, list)):
            raise RuntimeError(
                "Graph output must be a (). This is so that we can avoid pytree processing of the outputs. Please "
                "change the module to have tuple outputs or use aot_module instead."
            )
        return found

    run = aot_function(
        call,
        fw_compiler,
        bw_compiler,
        inference_compiler=inference_compiler,
        disable_functionalization=disable_functionalization,
    )
    run(*args)  # as torch, which records the graph here
    return run


compiled_function, compiled_module = aot_function, aot_module
