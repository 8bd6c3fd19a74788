// The process-wide generator.
#include "core/generator.h"

namespace mt {

Generator& default_generator() {
  static Generator* generator = new Generator(Device{});  // never destroyed: threads may generate numbers during exit
  return *generator;
}

}  // namespace mt
