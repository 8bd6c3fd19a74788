"""Settings of a graph compiler, kept for programs that set them; none is read."""

import contextlib

cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
suppress_errors = False
verbose = False
dynamic_shapes = True
assume_static_by_default = True
automatic_dynamic_shapes = True
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
error_on_nested_fx_trace = True
disable = False
optimize_ddp = True
inline_inbuilt_nn_modules = True


@contextlib.contextmanager
def patch(arg1=None, arg2=None, **changes):
    """Sets some settings within a block."""
    if isinstance(arg1, str):
        changes = {arg1: arg2}
    elif arg1 is not None:
        changes = arg1
    missing = [name for name in changes if name not in globals()]
    if missing:
        raise AttributeError(f"{__name__}.{missing[0]} does not exist")
    previous = {name: globals()[name] for name in changes}
    globals().update(changes)
    try:
        yield
    finally:
        globals().update(previous)
