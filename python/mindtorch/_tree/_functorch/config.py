"""Settings of a tracing compiler's autograd, kept for programs that set them; none is read."""

from .._settings_of_compilers import make_patch

activation_memory_budget = 1.0
aggressive_recomputation = False
backward_pass_autocast = "same_as_forward"
check_custom_op_aliasing = True
cse = True
debug_assert = False
debug_partitioner = False
donated_buffer = True
enable_autograd_cache = True
error_on_custom_op_aliasing = False
fake_tensor_allow_meta = True
fake_tensor_allow_unsafe_data_ptr_access = True
fake_tensor_propagate_real_tensors = False
functionalize_rng_ops = False
recompute_views = False
static_weight_shapes = True
strict_autograd_cache = False
treat_parameters_as_free_to_save = True
view_replay_for_aliased_outputs = True

patch = make_patch(globals())
