// Converts handles to objects and exceptions to statuses: shared by all functions of the C ABI.
#pragma once

#include "core/exception.h"
#include "core/generator.h"
#include "core/tensor.h"
#include "dispatch/operator.h"
#include "dispatch/value.h"
#include "layers/pipeline.h"
#include "mindtorch/mindtorch.h"

namespace mt::capi {

// Runs `body` and converts an exception to a status. Allocates nothing unless there is an exception.
template <class F>
inline mt_status* guard(F&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return status_of_current_exception();
  }
}

// ---- errors --------------------------------------------------------------------------------------------------------

[[noreturn]] void fail_null(const char* what);
[[noreturn]] void fail_kind(const char* what, Kind expected, Kind got);
[[noreturn]] void fail_struct_size(const char* what, size_t known, size_t got);
[[noreturn]] void fail_unknown_fields(const char* what, size_t known);

inline void require_not_null(const void* pointer, const char* what) {
  if (__builtin_expect(pointer == nullptr, 0)) fail_null(what);
}

// ---- handle -> object: refuses NULL and other kinds -----------------------------------------------------------------

template <class T>
inline constexpr Kind kind_of = Kind::freed;
template <>
inline constexpr Kind kind_of<TensorImpl> = Kind::tensor;
template <>
inline constexpr Kind kind_of<Storage> = Kind::storage;
template <>
inline constexpr Kind kind_of<Generator> = Kind::generator;
template <>
inline constexpr Kind kind_of<Operator> = Kind::op;

template <class T>
inline T& object_of(const void* handle, const char* what) {
  require_not_null(handle, what);
  // Reads the kind from the first word without a cast to T, since the object may be of another kind.
  const Kind got = *static_cast<const Kind*>(handle);
  if (__builtin_expect(got != kind_of<T>, 0)) fail_kind(what, kind_of<T>, got);
  return *static_cast<T*>(const_cast<void*>(handle));
}
// Returns the tensor even if it is pending in a pipeline: for its shape, dtype and identity, which it has already.
inline TensorImpl& impl_even_if_pending(const mt_tensor* handle, const char* what = "tensor") {
  return object_of<TensorImpl>(handle, what);
}
inline TensorImpl& impl_of(const mt_tensor* handle, const char* what = "tensor") {
  TensorImpl& tensor = impl_even_if_pending(handle, what);
  if (__builtin_expect(may_be_pending(tensor), 0)) resolve_if_pending(tensor);
  return tensor;
}
inline Tensor tensor_of(const mt_tensor* handle, const char* what = "tensor") { return Tensor::share(&impl_of(handle, what)); }
inline Storage& storage_of(const mt_storage* handle, const char* what = "storage") { return object_of<Storage>(handle, what); }
inline Generator& generator_of(const mt_generator* handle, const char* what = "generator") { return object_of<Generator>(handle, what); }
inline Operator& operator_of(const mt_op* handle, const char* what = "op") { return object_of<Operator>(handle, what); }

// ---- counting references: a handle is the address of the Object in it, which is not that of a T with virtual functions --------------

inline void retain(void* handle) {
  if (handle) static_cast<Object*>(handle)->retain();
}
template <class T>
inline void release(void* handle) {
  auto* object = static_cast<T*>(static_cast<Object*>(handle));
  if (object && object->release()) T::destroy(object);
}

// ---- object -> handle: the caller owns the result -------------------------------------------------------------------

inline mt_tensor* return_handle(Tensor tensor) { return reinterpret_cast<mt_tensor*>(tensor.detach()); }
inline mt_storage* return_handle(Ref<Storage> storage) { return reinterpret_cast<mt_storage*>(storage.detach()); }
inline mt_generator* return_handle(Ref<Generator> generator) { return reinterpret_cast<mt_generator*>(generator.detach()); }

// ---- plain values ---------------------------------------------------------------------------------------------------

Dtype dtype_of(int32_t dtype);      // TypeError for invalid numbers
Device device_of(mt_device device); // RuntimeError for types without a backend
inline mt_device to_c(Device device) { return {int32_t(device.type), int32_t(device.index)}; }
// A borrowed list of sizes or strides; `count` must be between 0 and the largest number of dimensions.
IntList dims_of(const int64_t* data, int64_t count, const char* what);
void check_sizes(IntList sizes);  // torch's error for a negative one
// The address of the first element, also if the storage is too small for all of them; nullptr without memory or elements.
void* address_of_first(const TensorImpl& tensor);

}  // namespace mt::capi
