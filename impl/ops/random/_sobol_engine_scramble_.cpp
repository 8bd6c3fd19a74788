// _sobol_engine_scramble_: multiplies direction numbers by random lower triangular matrices of bits (Matousek 1998).
#include "core/messages.h"
#include "cpu/random/sobol.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sobol_engine_scramble_(Tensor(a!) self, Tensor ltm, int dimension) -> Tensor(a!)"},
    .forms = function,
    .doc = "Multiplies the direction numbers of each dimension by its matrix of random bits, in place.",
    .cpu =
        [](const Tensor& self, const Tensor& ltm, int64_t dimension) {
          constexpr int64_t bits = cpu::sobol_bits;
          check(self.dtype() == Dtype::int64, messages::sobolstate_must_be_long);
          check(self.dim() == 2 && self.size(0) == dimension && self.size(1) == bits && ltm.numel() == dimension * bits * bits,
                "_sobol_engine_scramble_: sobolstate of shape {} and ltm of shape {} do not belong to {} dimensions", self.sizes(),
                ltm.sizes(), dimension);
          const Tensor state = dense(self), matrices = dense_as(ltm, Dtype::int64), out = empty(self.sizes(), Dtype::int64);
          for (int64_t d = 0; d < dimension; ++d) {
            uint64_t rows[bits];  // each row's bits, the first column highest; the diagonal is all ones
            for (int64_t p = 0; p < bits; ++p) {
              rows[p] = 0;
              for (int64_t k = 0; k < bits; ++k)
                rows[p] |= uint64_t((k == p ? 1 : matrices.data<int64_t>()[(d * bits + p) * bits + k]) & 1) << (bits - 1 - k);
            }
            for (int64_t j = 0; j < bits; ++j) {
              const uint64_t direction = uint64_t(state.data<int64_t>()[d * bits + j]);
              int64_t product = 0;
              for (int64_t p = 0; p < bits; ++p) product |= int64_t(__builtin_parityll(rows[p] & direction)) << (bits - 1 - p);
              out.data<int64_t>()[d * bits + j] = product;
            }
          }
          copy_into(self, out);
        },
});

}  // namespace
}  // namespace mt
