// The refusals and checks behind convert.h.
#include "convert.h"

#include "results.h"

namespace mt::capi {
namespace {

// Tensors of more dimensions than this are refused before anything is computed from them.
constexpr int64_t max_dims = 1024;
constexpr int64_t max_list = INT32_MAX;

const char* noun_of(Kind kind) {
  switch (kind) {
    case Kind::tensor: return "a tensor";
    case Kind::storage: return "a storage";
    case Kind::generator: return "a generator";
    case Kind::node: return "a node";
    case Kind::op: return "an operator";
    case Kind::saved: return "a saved tensor";
    case Kind::freed: return "a freed handle";
  }
  return "no handle of this library";
}

template <class T>
void check_handles(const mt_value& value, bool null_allowed) {
  const void* const* handles = static_cast<const void* const*>(value.as.list.data);
  for (int64_t i = 0; i < value.as.list.size; ++i)
    if (handles[i] || !null_allowed) object_of<T>(handles[i], "an element of a tensor list");
}

void check_list(const mt_value& value) {
  check(value.as.list.size >= 0 && value.as.list.size <= max_list, ErrorKind::value, "a list of {} elements is not possible",
        value.as.list.size);
  check(value.as.list.size == 0 || value.as.list.data, ErrorKind::type, "a list of {} elements came with a NULL pointer",
        value.as.list.size);
}

}  // namespace

void fail_null(const char* what) { fail(ErrorKind::type, "{} must not be NULL", what); }
void fail_kind(const char* what, Kind expected, Kind got) {
  fail(ErrorKind::type, "{} must be {}, not {}", what, noun_of(expected), noun_of(got));
}
void fail_struct_size(const char* what, size_t expected, size_t got) {
  fail(ErrorKind::value, "{}: struct_size must be at least {}, got {}", what, uint64_t(expected), uint64_t(got));
}

void fail_counts(const Operator& op, const void* args, int64_t n, const void* rets, int64_t capacity) {
  check(n >= 0, ErrorKind::value, "{}(): the number of arguments must not be negative, got {}", op.schema.name, n);
  check(n <= op.n_args, ErrorKind::type, "{}() expected at most {} argument(s) but received {} argument(s). Declaration: {}",
        op.schema.name, op.n_args, n, op.schema.text);
  if (n) need(args, "args");
  check(capacity >= op.n_rets, ErrorKind::value, "{}() gives {} results, but there is room for {}", op.schema.name, op.n_rets, capacity);
  fail_null(rets ? "args" : "rets");
}

Dtype dtype_of(int32_t dtype) {
  check(is_known_dtype(dtype), ErrorKind::type, "{} is not a dtype", dtype);
  return Dtype(dtype);
}

Device device_of(mt_device device) {
  check(device.index >= -1 && device.index <= INT8_MAX, ErrorKind::value, "Device index must be between -1 and 127, got {}",
        device.index);
  const char* name = device.type >= 0 && device.type <= INT8_MAX ? name_of(DeviceType(device.type)) : nullptr;
  check(name != nullptr, ErrorKind::type, "{} is not a device type", device.type);
  return {DeviceType(device.type), int8_t(device.index)};
}

IntList dims_of(const int64_t* data, int64_t count, const char* what) {
  check(count >= 0 && count <= max_dims, ErrorKind::value, "{}: the number of dimensions must be between 0 and {}, got {}", what,
        max_dims, count);
  if (count) need(data, what);
  return {data, count};
}

void check_sizes(IntList sizes) {
  for (int64_t size : sizes) check(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, sizes);
}

void check_value_slow(const mt_value& value, int depth) {
  switch (value.tag) {
    case MT_TAG_DEFAULT:
    case MT_TAG_NONE:
    case MT_TAG_BOOL:
    case MT_TAG_INT:
    case MT_TAG_DOUBLE:
    case MT_TAG_COMPLEX:
    case MT_TAG_LAYOUT:
    case MT_TAG_MEMORY_FORMAT:
    case MT_TAG_STREAM: return;
    case MT_TAG_DTYPE:
      check(value.as.i == int32_t(value.as.i), ErrorKind::type, "{} is not a dtype", value.as.i);
      dtype_of(int32_t(value.as.i));
      return;
    case MT_TAG_DEVICE: device_of(value.as.device); return;
    case MT_TAG_STRING:
      check(value.as.string.size >= 0 && (value.as.string.size == 0 || value.as.string.data), ErrorKind::type,
            "a string of {} bytes is not possible", value.as.string.size);
      return;
    case MT_TAG_TENSOR: object_of<TensorImpl>(value.as.tensor, "tensor"); return;
    case MT_TAG_GENERATOR: object_of<Generator>(value.as.generator, "generator"); return;
    case MT_TAG_STORAGE: object_of<Storage>(value.as.storage, "storage"); return;
    case MT_TAG_INTS:
    case MT_TAG_DOUBLES:
    case MT_TAG_BOOLS: check_list(value); return;
    case MT_TAG_TENSORS:
    case MT_TAG_OPTIONAL_TENSORS:
      check_list(value);
      check_handles<TensorImpl>(value, value.tag == MT_TAG_OPTIONAL_TENSORS);
      return;
    case MT_TAG_SCALARS:
    case MT_TAG_STRINGS: {
      check_list(value);
      check(depth == 0, ErrorKind::type, "a list within a list is not possible");
      const mt_value* items = static_cast<const mt_value*>(value.as.list.data);
      for (int64_t i = 0; i < value.as.list.size; ++i) {
        const int32_t tag = items[i].tag;
        const bool fits = value.tag == MT_TAG_STRINGS ? tag == MT_TAG_STRING : tag >= MT_TAG_BOOL && tag <= MT_TAG_COMPLEX;
        check(fits, ErrorKind::type, "element {} of a list has the tag {}", i, tag);
        check_value_slow(items[i], depth + 1);
      }
      return;
    }
    default: fail(ErrorKind::type, "{} is not the tag of a value", value.tag);
  }
}

}  // namespace mt::capi
