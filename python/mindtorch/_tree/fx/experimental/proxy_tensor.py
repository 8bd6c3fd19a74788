"""Queries of a tracing compiler, which never records this thread. Its tracer raises NotImplementedError."""

from ..._absent_device import define_refusing_functions, make_refusing_class
from ...utils._python_dispatch import TorchDispatchMode

_TEXT = "there is no tracing compiler; torch.fx.symbolic_trace() records modules"


def get_proxy_mode():
    """The mode that records this thread: None."""
    return None


ProxyTorchDispatchMode = make_refusing_class(
    __name__,
    "ProxyTorchDispatchMode(tracer, tracing_mode, pre_dispatch=False, _allow_fake_constant=False, "
    "_error_on_data_dependent_ops=True)",
    NotImplementedError,
    f"ProxyTorchDispatchMode: {_TEXT}",
    (TorchDispatchMode,),
)
define_refusing_functions(
    __name__,
    (
        "make_fx(f, decomposition_table=None, tracing_mode='real', _allow_non_fake_inputs=False, *, "
        "pre_dispatch=False, record_module_stack=False, _allow_fake_constant=False, _error_on_data_dependent_ops=True, "
        "record_stack_traces=False, proxy_module_inputs=False, _disable_torch_fn_metadata_mode=False)",
    ),
    NotImplementedError,
    f"{{name}}: {_TEXT}",
)
