// The checks behind convert.h, and their errors.
#include "convert.h"

#include "core/messages.h"
#include "results.h"

namespace mt::capi {
namespace {

// Sizes of more dimensions than this are refused before anything is computed from them.
constexpr int64_t max_dims = 1024;

const char* noun_for_kind(Kind kind) {
  switch (kind) {
    case Kind::tensor: return "a tensor";
    case Kind::storage: return "a storage";
    case Kind::generator: return "a generator";
    case Kind::node: return "a node";
    case Kind::op: return "an operator";
    case Kind::saved: return "a saved tensor";
    case Kind::npu_event: return "an NPU event";
    case Kind::npu_graph: return "an NPU graph";
    case Kind::store: return "a store";
    case Kind::work: return "a work";
    case Kind::group: return "a group";
    case Kind::checkpoint: return "a checkpoint";
    case Kind::tensor_dict: return "a dictionary of tensors";
    case Kind::dataset: return "a dataset";
    case Kind::dataset_writer: return "a writer of a dataset";
    case Kind::schema: return "a schema";
    case Kind::freed: return "a freed handle";
  }
  return "no handle of this library";
}

}  // namespace

void fail_null(const char* what) { fail(ErrorKind::type, "{} must not be NULL", what); }
void fail_kind(const char* what, Kind expected, Kind got) {
  fail(ErrorKind::type, "{} must be {}, not {}", what, noun_for_kind(expected), noun_for_kind(got));
}
void fail_struct_size(const char* what, size_t known, size_t got) {
  fail(ErrorKind::value, "{}: struct_size must be the size of the struct, {} in this version, got {}", what, uint64_t(known),
       uint64_t(got));
}
void fail_unknown_fields(const char* what, size_t known) {
  fail(ErrorKind::value, "{}: this version knows {} bytes of the struct, and what follows is not zero; a newer library is needed", what,
       uint64_t(known));
}

void fail_counts(const Operator& op, const void* args, int64_t n, const void* rets, int64_t capacity) {
  check(n >= 0, ErrorKind::value, "{}(): the number of arguments must not be negative, got {}", op.schema.name, n);
  check(n <= op.n_args, ErrorKind::type, messages::too_many_arguments, op.schema.name, op.n_args, n, op.schema.text);
  if (n) require_not_null(args, "args");
  check(capacity >= op.n_rets, ErrorKind::value, "{}() gives {} results, but there is room for {}", op.schema.name, op.n_rets, capacity);
  fail_null(rets ? "args" : "rets");
}

Dtype dtype_of(int32_t dtype) {
  check(is_known_dtype(dtype), ErrorKind::type, "{} is not a dtype", dtype);
  return Dtype(dtype);
}

Device device_of(mt_device device) {
  check(device.index >= -1 && device.index <= INT8_MAX, ErrorKind::value, "Device index must be between -1 and 127, got {}", device.index);
  const char* name = device.type >= 0 && device.type <= INT8_MAX ? name_of(DeviceType(device.type)) : nullptr;
  check(name != nullptr, ErrorKind::type, "{} is not a device type", device.type);
  return {DeviceType(device.type), int8_t(device.index)};
}

IntList dims_of(const int64_t* data, int64_t count, const char* what) {
  check(count >= 0 && count <= max_dims, ErrorKind::value, "{}: the number of dimensions must be between 0 and {}, got {}", what, max_dims,
        count);
  if (count) require_not_null(data, what);
  return {data, count};
}

void check_sizes(IntList sizes) {
  for (int64_t size : sizes) check(size >= 0, messages::negative_size_in, size, sizes);
}

}  // namespace mt::capi
