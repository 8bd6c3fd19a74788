"""Which functions __torch_function__ can override, by name: exclusions of torch that schemas do not contain."""

import inspect

# Functions that do not call __torch_function__: they set or read state, make tensors from no tensor, or only call
# overridable functions.
IGNORED = """
are_deterministic_algorithms_enabled as_strided as_tensor asarray autocast_decrement_nesting
autocast_increment_nesting broadcast_shapes clear_autocast_cache compile cond default_generator device dtype
empty_quantized enable_grad fill finfo fork from_numpy frombuffer get_autocast_cpu_dtype get_autocast_dtype
get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_default_device get_default_dtype
get_deterministic_debug_mode get_device_module get_float32_matmul_precision get_num_interop_threads get_num_threads
get_rng_state iinfo import_ir_module import_ir_module_from_buffer inference_mode init_num_threads initial_seed
is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
is_autocast_ipu_enabled is_autocast_xla_enabled is_deterministic_algorithms_warn_only_enabled is_grad_enabled
is_inference_mode_enabled is_storage is_tensor is_warn_always_enabled layout linspace load logspace manual_seed
memory_format merge_type_from_type_comment no_grad normal parse_ir parse_schema parse_type_comment qscheme rand_like
randint_like randn_like result_type save seed set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype
set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype
set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled set_default_device set_default_tensor_type
set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_grad_enabled set_num_interop_threads
set_num_threads set_printoptions set_rng_state set_warn_always sparse_bsc_tensor sparse_bsr_tensor
sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor sym_fresh_size thread_safe_generator
typename unify_type_list use_deterministic_algorithms vander vmap wait
functional.handle_torch_function functional.has_torch_function functional.has_torch_function_unary
functional.has_torch_function_variadic
nn.functional.assert_int_or_pair nn.functional.boolean_dispatch nn.functional.handle_torch_function
nn.functional.has_torch_function nn.functional.has_torch_function_unary nn.functional.has_torch_function_variadic
nn.functional._canonical_mask nn.functional._none_or_dtype nn.functional.grouped_mm nn.functional.hardsigmoid
nn.functional.hardswish nn.functional.scaled_grouped_mm nn.functional.scaled_mm nn.functional.sigmoid
nn.functional.tanh nn.functional.upsample nn.functional.upsample_bilinear nn.functional.upsample_nearest
nn.init.calculate_gain nn.init.constant nn.init.dirac nn.init.eye nn.init.kaiming_normal nn.init.kaiming_uniform
nn.init.normal nn.init.orthogonal nn.init.sparse nn.init.uniform nn.init.xavier_normal nn.init.xavier_uniform
fft.fftfreq fft.rfftfreq
""".split()

# Methods that do not call __torch_function__: they construct tensors, or tell a tensor's type or identity.
IGNORED_METHODS = """
__class__ __delattr__ __delitem__ __dir__ __getattribute__ __hash__ __init__ __init_subclass__ __iter__ __new__
__setattr__ __subclasshook__ __torch_dispatch__ __torch_function__ _addmm_activation _conj _conj_physical
_dtensor__new__ _fix_weakref _is_all_true _is_any_true _is_zerotensor _lazy_clone _make_subclass
_make_wrapper_subclass _neg_view _reduce_ex_internal _rev_view_func_unsafe _to_sparse _to_sparse_bsc _to_sparse_bsr
_to_sparse_csc _to_sparse_csr _typed_storage _use_count _view_func _view_func_unsafe as_subclass eig lstsq new
new_empty new_empty_strided new_full new_ones new_tensor new_zeros reinforce solve stride symeig to_padded_tensor
to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr unflatten
""".split()


def find_by_dotted_path(root, dotted):
    """Returns the function with a dotted name below the root, or None."""
    found = root
    for part in dotted.split("."):
        found = getattr(found, part, None)
    return found


def list_namespaces(root):
    """Returns (displayed name, namespace, its members) in the order of name resolution."""
    return [
        ("torch", root, root.__all__),
        ("torch.functional", root.functional, root.functional.__all__),
        ("torch.nn.functional", root.nn.functional, dir(root.nn.functional)),
        ("torch.nn.init", root.nn.init, dir(root.nn.init)),
        ("torch.Tensor", root.Tensor, dir(root.Tensor)),
        ("torch.linalg", root.linalg, dir(root.linalg)),
        ("torch.fft", root.fft, dir(root.fft)),
        ("torch.special", root.special, dir(root.special)),
    ]


def make_stub_returning_minus_one(function):
    """Returns a function that returns -1, with the signature of `function` if it has one."""

    def returns_minus_one(*args, **kwargs):
        return -1

    try:
        returns_minus_one.__signature__ = inspect.signature(function)
    except (TypeError, ValueError):
        pass
    return returns_minus_one
