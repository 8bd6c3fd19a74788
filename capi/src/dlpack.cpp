// DLPack: exports tensors to other libraries and imports theirs, in the versioned and the legacy struct.
#include <algorithm>

#include "mindtorch/dlpack.h"

#include <memory>

#include "convert.h"
#include "core/lazy_clone.h"
#include "core/messages.h"
#include "layers/conjugate.h"
#include "rules/form/rule.h"
#include "vmap/batched.h"

using namespace mt;
using namespace mt::capi;

namespace {

struct DtypePair {
  Dtype dtype;
  uint8_t code;
};
// Converts a DLPack type code and width; complex types count both components.
constexpr DtypePair dtype_pairs[] = {
    {Dtype::uint8, kDLUInt},
    {Dtype::uint16, kDLUInt},
    {Dtype::uint32, kDLUInt},
    {Dtype::uint64, kDLUInt},
    {Dtype::int8, kDLInt},
    {Dtype::int16, kDLInt},
    {Dtype::int32, kDLInt},
    {Dtype::int64, kDLInt},
    {Dtype::float16, kDLFloat},
    {Dtype::float32, kDLFloat},
    {Dtype::float64, kDLFloat},
    {Dtype::bfloat16, kDLBfloat},
    {Dtype::complex32, kDLComplex},
    {Dtype::complex64, kDLComplex},
    {Dtype::complex128, kDLComplex},
    {Dtype::boolean, kDLBool},
    {Dtype::float8_e4m3fn, kDLFloat8_e4m3fn},
    {Dtype::float8_e4m3fnuz, kDLFloat8_e4m3fnuz},
    {Dtype::float8_e5m2, kDLFloat8_e5m2},
    {Dtype::float8_e5m2fnuz, kDLFloat8_e5m2fnuz},
    {Dtype::float8_e8m0fnu, kDLFloat8_e8m0fnu},
};

[[noreturn]] void refuse_exchange(const char* text) { throw Error("BufferError", text); }
template <class... Args>
[[noreturn]] void refuse_exchange(const char* format, const Args&... args) {
  throw Error("BufferError", mt::text(format, args...));
}

DLDataType to_dlpack(Dtype dtype) {
  for (const DtypePair& pair : dtype_pairs)
    if (pair.dtype == dtype) return {pair.code, uint8_t(element_size(dtype) * 8), 1};
  refuse_exchange("{} types are not supported by dlpack", dtype);
}

Dtype from_dlpack(DLDataType type) {
  if (type.lanes != 1) refuse_exchange("ATen does not support lanes != 1");
  for (const DtypePair& pair : dtype_pairs)
    if (pair.code == type.code && element_size(pair.dtype) * 8 == type.bits) return pair.dtype;
  switch (type.code) {
    case kDLUInt: refuse_exchange("Unsupported kUInt bits {}", int(type.bits));
    case kDLInt: refuse_exchange("Unsupported kInt bits {}", int(type.bits));
    case kDLFloat: refuse_exchange("Unsupported kFloat bits {}", int(type.bits));
    case kDLBfloat: refuse_exchange("Unsupported kFloat bits {}", int(type.bits));
    case kDLComplex: refuse_exchange("Unsupported kFloat bits {}", int(type.bits));
    case kDLBool: refuse_exchange("Unsupported kDLBool bits {}", int(type.bits));
    default: refuse_exchange("Unsupported code {}", int(type.code));
  }
}

// Keeps an exported tensor alive until the consumer is done.
template <class Managed>
struct ExportedTensor {
  Managed managed;
  Tensor tensor;
  Dims shape, strides;

  static void destroy(Managed* managed) {
    if (managed) delete static_cast<ExportedTensor*>(managed->manager_ctx);
  }
};

template <class Managed>
Managed* export_tensor(Tensor tensor) {
  if (tensor->storage) copy_shared_bytes(*tensor->storage);
  void* data = address_of_first(*tensor);
  auto lent = std::make_unique<ExportedTensor<Managed>>();
  lent->managed = Managed{};
  lent->shape = Dims(tensor.sizes());
  lent->strides = Dims(tensor.strides());
  DLTensor& out = lent->managed.dl_tensor;
  out.data = data;
  out.device = {kDLCPU, 0};
  out.ndim = int32_t(tensor.dim());
  out.dtype = to_dlpack(tensor.dtype());
  out.shape = lent->shape.data();
  out.strides = lent->strides.data();
  out.byte_offset = 0;
  lent->managed.manager_ctx = lent.get();
  lent->managed.deleter = ExportedTensor<Managed>::destroy;
  lent->tensor = std::move(tensor);
  return &lent.release()->managed;
}

template <class Managed>
void delete_exported(void* context) {
  auto* managed = static_cast<Managed*>(context);
  if (managed->deleter) managed->deleter(managed);
}

bool is_read_only(const DLManagedTensor*) { return false; }
bool is_read_only(const DLManagedTensorVersioned* managed) { return (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0; }

template <class Managed>
Tensor borrow_tensor(Managed* managed) {
  const DLTensor& in = managed->dl_tensor;
  if (in.device.device_type != kDLCPU) refuse_exchange("Unsupported device_type: {}", int(in.device.device_type));
  const Dtype dtype = from_dlpack(in.dtype);
  const IntList sizes = dims_of(in.shape, in.ndim, "shape");
  check_sizes(sizes);
  product(sizes);
  Dims strides = in.strides ? Dims(IntList(in.strides, in.ndim)) : contiguous_strides(sizes);
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  for (int64_t d = 0; d < in.ndim; ++d)  // dimensions of size 1 may have any stride
    if (strides[d] < 0 && (is_empty || sizes[d] == 1)) strides[d] = is_empty ? 0 : contiguous_strides(sizes)[d];
  for (int64_t stride : strides) check(stride >= 0, messages::storage_size_overflow_with_strides, sizes, strides);
  const int64_t bytes = needed_bytes(sizes, strides, 0, element_size(dtype));
  if (bytes) require_not_null(in.data, "data");
  char* data = in.data ? static_cast<char*>(in.data) + in.byte_offset : nullptr;
  const bool read_only = is_read_only(managed);
  Tensor tensor = make_tensor(read_only ? make_read_only_storage(data, bytes, Device{})
                                        : make_storage(data, bytes, Device{}, nullptr, nullptr),
                              dtype, sizes, strides, 0);
  // Takes ownership of `managed` only here, after the last step that can fail.
  if (read_only) {
    set_owner(*tensor->storage, delete_exported<Managed>, managed);
  } else {
    tensor->storage->deleter = delete_exported<Managed>;
    tensor->storage->context = managed;
  }
  return tensor;
}

}  // namespace

mt_status* mt_tensor_to_dlpack(const mt_tensor* tensor, int32_t versioned, int32_t copy, void** out) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    require_not_null(out, "out");
    if (t.is_conj()) refuse_exchange("Can't export tensors with the conjugate bit set");
    if (!t.device().is_cpu()) refuse_exchange("Cannot pack tensors on {}", t.device());
    if (t.is_neg()) t = resolve_lazy_bits(t);
    if (copy) {
      Tensor fresh = empty(t.sizes(), t.dtype());
      copy_into(fresh, t);
      t = fresh;
    }
    if (!versioned) {
      *out = export_tensor<DLManagedTensor>(std::move(t));
      return;
    }
    auto* managed = export_tensor<DLManagedTensorVersioned>(std::move(t));
    managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed->flags = copy ? DLPACK_FLAG_BITMASK_IS_COPIED : 0;
    *out = managed;
  });
}

mt_status* mt_tensor_from_dlpack(void* managed, int32_t versioned, mt_tensor** out) {
  return guard([&] {
    require_not_null(managed, "managed");
    require_not_null(out, "out");
    if (!versioned) {
      *out = return_handle(borrow_tensor(static_cast<DLManagedTensor*>(managed)));
      return;
    }
    auto* with_version = static_cast<DLManagedTensorVersioned*>(managed);
    if (with_version->version.major != DLPACK_MAJOR_VERSION)
      refuse_exchange("Unsupported DLPack version: {}.{}", int64_t(with_version->version.major), int64_t(with_version->version.minor));
    *out = return_handle(borrow_tensor(with_version));
  });
}
