// Bytes of storages in device memory: read, filled and copied by operators on a tensor over them.
#include "operators.h"
#include "stream.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// `n` bytes from `start` as a tensor.
Handle bytes_of(mt_storage* storage, int64_t start, int64_t n) {
  int64_t stride = 1;
  Handle tensor;
  check(mt_tensor_from_storage(storage, &n, &stride, 1, start, MT_UINT8, tensor.out()));
  return tensor;
}

}  // namespace

bool is_on_device(const mt_storage* storage) {
  mt_device device;
  check(mt_storage_device(storage, &device));
  return device.type != MT_CPU && device.type != MT_META;
}

uint8_t device_byte(mt_storage* storage, int64_t at) {
  Handle there = bytes_of(storage, at, 1);
  mt_value args[4] = {tensor_value(there.get()), none_value(), none_value(), device_value({MT_CPU, -1})};
  Handle here = call_for_tensor(find_op("_to_copy", ""), args, 4);
  void* data = nullptr;
  check(mt_tensor_data(here.get(), &data));
  return *static_cast<uint8_t*>(data);
}

void fill_on_device(mt_storage* storage, int64_t start, int64_t n, uint8_t byte) {
  Handle tensor = bytes_of(storage, start, n);
  mt_value args[2] = {tensor_value(tensor.get()), int_value(byte)};
  Results results;
  call(find_op("fill_", "Scalar"), args, 2, results);
}

void copy_on_device(mt_storage* to, mt_storage* from, bool non_blocking) {
  int64_t n = 0;
  check(mt_storage_nbytes(to, &n));
  Handle target = bytes_of(to, 0, n), source = bytes_of(from, 0, n);
  mt_value args[3] = {tensor_value(target.get()), tensor_value(source.get()), bool_value(non_blocking)};
  Results results;
  call(find_op("copy_", ""), args, 3, results);
}

}  // namespace mt::py
