// The C functions of LibTorch's stable ABI since 2.10, by the release that added them.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>

extern "C" {

// ---- 2.10. `extension_build_version`: TORCH_ABI_VERSION of the headers that the caller was compiled with. ----
AOTI_TORCH_EXPORT AOTITorchError torch_call_dispatcher(const char* name, const char* overload, StableIValue* stack,
                                                       uint64_t extension_build_version);
AOTI_TORCH_EXPORT AOTITorchError torch_library_impl(TorchLibraryHandle self, const char* name,
                                                    void (*fn)(StableIValue* stack, uint64_t n_arguments, uint64_t n_results),
                                                    uint64_t extension_build_version);
AOTI_TORCH_EXPORT AOTITorchError torch_new_list_reserve_size(size_t size, StableListHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError torch_list_size(StableListHandle list, size_t* size);
AOTI_TORCH_EXPORT AOTITorchError torch_list_get_item(StableListHandle list, size_t index, StableIValue* element);
AOTI_TORCH_EXPORT AOTITorchError torch_list_set_item(StableListHandle list, size_t index, StableIValue element);
AOTI_TORCH_EXPORT AOTITorchError torch_list_push_back(StableListHandle list, StableIValue element);
AOTI_TORCH_EXPORT AOTITorchError torch_delete_list(StableListHandle list);  // its elements remain their owners'
AOTI_TORCH_EXPORT AOTITorchError torch_new_string_handle(const char* data, size_t length, StringHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError torch_delete_string(StringHandle string);
AOTI_TORCH_EXPORT AOTITorchError torch_string_length(StringHandle string, size_t* length);
AOTI_TORCH_EXPORT AOTITorchError torch_string_c_str(StringHandle string, const char** data);  // borrowed
AOTI_TORCH_EXPORT AOTITorchError torch_parse_device_string(const char* text, uint32_t* device_type, int32_t* device_index);
typedef void (*ParallelFunc)(int64_t begin, int64_t end, void* context);
AOTI_TORCH_EXPORT AOTITorchError torch_parallel_for(int64_t begin, int64_t end, int64_t grain_size, ParallelFunc body, void* context);
AOTI_TORCH_EXPORT AOTITorchError torch_get_thread_idx(uint32_t* ret);
AOTI_TORCH_EXPORT AOTITorchError torch_get_num_threads(uint32_t* ret);
AOTI_TORCH_EXPORT AOTITorchError torch_get_mutable_data_ptr(AtenTensorHandle tensor, void** ret);
AOTI_TORCH_EXPORT AOTITorchError torch_get_const_data_ptr(AtenTensorHandle tensor, const void** ret);
AOTI_TORCH_EXPORT AOTITorchError torch_set_requires_grad(AtenTensorHandle tensor, bool requires_grad);

#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_11_0
AOTI_TORCH_EXPORT int32_t torch_dtype_float8_e8m0fnu();
AOTI_TORCH_EXPORT int32_t torch_dtype_float4_e2m1fn_x2();
// The deleter, which may be NULL, is called once with `data` and `deleter_context` when nobody uses the memory any more.
AOTI_TORCH_EXPORT AOTITorchError torch_from_blob(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                                 int64_t storage_offset, int32_t dtype, int32_t device_type, int32_t device_index,
                                                 AtenTensorHandle* ret, int32_t layout, const uint8_t* opaque_metadata,
                                                 int64_t opaque_metadata_size, void (*deleter)(void* data, void* context),
                                                 void* deleter_context);
#endif

#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_12_0
// clang-format off
#define MT_EACH_TAG(_)                                                                                                              \
  _(core)                                                                                                                           \
  _(cudagraph_unsafe)                                                                                                               \
  _(data_dependent_output)                                                                                                          \
  _(dynamic_output_shape) _(flexible_layout) _(generated) _(inplace_view) _(maybe_aliasing_or_mutating) _(needs_contiguous_strides) \
      _(needs_exact_strides) _(needs_fixed_stride_order) _(nondeterministic_bitwise) _(nondeterministic_seeded) _(out_variant)      \
          _(pointwise) _(pt2_compliant_tag) _(reduction) _(view_copy)
// clang-format on
#define MT_TAG(name) AOTI_TORCH_EXPORT int32_t torch_tag_##name();
MT_EACH_TAG(MT_TAG)
#undef MT_TAG
AOTI_TORCH_EXPORT AOTITorchError torch_library_def_with_tags(TorchLibraryHandle self, const char* schema, const int32_t* tags,
                                                             int32_t num_tags);
#endif

#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
AOTI_TORCH_EXPORT AOTITorchError torch_library_set_python_module(TorchLibraryHandle self, const char* module, const char* context);
// The message of this thread's last failure: borrowed, valid until the next one.
AOTI_TORCH_EXPORT const char* torch_exception_get_what();
AOTI_TORCH_EXPORT const char* torch_exception_get_what_without_backtrace();
AOTI_TORCH_EXPORT AOTITorchError torch_new_stable_ivalue(StableIValue** ret);
AOTI_TORCH_EXPORT AOTITorchError torch_delete_stable_ivalue(StableIValue* value);
AOTI_TORCH_EXPORT AOTITorchError torch_stream_native_handle(StreamHandle stream, void** ret);
AOTI_TORCH_EXPORT AOTITorchError torch_new_generator_handle(AtenGeneratorHandle self, AtenGeneratorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError torch_delete_generator(AtenGeneratorHandle generator);
AOTI_TORCH_EXPORT AOTITorchError torch_generator_get_device(AtenGeneratorHandle generator, int32_t* device_type, int32_t* device_index);
#endif

}  // extern "C"
