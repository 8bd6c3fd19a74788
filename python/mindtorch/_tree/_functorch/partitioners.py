"""How a tracing compiler divides a graph into forward and backward: names to pass on, nothing is divided."""

from .._absent_device import define_refusing_functions

define_refusing_functions(
    __name__,
    (
        "default_partition(joint_module, _joint_inputs, *, num_fwd_outputs, static_lifetime_input_indices=None, "
        "static_lifetime_input_nodes=None)",
        "draw_graph(traced, fname, figname='fx_graph', clear_meta=True, prog=None, parse_stack_trace=False, "
        "dot_graph_shape=None)",
        "min_cut_rematerialization_partition(joint_module, _joint_inputs, compiler='inductor', *, num_fwd_outputs, "
        "static_lifetime_input_indices=None)",
    ),
    NotImplementedError,
    "{name}: there is no tracing compiler",
)
