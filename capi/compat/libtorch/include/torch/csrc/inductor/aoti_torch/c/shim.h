// The C functions of LibTorch's stable ABI up to 2.9. Each returns an error code. The caller owns a handle that a function returns and
// deletes it, unless it is marked "borrowed"; the caller keeps ownership of handles that it passes.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/macros.h>
#include <torch/csrc/stable/version.h>
#include <torch/headeronly/util/complex.h>

extern "C" {

// clang-format off
#define MT_EACH_NUMBER(_)                                                                                                             \
  _(device_type_cpu)                                                                                                                  \
  _(device_type_cuda)                                                                                                                 \
  _(device_type_meta)                                                                                                                 \
  _(device_type_xpu) _(device_type_mps) _(device_type_privateuse1) _(dtype_uint8) _(dtype_uint16) _(dtype_uint32) _(dtype_uint64)     \
      _(dtype_int8) _(dtype_int16) _(dtype_int32) _(dtype_int64) _(dtype_float16) _(dtype_float32) _(dtype_float64) _(dtype_bfloat16) \
          _(dtype_complex32) _(dtype_complex64) _(dtype_complex128) _(dtype_bool) _(dtype_float8_e5m2) _(dtype_float8_e4m3fn)         \
              _(dtype_float8_e5m2fnuz) _(dtype_float8_e4m3fnuz) _(layout_strided) _(layout_sparse_coo) _(layout_sparse_csr)           \
                  _(layout_sparse_csc) _(layout_sparse_bsr) _(layout_sparse_bsc) _(layout__mkldnn) _(layout_jagged)                   \
                      _(memory_format_contiguous_format) _(memory_format_channels_last) _(memory_format_channels_last_3d)             \
                          _(memory_format_preserve_format)
// clang-format on
#define MT_NUMBER(name) AOTI_TORCH_EXPORT int32_t aoti_torch_##name();
MT_EACH_NUMBER(MT_NUMBER)
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_12_0
MT_NUMBER(dtype_float8_e8m0fnu)
MT_NUMBER(dtype_float4_e2m1fn_x2)
#endif
AOTI_TORCH_EXPORT size_t aoti_torch_dtype_element_size(int32_t dtype);
AOTI_TORCH_EXPORT uint64_t aoti_torch_abi_version();

// Converts a tensor of one element to a number, and a number to a tensor.
// clang-format off
#define MT_EACH_ITEM(_)                                                                                                             \
  _(float32, float)                                                                                                                 \
  _(float64, double)                                                                                                                \
  _(uint8, uint8_t)                                                                                                                 \
  _(uint16, uint16_t) _(uint32, uint32_t) _(uint64, uint64_t) _(int8, int8_t) _(int16, int16_t) _(int32, int32_t) _(int64, int64_t) \
      _(bool, bool) _(complex64, c10::complex<float>)
// clang-format on
#define MT_ITEM(name, type)                                                                          \
  AOTI_TORCH_EXPORT AOTITorchError aoti_torch_item_##name(AtenTensorHandle tensor, type* ret_value); \
  AOTI_TORCH_EXPORT AOTITorchError aoti_torch_scalar_to_tensor_##name(type value, AtenTensorHandle* ret);
MT_EACH_ITEM(MT_ITEM)
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_item_float16(AtenTensorHandle tensor, c10::Half* ret_value);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_item_bfloat16(AtenTensorHandle tensor, c10::BFloat16* ret_value);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_scalar_to_tensor_complex128(c10::complex<double> value, AtenTensorHandle* ret);

// ---- tensors: properties ----
// clang-format off
#define MT_EACH_PROPERTY(_)                                                                                                           \
  _(data_ptr, void*)                                                                                                                  \
  _(storage_size, int64_t)                                                                                                            \
  _(dim, int64_t)                                                                                                                     \
  _(numel, int64_t) _(storage_numel, int64_t) _(sizes, int64_t*) /* borrowed */ _(strides, int64_t*) /* borrowed */ _(dtype, int32_t) \
      _(device_type, int32_t) _(device_index, int32_t) _(layout, int32_t) _(storage_offset, int64_t)
// clang-format on
#define MT_PROPERTY(name, type) AOTI_TORCH_EXPORT AOTITorchError aoti_torch_get_##name(AtenTensorHandle tensor, type* ret);
MT_EACH_PROPERTY(MT_PROPERTY)
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_get_size(AtenTensorHandle tensor, int64_t d, int64_t* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_get_stride(AtenTensorHandle tensor, int64_t d, int64_t* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_is_contiguous(AtenTensorHandle tensor, bool* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_is_defined(AtenTensorHandle tensor, bool* ret);

// ---- tensors: handles ----
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_new_uninitialized_tensor(AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle original, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_assign_tensors(AtenTensorHandle src, AtenTensorHandle dst);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret);

// ---- tensors: creation, views and copies ----
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                                                          int32_t device_type, int32_t device_index, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                                                                 int32_t device_type, int32_t device_index, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_create_tensor_from_blob(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                                                    int64_t storage_offset, int32_t dtype, int32_t device_type,
                                                                    int32_t device_index, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_create_tensor_from_blob_v2(void* data, int64_t ndim, const int64_t* sizes,
                                                                       const int64_t* strides, int64_t storage_offset, int32_t dtype,
                                                                       int32_t device_type, int32_t device_index, AtenTensorHandle* ret,
                                                                       int32_t layout, const uint8_t* opaque_metadata,
                                                                       int64_t opaque_metadata_size);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch__alloc_from_pool(AtenTensorHandle self, int64_t offset_bytes, int32_t dtype, int64_t ndim,
                                                             const int64_t* sizes, const int64_t* strides, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim, const int64_t* sizes,
                                                                const int64_t* strides, int64_t offset_increment, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_as_strided(AtenTensorHandle self, const int64_t* sizes, const int64_t* strides,
                                                       AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_tensor_copy_(AtenTensorHandle src, AtenTensorHandle dst);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_zero_(AtenTensorHandle self);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_check_inf_and_nan(const char* tensor_name, AtenTensorHandle tensor);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch__mm_plus_mm_out(AtenTensorHandle out, AtenTensorHandle a, AtenTensorHandle b,
                                                            AtenTensorHandle c, AtenTensorHandle d);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_scatter_out(AtenTensorHandle out, AtenTensorHandle self, int64_t dim, AtenTensorHandle index,
                                                        AtenTensorHandle src);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_scatter_reduce_out(AtenTensorHandle out, AtenTensorHandle self, int64_t dim,
                                                               AtenTensorHandle index, AtenTensorHandle src, const char* reduce,
                                                               int32_t include_self);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_index_put_out(AtenTensorHandle out, AtenTensorHandle self, const AtenTensorHandle* indices,
                                                          uint32_t num_indices, AtenTensorHandle values, bool accumulate);

// ---- libraries of operators, and calls ----
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_library_init_impl(const char* ns, const char* key, const char* file, uint32_t line,
                                                              TorchLibraryHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_library_init_def(const char* ns, const char* file, uint32_t line, TorchLibraryHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_library_init_fragment(const char* ns, const char* file, uint32_t line, TorchLibraryHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_library_impl(TorchLibraryHandle self, const char* name,
                                                         void (*fn)(StableIValue* stack, uint64_t n_arguments, uint64_t n_results));
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_library_def(TorchLibraryHandle self, const char* schema);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_delete_library_object(TorchLibraryHandle library);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_call_dispatcher(const char* name, const char* overload, StableIValue* stack);

// ---- devices, modes, values, warnings ----
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_create_device_guard(int32_t device_index, DeviceGuardHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_delete_device_guard(DeviceGuardHandle guard);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_device_guard_set_index(DeviceGuardHandle guard, int32_t device_index);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_get_current_stream(int32_t device_index, StreamHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_delete_stream(StreamHandle stream);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_stream_id(StreamHandle stream, int64_t* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_get_current_device_index(int32_t* ret);
AOTI_TORCH_EXPORT bool aoti_torch_grad_mode_is_enabled();
AOTI_TORCH_EXPORT void aoti_torch_grad_mode_set_enabled(bool enabled);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_int64_to_ivalue(int64_t value, C10IValueHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_str_to_ivalue(const char* value, C10IValueHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_strlist_to_ivalue(const char** values, int64_t count, C10IValueHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_tensor_to_ivalue(AtenTensorHandle value, C10IValueHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_torch_delete_c10_value_object(C10IValueHandle value);
AOTI_TORCH_EXPORT AOTITorchError aoti_record_function_start(const char* name, IValueMapHandle kwargs, const C10IValueHandle* inputs,
                                                            uint64_t n_inputs, AtenRecordFunctionHandle* ret);
AOTI_TORCH_EXPORT AOTITorchError aoti_record_function_end(AtenRecordFunctionHandle guard);
AOTI_TORCH_EXPORT void aoti_torch_check(bool condition, const char* function, const char* file, uint32_t line, const char* message);
AOTI_TORCH_EXPORT void aoti_torch_warn(const char* function, const char* file, uint32_t line, const char* message);

}  // extern "C"

#define AOTI_TORCH_CHECK(condition, message) \
  if (!(condition)) aoti_torch_check(false, __func__, __FILE__, static_cast<uint32_t>(__LINE__), message)
#define AOTI_TORCH_WARN(message) aoti_torch_warn(__func__, __FILE__, static_cast<uint32_t>(__LINE__), message)

// The dtype number of a C++ type.
template <class T>
int32_t aoti_torch_dtype() = delete;
#define MT_DTYPE(name, type)                \
  template <>                               \
  inline int32_t aoti_torch_dtype<type>() { \
    return aoti_torch_dtype_##name();       \
  }
MT_EACH_ITEM(MT_DTYPE)
MT_DTYPE(float16, c10::Half)
MT_DTYPE(bfloat16, c10::BFloat16)
#undef MT_DTYPE
