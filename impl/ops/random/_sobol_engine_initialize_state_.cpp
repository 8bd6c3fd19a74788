// _sobol_engine_initialize_state_: the direction numbers of a Sobol sequence.

#include "core/messages.h"
#include "cpu/random/sobol.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sobol_engine_initialize_state_(Tensor(a!) self, int dimension) -> Tensor(a!)"},
    .forms = function,
    .doc = "Fills `self` of shape ``(dimension, 30)`` with the direction numbers of a Sobol sequence.",
    .cpu =
        [](const Tensor& self, int64_t dimension) {
          check(self.dtype() == Dtype::int64, messages::sobolstate_must_be_long);
          check(dimension >= 1 && dimension <= cpu::sobol_dimensions, "Sobol sequences have 1 to {} dimensions, got {}",
                cpu::sobol_dimensions, dimension);
          check(self.dim() == 2 && self.size(0) == dimension && self.size(1) == cpu::sobol_bits,
                "sobolstate of shape [{}, {}] expected, got {}", dimension, cpu::sobol_bits, self.sizes());
          const Tensor directions = empty(self.sizes(), Dtype::int64);
          cpu::sobol_directions(dimension, directions.data<int64_t>());
          copy_into(self, directions);
        },
});

}  // namespace
}  // namespace mt
