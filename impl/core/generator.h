// The random generator handle around the Mersenne Twister of cpu/random.h.
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
};
// The process-wide CPU generator.
Generator& default_generator();

}  // namespace mt
