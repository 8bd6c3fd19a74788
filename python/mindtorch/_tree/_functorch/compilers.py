"""Compilers for aot_function. Only `nop` works: it takes the function as it is."""

from .._absent_device import define_refusing_functions
from ._aot_autograd.utils import make_boxed_compiler


@make_boxed_compiler
def nop(fx_g, _):
    """Returns its first argument, as a function of one list."""
    return fx_g


define_refusing_functions(
    __name__,
    (
        "debug_compile(fx_g, inps)",
        "default_decompositions()",
        "draw_graph_compile(name)",
        "memory_efficient_fusion(fn, **kwargs)",
        "nnc_jit(f)",
        "print_compile(fx_g, _)",
        "ts_compile(fx_g, inps)",
    ),
    NotImplementedError,
    "{name}: there is no tracing compiler",
)
