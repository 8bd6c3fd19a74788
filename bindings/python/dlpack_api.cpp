// DLPack's C exchange API: a table of functions for exchanging tensors with other extensions without Python calls.
#include "dlpack_api.h"

#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

int32_t dtype_of(DLDataType t) {
  if (t.lanes != 1) return -1;
  auto by_bits = [&](std::initializer_list<std::pair<int, int32_t>> known) {
    for (auto [bits, dtype] : known) {
      if (t.bits == bits) return dtype;
    }
    return int32_t{-1};
  };
  switch (t.code) {
    case kDLInt: return by_bits({{8, MT_INT8}, {16, MT_INT16}, {32, MT_INT32}, {64, MT_INT64}});
    case kDLUInt: return by_bits({{8, MT_UINT8}, {16, MT_UINT16}, {32, MT_UINT32}, {64, MT_UINT64}});
    case kDLFloat: return by_bits({{16, MT_FLOAT16}, {32, MT_FLOAT32}, {64, MT_FLOAT64}});
    case kDLBfloat: return by_bits({{16, MT_BFLOAT16}});
    case kDLComplex: return by_bits({{32, MT_COMPLEX32}, {64, MT_COMPLEX64}, {128, MT_COMPLEX128}});
    case kDLBool: return by_bits({{8, MT_BOOL}});
  }
  return -1;
}
DLDataType dl_dtype(int32_t dtype) {
  auto bits = static_cast<uint8_t>(mt_dtype_size(dtype) * 8);
  auto code = dtype == MT_BOOL                                                                      ? kDLBool
              : dtype == MT_BFLOAT16                                                                ? kDLBfloat
              : is_complex(dtype)                                                                   ? kDLComplex
              : is_floating(dtype)                                                                  ? kDLFloat
              : dtype == MT_UINT8 || dtype == MT_UINT16 || dtype == MT_UINT32 || dtype == MT_UINT64 ? kDLUInt
                                                                                                    : kDLInt;
  return {static_cast<uint8_t>(code), bits, 1};
}

int allocate_dlpack_tensor(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                           void (*set_error)(void*, const char*, const char*)) {
  int32_t dtype = dtype_of(prototype->dtype);
  mt_tensor* tensor = nullptr;
  void* managed = nullptr;
  mt_status* status = dtype < 0 ? mt_status_create("TypeError", "this DLPack dtype is not supported")
                                : mt_tensor_empty(prototype->shape, prototype->ndim, dtype, {MT_CPU, -1}, &tensor);
  if (!status) status = mt_tensor_to_dlpack(tensor, 1, 0, &managed);
  mt_tensor_release(tensor);
  if (status) {
    set_error(context, mt_status_kind(status), mt_status_message(status));
    mt_status_release(status);
    return -1;
  }
  *out = static_cast<DLManagedTensorVersioned*>(managed);
  return 0;
}
int export_tensor_object(void* object, DLManagedTensorVersioned** out) {
  return guarded_int([&] {
    auto* self = static_cast<PyObject*>(object);
    if (!is_tensor(self)) raise(PyExc_TypeError, "expected a Tensor, got %s", Py_TYPE(self)->tp_name);
    void* managed = nullptr;
    check(mt_tensor_to_dlpack(handle(self), 1, 0, &managed));
    *out = static_cast<DLManagedTensorVersioned*>(managed);
    return 0;
  });
}
int import_tensor_object(DLManagedTensorVersioned* managed, void** out) {
  return guarded_int([&] {
    Handle tensor;
    check(import_dlpack(managed, true, tensor));
    *out = wrap(std::move(tensor));
    return 0;
  });
}
int borrow_tensor_object(void* object, DLTensor* out) {
  return guarded_int([&] {
    auto* self = static_cast<PyObject*>(object);
    if (!is_tensor(self)) raise(PyExc_TypeError, "expected a Tensor, got %s", Py_TYPE(self)->tp_name);
    mt_tensor_info info = info_of(self);
    if (info.device.type != MT_CPU) raise(PyExc_BufferError, "tensors on %s cannot be borrowed", device_text(info.device).c_str());
    void* data = nullptr;
    check(mt_tensor_data(handle(self), &data));
    *out = {data,
            {kDLCPU, 0},
            static_cast<int32_t>(info.ndim),
            dl_dtype(info.dtype),
            const_cast<int64_t*>(info.sizes),
            const_cast<int64_t*>(info.strides),
            0};
    return 0;
  });
}
int get_current_stream(DLDeviceType, int32_t, void** out) {
  *out = nullptr;  // the CPU has no streams
  return 0;
}

const DLPackExchangeAPI api = {{{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
                               allocate_dlpack_tensor,
                               export_tensor_object,
                               import_tensor_object,
                               borrow_tensor_object,
                               get_current_stream};

}  // namespace

mt_status* import_dlpack(void* managed, bool versioned, Handle& out) {
  if (!versioned) return mt_tensor_from_dlpack(managed, 0, out.out());
  auto* lent = static_cast<DLManagedTensorVersioned*>(managed);
  const uint64_t flags = lent->flags;
  lent->flags &= ~static_cast<uint64_t>(DLPACK_FLAG_BITMASK_READ_ONLY);
  mt_status* status = mt_tensor_from_dlpack(managed, 1, out.out());
  lent->flags = flags;
  return status;
}

PyObject* dlpack_exchange_api(PyObject*, PyObject*) {
  return PyCapsule_New(const_cast<DLPackExchangeAPI*>(&api), "dlpack_exchange_api", nullptr);
}

}  // namespace mt::py
