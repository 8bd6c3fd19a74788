// The random generator handle: the Mersenne Twister of cpu/random.h, or the counters that an NPU's kernels draw from.
#pragma once

#include <mutex>

#include "core/dtype.h"
#include "core/object.h"
#include "cpu/random.h"

namespace mt {

struct Generator : Object {
  explicit Generator(Device d) : Object(Kind::generator), device(d) {}
  static void destroy(Generator* generator) { delete generator; }

  Device device;
  std::mutex mutex;  // held while a kernel draws
  cpu::RandomEngine engine;
  uint64_t counter_seed = 67280421310721;  // of an NPU's generator
  uint64_t counter_offset = 0;
};
// The process-wide CPU generator.
Generator& default_generator();

}  // namespace mt
