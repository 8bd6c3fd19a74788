"""Settings of a graph compiler, kept for programs that set them; none is read."""

from .._settings_of_compilers import make_patch

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

patch = make_patch(globals())
