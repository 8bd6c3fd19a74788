// The handle of a random generator: the Mersenne Twister of cpu/random/random.h, or the counters that an NPU's kernels use.
#pragma once

#include <mutex>

#include "core/dtype.h"
#include "core/object.h"
#include "core/random_engine.h"

namespace mt {

struct Generator : Object {
  explicit Generator(Device d) : Object(Kind::generator), device(d) {}
  static void destroy(Generator* generator) { delete generator; }

  Device device;
  std::mutex mutex;  // locked while a kernel draws numbers
  cpu::RandomEngine engine;
  uint64_t counter_seed = 67280421310721;  // used by an NPU's generator only
  uint64_t counter_offset = 0;
};
// The process-wide CPU generator.
Generator& default_generator();

}  // namespace mt
