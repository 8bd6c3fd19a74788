"""Settings of a graph compiler, kept for programs that set them; none is read."""

from .._settings_of_compilers import Section, make_patch

allow_buffer_reuse = True
always_keep_tensor_constants = False
autotune_local_cache = True
autotune_remote_cache = None
b2b_gemm_pass = False
batch_fusion = True
benchmark_kernel = False
combo_kernels = False
comprehensive_padding = True
constant_and_index_propagation = True
conv_1x1_as_mm = False
coordinate_descent_check_all_directions = False
coordinate_descent_tuning = False
cpp_wrapper = False
debug = False
disable_progress = True
emulate_precision_casts = False
epilogue_fusion = True
fallback_random = False
force_fuse_int_mm_with_mul = False
freezing = False
fx_graph_cache = True
fx_graph_remote_cache = None
group_fusion = False
implicit_fallbacks = True
inplace_buffers = True
joint_custom_post_pass = None
joint_custom_pre_pass = None
keep_output_stride = True
layout_optimization = True
max_autotune = False
max_autotune_gemm = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
max_autotune_pointwise = False
memory_planning = False
pattern_matcher = True
post_grad_custom_post_pass = None
post_grad_custom_pre_pass = None
precompilation_timeout_seconds = 300
profiler_mark_wrapper_call = False
realize_opcount_threshold = None
reorder_for_compute_comm_overlap = False
search_autotune_cache = False
shape_padding = True
size_asserts = True
split_reductions = True
unroll_reductions_threshold = 8
use_mixed_mm = True
verbose_progress = False
worker_start_method = "subprocess"

aot_inductor = Section(debug_compile=False, metadata={}, output_path="", package=False)
cpp = Section(
    dynamic_threads=False, enable_kernel_profile=False, gemm_max_k_slices=1, min_chunk_size=512, simdlen=None,
    threads=-1, weight_prepack=True,
)  # fmt: skip
cuda = Section(arch=None, compile_opt_level="-O1", enable_cuda_lto=False, use_fast_math=False, version=None)
trace = Section(debug_dir=None, enabled=False, fx_graph=True, graph_diagram=False, output_code=True)
triton = Section(
    cudagraph_skip_dynamic_graphs=False, cudagraph_support_input_mutation=True, cudagraph_trees=True,
    cudagraphs=False, descriptive_names="original_aten", enable_persistent_tma_matmul=False, multi_kernel=0,
    persistent_reductions=True, skip_cudagraph_warmup=False, store_cubin=False, unique_kernel_names=True,
)  # fmt: skip

patch = make_patch(globals())
