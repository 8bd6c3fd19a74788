"""functorch.compile: functions for a compiler of graphs; torch._functorch.aot_autograd says what runs."""

from torch._functorch import config
from torch._functorch.aot_autograd import (
    aot_function,
    aot_module,
    aot_module_simplified,
    compiled_function,
    compiled_module,
    make_boxed_compiler,
    make_boxed_func,
)
from torch._functorch.compilers import (
    debug_compile,
    default_decompositions,
    draw_graph_compile,
    memory_efficient_fusion,
    nnc_jit,
    nop,
    print_compile,
    ts_compile,
)
from torch._functorch.partitioners import default_partition, draw_graph, min_cut_rematerialization_partition
