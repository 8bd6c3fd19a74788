// Tensors: handles, properties, elements as numbers, and tensors over given memory.
#include "tensors.h"

#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "calls.h"

namespace mt::stable {
namespace {

// torch's number for "no dtype".
constexpr int32_t undefined_dtype = 46;

struct Undefined {
  std::mutex mutex;
  std::unordered_set<const mt_tensor*> handles;
  std::atomic<size_t> count{0};
};
Undefined& undefined_handles() {
  static auto& all = *new Undefined();
  return all;
}

void forget_undefined(const mt_tensor* tensor) {
  std::lock_guard lock(undefined_handles().mutex);
  undefined_handles().count.store(undefined_handles().handles.size() - undefined_handles().handles.erase(tensor),
                                  std::memory_order_release);
}

int64_t wrap_dim(int64_t dim, int64_t ndim) {
  if (ndim == 0) fail("Dimension specified as " + std::to_string(dim) + " but tensor has no dimensions");
  if (dim < -ndim || dim >= ndim)
    fail("Dimension out of range (expected to be in range of [" + std::to_string(-ndim) + ", " + std::to_string(ndim - 1) + "], but got " +
         std::to_string(dim) + ")");
  return dim < 0 ? dim + ndim : dim;
}

// The number of bytes that a tensor's memory must have: up to its last element, or 0 for an empty tensor.
int64_t bytes_needed(const int64_t* sizes, const int64_t* strides, int64_t ndim, int64_t offset, int64_t element_size) {
  int64_t last = offset, product;
  for (int64_t d = 0; d < ndim; ++d) {
    if (sizes[d] == 0) return 0;
    if (sizes[d] < 0 || strides[d] < 0 || __builtin_mul_overflow(sizes[d] - 1, strides[d], &product) ||
        __builtin_add_overflow(last, product, &last))
      fail("from_blob: sizes and strides must not be negative, nor reach beyond what can be addressed");
  }
  if (last < 0 || last == std::numeric_limits<int64_t>::max() || __builtin_mul_overflow(last + 1, element_size, &product))
    fail("from_blob: the last element lies beyond what can be addressed");
  return product;
}

struct Deletion {
  void (*deleter)(void* data, void* context);
  void *data, *context;
};
void run_deletion(void* context) {
  const std::unique_ptr<Deletion> deletion(static_cast<Deletion*>(context));
  deletion->deleter(deletion->data, deletion->context);
}

// A tensor over the caller's memory; the deleter, which may be NULL, runs when nobody uses it any more.
mt_tensor* tensor_over(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides, int64_t offset, int32_t dtype,
                       mt_device device, int32_t layout, void (*deleter)(void*, void*), void* context) {
  if (layout != MT_STRIDED) fail("from_blob: only strided tensors can be made over memory that is given");
  if (ndim < 0 || ndim > 64) fail("from_blob: a tensor has from 0 to 64 dimensions, got " + std::to_string(ndim));
  if (ndim) require_not_null(sizes, "sizes_ptr"), require_not_null(strides, "strides_ptr");
  const int32_t element_size = mt_dtype_size(dtype);
  if (!element_size) fail("from_blob: " + std::to_string(dtype) + " is no dtype of this library");
  auto deletion = deleter ? std::make_unique<Deletion>(Deletion{deleter, data, context}) : nullptr;
  mt_storage* storage = nullptr;
  throw_on_error(mt_storage_from_data(data, bytes_needed(sizes, strides, ndim, offset, element_size), device,
                                      deletion ? run_deletion : nullptr, deletion.get(), &storage));
  Deletion* handed_over = deletion.release();
  mt_tensor* tensor = nullptr;
  mt_status* status = mt_tensor_from_storage(storage, sizes, strides, ndim, offset, dtype, &tensor);
  // After a failure the caller still owns the memory: the deleter must not run.
  if (status && handed_over) handed_over->deleter = [](void*, void*) {};
  mt_storage_release(storage);
  throw_on_error(status);
  return tensor;
}

template <class T>
T item_of(mt_tensor* tensor) {
  mt_value v;
  throw_on_error(mt_tensor_item(tensor, &v));
  switch (v.tag) {
    case MT_TAG_DOUBLE: return static_cast<T>(v.as.d);
    case MT_TAG_COMPLEX: return static_cast<T>(v.as.c[0]);
    default: return v.flags & MT_FLAG_UNSIGNED ? static_cast<T>(uint64_t(v.as.i)) : static_cast<T>(v.as.i);
  }
}
// Copies the bytes of a tensor's only element, converted to `dtype`: for dtypes whose C++ types have no arithmetic.
void copy_item(mt_tensor* tensor, int32_t dtype, void* to) {
  mt_tensor_info info = info_of(tensor);
  if (info.numel != 1) fail("a Tensor with " + std::to_string(info.numel) + " elements cannot be converted to Scalar");
  const mt_value args[] = {mt_box_tensor(tensor), mt_box_enum(MT_TAG_DTYPE, dtype)};
  Owned converted(call_tensor("aten::to", "dtype", args, 2));
  void* data = nullptr;
  throw_on_error(mt_tensor_data(converted.get(), &data));
  std::memcpy(to, data, size_t(mt_dtype_size(dtype)));
}

int32_t scalar_tensor(const mt_value& number, int32_t dtype, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_new_tensor");
    throw_on_error(mt_tensor_from_scalar(&number, dtype, 0, ret));
  });
}

mt_device device_from(int32_t type, int32_t index) { return {type, type == MT_CPU || type == MT_META ? -1 : index}; }

}  // namespace

mt_tensor* new_undefined_tensor() {
  const int64_t none = 0;
  mt_tensor* tensor = nullptr;
  throw_on_error(mt_tensor_empty(&none, 1, MT_FLOAT32, {MT_CPU, -1}, &tensor));
  std::lock_guard lock(undefined_handles().mutex);
  undefined_handles().handles.insert(tensor);
  undefined_handles().count.store(undefined_handles().handles.size(), std::memory_order_release);
  return tensor;
}

bool is_undefined(const mt_tensor* tensor) noexcept {
  if (undefined_handles().count.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard lock(undefined_handles().mutex);
  return undefined_handles().handles.count(tensor) != 0;
}

void release_tensor(mt_tensor* tensor) noexcept {
  if (is_undefined(tensor)) forget_undefined(tensor);
  mt_tensor_release(tensor);
}

mt_tensor_info info_of(const mt_tensor* tensor) {
  mt_tensor_info info{};
  info.struct_size = sizeof info;
  throw_on_error(mt_tensor_get_info(tensor, &info));
  return info;
}

}  // namespace mt::stable

using namespace mt::stable;

// ---- handles --------------------------------------------------------------------------------------------------------------------

STABLE_ABI int32_t aoti_torch_new_uninitialized_tensor(mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret");
    *ret = new_undefined_tensor();
  });
}
STABLE_ABI int32_t aoti_torch_new_tensor_handle(mt_tensor* original, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "new_handle");
    info_of(original);  // raises for other objects
    if (is_undefined(original)) {
      *ret = new_undefined_tensor();
    } else {
      mt_tensor_retain(original);
      *ret = original;
    }
  });
}
STABLE_ABI int32_t aoti_torch_delete_tensor_object(mt_tensor* tensor) {
  return guarded([&] {
    if (!tensor) return;
    info_of(tensor);
    release_tensor(tensor);
  });
}
STABLE_ABI int32_t aoti_torch_is_defined(mt_tensor* tensor, bool* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_is_defined");
    info_of(tensor);
    *ret = !is_undefined(tensor);
  });
}
// Makes the handle `dst` refer to the contents of `src`.
STABLE_ABI int32_t aoti_torch_assign_tensors(mt_tensor* src, mt_tensor* dst) {
  return guarded([&] {
    info_of(dst);
    info_of(src);
    if (src == dst) return;
    Owned alias;
    throw_on_error(mt_tensor_alias(src, 1, alias.place()));
    const bool was_undefined = is_undefined(dst), becomes_undefined = is_undefined(src);
    throw_on_error(mt_tensor_swap(dst, alias.get()));
    if (was_undefined && !becomes_undefined) forget_undefined(dst);
    if (becomes_undefined && !was_undefined) fail("aoti_torch_assign_tensors: the source is an undefined tensor");
  });
}
STABLE_ABI int32_t aoti_torch_assign_tensors_out(mt_tensor* src, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_dst");
    throw_on_error(mt_tensor_alias(src, 1, ret));
  });
}

// ---- properties of tensors -------------------------------------------------------------------------------------------------------

// Defines name(tensor, type* ret), which returns `expression` of the tensor's `info`.
#define STABLE_PROPERTY(name, type, expression)                     \
  STABLE_ABI int32_t name(mt_tensor* tensor, type* ret) {           \
    return guarded([&] {                                            \
      require_not_null(ret, "the place of the result");             \
      [[maybe_unused]] const mt_tensor_info info = info_of(tensor); \
      *ret = expression;                                            \
    });                                                             \
  }
STABLE_PROPERTY(aoti_torch_get_dim, int64_t, info.ndim)
STABLE_PROPERTY(aoti_torch_get_numel, int64_t, info.numel)
STABLE_PROPERTY(aoti_torch_get_sizes, int64_t*, const_cast<int64_t*>(info.sizes))
STABLE_PROPERTY(aoti_torch_get_strides, int64_t*, const_cast<int64_t*>(info.strides))
STABLE_PROPERTY(aoti_torch_get_dtype, int32_t, is_undefined(tensor) ? undefined_dtype : info.dtype)
STABLE_PROPERTY(aoti_torch_get_device_type, int32_t, info.device.type)
STABLE_PROPERTY(aoti_torch_get_device_index, int32_t, info.device.index)
STABLE_PROPERTY(aoti_torch_get_layout, int32_t, info.layout)
STABLE_PROPERTY(aoti_torch_get_storage_offset, int64_t, info.storage_offset)
STABLE_PROPERTY(aoti_torch_is_contiguous, bool, (info.flags & MT_TENSOR_IS_CONTIGUOUS) != 0)

STABLE_ABI int32_t aoti_torch_get_size(mt_tensor* tensor, int64_t d, int64_t* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_size");
    const mt_tensor_info info = info_of(tensor);
    *ret = info.sizes[wrap_dim(d, info.ndim)];
  });
}
STABLE_ABI int32_t aoti_torch_get_stride(mt_tensor* tensor, int64_t d, int64_t* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_stride");
    const mt_tensor_info info = info_of(tensor);
    *ret = info.strides[wrap_dim(d, info.ndim)];
  });
}
STABLE_ABI int32_t aoti_torch_get_data_ptr(mt_tensor* tensor, void** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_data_ptr");
    const mt_tensor_info info = info_of(tensor);
    void* data = nullptr;
    if (!is_undefined(tensor)) throw_on_error(mt_tensor_data(tensor, &data));
    // Only meta tensors may have no memory: a wrapper subclass without memory reports the CPU as its device, so NULL is an error for it.
    const bool may_be_null = info.numel == 0 || info.device.type == MT_META;
    if (is_undefined(tensor) || (!data && !may_be_null)) fail("Cannot access data pointer of Tensor that doesn't have storage");
    *ret = data;
  });
}
STABLE_ABI int32_t torch_get_mutable_data_ptr(mt_tensor* tensor, void** ret) { return aoti_torch_get_data_ptr(tensor, ret); }
STABLE_ABI int32_t torch_get_const_data_ptr(mt_tensor* tensor, const void** ret) {
  return aoti_torch_get_data_ptr(tensor, const_cast<void**>(ret));
}
STABLE_ABI int32_t aoti_torch_get_storage_size(mt_tensor* tensor, int64_t* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_size");
    mt_storage* storage = nullptr;
    throw_on_error(mt_tensor_storage(tensor, &storage));
    mt_status* status = mt_storage_nbytes(storage, ret);
    mt_storage_release(storage);
    throw_on_error(status);
  });
}
STABLE_ABI int32_t aoti_torch_get_storage_numel(mt_tensor* tensor, int64_t* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_numel");
    int64_t bytes = 0;
    if (aoti_torch_get_storage_size(tensor, &bytes)) fail(last_error());
    *ret = bytes / mt_dtype_size(info_of(tensor).dtype);
  });
}
STABLE_ABI int32_t torch_set_requires_grad(mt_tensor* tensor, bool requires_grad) {
  return guarded([&] { throw_on_error(mt_tensor_set_requires_grad(tensor, requires_grad)); });
}

// ---- elements as numbers --------------------------------------------------------------------------------------------------------

// Defines aoti_torch_item_<name> for a C++ type: returns the tensor's only element, converted by a cast.
#define STABLE_ITEM(name, type)                                             \
  STABLE_ABI int32_t aoti_torch_item_##name(mt_tensor* tensor, type* ret) { \
    return guarded([&] {                                                    \
      require_not_null(ret, "ret_value");                                   \
      *ret = item_of<type>(tensor);                                         \
    });                                                                     \
  }
STABLE_ITEM(float32, float)
STABLE_ITEM(float64, double)
STABLE_ITEM(uint8, uint8_t)
STABLE_ITEM(uint16, uint16_t)
STABLE_ITEM(uint32, uint32_t)
STABLE_ITEM(uint64, uint64_t)
STABLE_ITEM(int8, int8_t)
STABLE_ITEM(int16, int16_t)
STABLE_ITEM(int32, int32_t)
STABLE_ITEM(int64, int64_t)
STABLE_ITEM(bool, bool)

// Defines aoti_torch_item_<name> for a type that C++ lacks: returns the bytes of the tensor's only element.
#define STABLE_ITEM_BYTES(name, dtype)                                      \
  STABLE_ABI int32_t aoti_torch_item_##name(mt_tensor* tensor, void* ret) { \
    return guarded([&] {                                                    \
      require_not_null(ret, "ret_value");                                   \
      copy_item(tensor, dtype, ret);                                        \
    });                                                                     \
  }
STABLE_ITEM_BYTES(float16, MT_FLOAT16)
STABLE_ITEM_BYTES(bfloat16, MT_BFLOAT16)
STABLE_ITEM_BYTES(complex64, MT_COMPLEX64)

struct Complex64 {
  float re, im;
};
struct Complex128 {
  double re, im;
};
#define STABLE_FROM_NUMBER(name, type, box, dtype) \
  STABLE_ABI int32_t aoti_torch_scalar_to_tensor_##name(type value, mt_tensor** ret) { return scalar_tensor(box, dtype, ret); }
STABLE_FROM_NUMBER(float32, float, mt_double(value), MT_FLOAT32)
STABLE_FROM_NUMBER(float64, double, mt_double(value), MT_FLOAT64)
STABLE_FROM_NUMBER(uint8, uint8_t, mt_int(value), MT_UINT8)
STABLE_FROM_NUMBER(uint16, uint16_t, mt_int(value), MT_UINT16)
STABLE_FROM_NUMBER(uint32, uint32_t, mt_int(value), MT_UINT32)
STABLE_FROM_NUMBER(int8, int8_t, mt_int(value), MT_INT8)
STABLE_FROM_NUMBER(int16, int16_t, mt_int(value), MT_INT16)
STABLE_FROM_NUMBER(int32, int32_t, mt_int(value), MT_INT32)
STABLE_FROM_NUMBER(int64, int64_t, mt_int(value), MT_INT64)
STABLE_FROM_NUMBER(bool, bool, mt_bool(value), MT_BOOL)
STABLE_FROM_NUMBER(complex64, Complex64, mt_complex(value.re, value.im), MT_COMPLEX64)
STABLE_FROM_NUMBER(complex128, Complex128, mt_complex(value.re, value.im), MT_COMPLEX128)
STABLE_ABI int32_t aoti_torch_scalar_to_tensor_uint64(uint64_t value, mt_tensor** ret) {
  mt_value number = mt_int(int64_t(value));
  number.flags = MT_FLAG_UNSIGNED;
  return scalar_tensor(number, MT_UINT64, ret);
}

// ---- new tensors ----------------------------------------------------------------------------------------------------------------

namespace {

int32_t empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype, int32_t device_type, int32_t device_index,
                      mt_value pin_memory, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_new_tensor");
    if (ndim) require_not_null(sizes, "sizes_ptr"), require_not_null(strides, "strides_ptr");
    const mt_value args[] = {mt_box_list(MT_TAG_INTS, sizes, ndim),
                             mt_box_list(MT_TAG_INTS, strides, ndim),
                             mt_box_enum(MT_TAG_DTYPE, dtype),
                             mt_none(),
                             mt_box_device(device_from(device_type, device_index)),
                             pin_memory};
    *ret = call_tensor("aten::empty_strided", "", args, 6);
  });
}

}  // namespace

STABLE_ABI int32_t aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype, int32_t device_type,
                                            int32_t device_index, mt_tensor** ret) {
  return empty_strided(ndim, sizes, strides, dtype, device_type, device_index, mt_none(), ret);
}
STABLE_ABI int32_t aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                                                   int32_t device_type, int32_t device_index, mt_tensor** ret) {
  return empty_strided(ndim, sizes, strides, dtype, device_type, device_index, mt_bool(1), ret);
}
// Ignores the two unnamed parameters: the metadata of a layout that is not supported.
STABLE_ABI int32_t torch_from_blob(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides, int64_t offset, int32_t dtype,
                                   int32_t device_type, int32_t device_index, mt_tensor** ret, int32_t layout, const uint8_t*, int64_t,
                                   void (*deleter)(void* data, void* context), void* context) {
  return guarded([&] {
    require_not_null(ret, "ret");
    *ret = tensor_over(data, ndim, sizes, strides, offset, dtype, device_from(device_type, device_index), layout, deleter, context);
  });
}
STABLE_ABI int32_t aoti_torch_create_tensor_from_blob(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                                      int64_t offset, int32_t dtype, int32_t device_type, int32_t device_index,
                                                      mt_tensor** ret) {
  return torch_from_blob(data, ndim, sizes, strides, offset, dtype, device_type, device_index, ret, MT_STRIDED, nullptr, 0, nullptr,
                         nullptr);
}
STABLE_ABI int32_t aoti_torch_create_tensor_from_blob_v2(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                                         int64_t offset, int32_t dtype, int32_t device_type, int32_t device_index,
                                                         mt_tensor** ret, int32_t layout, const uint8_t* metadata, int64_t metadata_size) {
  return torch_from_blob(data, ndim, sizes, strides, offset, dtype, device_type, device_index, ret, layout, metadata, metadata_size,
                         nullptr, nullptr);
}

// ---- views ----------------------------------------------------------------------------------------------------------------------

STABLE_ABI int32_t aoti_torch__reinterpret_tensor(mt_tensor* self, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                                  int64_t offset_increment, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_new_tensor");
    throw_on_error(mt_tensor_view(self, sizes, strides, ndim, info_of(self).storage_offset + offset_increment, ret));
  });
}
STABLE_ABI int32_t aoti_torch__alloc_from_pool(mt_tensor* self, int64_t offset_bytes, int32_t dtype, int64_t ndim, const int64_t* sizes,
                                               const int64_t* strides, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_new_tensor");
    const int32_t element_size = mt_dtype_size(dtype);
    if (!element_size || offset_bytes % element_size) fail("_alloc_from_pool: the offset is no multiple of the dtype's size");
    mt_storage* storage = nullptr;
    throw_on_error(mt_tensor_storage(self, &storage));
    mt_status* status = mt_tensor_from_storage(storage, sizes, strides, ndim, offset_bytes / element_size, dtype, ret);
    mt_storage_release(storage);
    throw_on_error(status);
  });
}
STABLE_ABI int32_t aoti_torch_as_strided(mt_tensor* self, const int64_t* sizes, const int64_t* strides, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret");
    const int64_t ndim = info_of(self).ndim;
    if (ndim) require_not_null(sizes, "sizes_ptr"), require_not_null(strides, "strides_ptr");
    const mt_value args[] = {mt_box_tensor(self), mt_box_list(MT_TAG_INTS, sizes, ndim), mt_box_list(MT_TAG_INTS, strides, ndim)};
    *ret = call_tensor("aten::as_strided", "", args, 3);
  });
}
