// _sobol_engine_draw, _sobol_engine_ff_: return, or skip, the next points of a Sobol sequence in Gray code order.
#include "core/messages.h"
#include "cpu/random/sobol.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

void check_state(const Tensor& quasi, const Tensor& state, int64_t n, int64_t dimension, int64_t generated) {
  check(state.dtype() == Dtype::int64, messages::sobolstate_must_be_long);
  check(quasi.dtype() == Dtype::int64, "quasi needs to be of type Long");
  check(state.dim() == 2 && state.size(0) == dimension && state.size(1) == cpu::sobol_bits && quasi.numel() == dimension,
        "quasi of shape {} and sobolstate of shape {} do not belong to {} dimensions", quasi.sizes(), state.sizes(), dimension);
  check(n >= 0 && generated >= 0 && generated < (int64_t(1) << cpu::sobol_bits) && n <= (int64_t(1) << cpu::sobol_bits) - generated - 1,
        "a Sobol sequence has 2^{} points, {} more after {} asked for", cpu::sobol_bits, n, generated);
}

// Replaces `point`, which is point number `index` of the sequence, by the next point.
void advance_sequence(int64_t* point, const int64_t* state, int64_t dimension, int64_t index) {
  const int step = cpu::changed_sobol_bit(uint64_t(index));
  for (int64_t d = 0; d < dimension; ++d) point[d] ^= state[d * cpu::sobol_bits + step];
}

MT_OP(OpDef{
    .schema = {"_sobol_engine_draw(Tensor quasi, int n, Tensor sobolstate, int dimension, int num_generated, ScalarType? dtype) -> "
               "(Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Returns the next `n` points of a Sobol sequence after `quasi`, and the last of them as integers.

``torch.quasirandom.SobolEngine`` uses it.)",
    .cpu = [](const Tensor& quasi, int64_t n, const Tensor& sobolstate, int64_t dimension, int64_t num_generated,
              std::optional<Dtype> dtype) -> Tensors<2> {
      check_state(quasi, sobolstate, n, dimension, num_generated);
      const Dtype wanted = dtype.value_or(Dtype::float32);
      if (wanted != Dtype::float32 && wanted != Dtype::float64) not_implemented_for("_sobol_engine_draw", wanted);
      const Tensor state = dense(sobolstate), point = empty(quasi.sizes(), Dtype::int64);
      copy_into(point, quasi);
      Tensor out = empty({n, dimension}, wanted);
      auto fill = [&]<class T>(Type<T>) {
        constexpr T unit = T(1) / T(int64_t(1) << cpu::sobol_bits);
        for (int64_t i = 0; i < n; ++i) {
          advance_sequence(point.data<int64_t>(), state.data<int64_t>(), dimension, num_generated + i);
          for (int64_t d = 0; d < dimension; ++d) out.data<T>()[i * dimension + d] = T(point.data<int64_t>()[d]) * unit;
        }
      };
      wanted == Dtype::float32 ? fill(Type<float>()) : fill(Type<double>());
      return {{out, point}};
    },
});
MT_OP(OpDef{
    .schema = {"_sobol_engine_ff_(Tensor(a!) self, int n, Tensor sobolstate, int dimension, int num_generated) -> Tensor(a!)"},
    .forms = function,
    .doc = "Moves the point `self` of a Sobol sequence on by `n` points, in place.",
    .cpu =
        [](const Tensor& self, int64_t n, const Tensor& sobolstate, int64_t dimension, int64_t num_generated) {
          check_state(self, sobolstate, n, dimension, num_generated);
          const Tensor state = dense(sobolstate), point = empty(self.sizes(), Dtype::int64);
          copy_into(point, self);
          for (int64_t i = 0; i < n; ++i) advance_sequence(point.data<int64_t>(), state.data<int64_t>(), dimension, num_generated + i);
          copy_into(self, point);
        },
});

}  // namespace
}  // namespace mt
