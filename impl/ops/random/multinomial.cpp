// multinomial: indices drawn with given weights.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/random/random.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

// Not inlined, so that the total stays in a register. `are_weights` becomes false if a weight is negative or NaN.
[[gnu::noinline]] double running_sums(const double* weights, int64_t n, double* sums, bool& are_weights) {
  double total = 0;
  bool none_below = true;
  for (int64_t i = 0; i < n; ++i) none_below &= weights[i] >= 0, sums[i] = total += weights[i];
  are_weights = none_below;
  return total;
}

constexpr auto sample_multinomial = [](const Tensor& self, int64_t samples, bool replacement, Generator* generator) -> Tensor {
  check(self.dim() > 0 && self.dim() <= 2, "prob_dist must be 1 or 2 dim");
  check(is_floating(self.dtype()), "multinomial only supports floating-point dtypes for input, got: {}", self.dtype());
  check(samples > 0, "cannot sample n_sample <= 0 samples");
  check(self.size(-1) <= 1 << 24, "number of categories cannot exceed 2^24");
  check(replacement || samples <= self.size(-1), "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  const Tensor out = empty(self.dim() == 1 ? Dims{samples} : Dims{self.size(0), samples}, Dtype::int64, self.device());
  if (out.is_meta()) return out;
  BelowAutograd guard;
  if (!replacement || samples == 1) {
    // Samples without replacement: the indices with the largest values of weight / e, where e are exponentially distributed numbers.
    check(*op<"all">(op<"logical_and">(op<"isfinite">(self), op<"ge">(self, 0))).data<bool>(),
          "probability tensor contains either `inf`, `nan` or element < 0");
    check(*op<"all">(op<"ne">(op<"sum.dim_IntList">(self, IntList{-1}), 0)).data<bool>(), messages::multinomial_sum_not_positive);
    Tensor waits = op<"exponential_">(empty_as(self, self.dtype(), self.device(), std::nullopt), 1.0, generator);
    Tensor keys = self / waits;
    if (samples == 1) return op<"argmax">(keys, -1, true);
    return op<"topk", Tensors<2>>(keys, samples)[1];
  }
  const Tensor weights = dense_as(self, Dtype::float64);
  const int64_t n = self.size(-1), rows = self.dim() == 1 ? 1 : self.size(0);
  Generator& g = generator ? *generator : default_generator();
  const std::lock_guard lock(g.mutex);
  std::vector<double> sums(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r) {
    const double* const row = weights.data<double>() + r * n;
    bool are_weights;
    double total = running_sums(row, n, sums.data(), are_weights);
    for (int64_t i = 0; !(are_weights && std::isfinite(total)) && i < n; ++i) {
      check(row[i] >= 0, "invalid multinomial distribution (encountering probability entry < 0)");
      check(std::isfinite(row[i]), "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    }
    check(total > 0, messages::multinomial_sum_not_positive);
    if (samples > n / 16) {  // for fewer samples, few quotients are read
      for (double& s : sums) s /= total;
      total = 1;
    }
    for (int64_t k = 0; k < samples; ++k) {
      const double u = g.engine.next_uniform53();
      const auto found = std::partition_point(sums.begin(), sums.end() - 1, [&](double s) { return s / total < u; });
      out.data<int64_t>()[r * samples + k] = found - sums.begin();
    }
  }
  return out;
};

MT_OP(OpDef{
    .schema = {"multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Draws indices with probabilities in proportion to the weights of each row.

The weights need not sum to 1. Without `replacement` an index is drawn at most once in a row; then
no more indices than elements can be drawn, and where too few weights are positive the rest is not
meaningful. The numbers come from the generator's stream, so a seed gives the same ones on every
run. It is not differentiable.

Args:
    self (Tensor): weights: a vector, or a matrix with one distribution a row; not negative, finite,
        not all zero in a row; a floating dtype; at most 2^24 columns.
    num_samples (int): indices for each row; positive.
    replacement (bool): whether an index may be drawn again. Default: ``False``.

Returns:
    Tensor: int64 indices, shape ``(num_samples,)`` or ``(rows, num_samples)``.

Raises:
    RuntimeError: when weights, dtype or `num_samples` do not fit.

Example:
    >>> torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 4, replacement=True)
    tensor([1, 1, 1, 1]))",
    .traits = MT_OP_RANDOM,
    .cpu = sample_multinomial,
    .npu = {"Multinomial"},
    .meta = sample_multinomial,
    .grad = not_differentiable,
});

constexpr auto sample_multinomial_into = [](const Tensor& self, int64_t samples, bool replacement, Generator* generator,
                                            const Tensor& out) {
  check(out.dtype() == Dtype::int64, "multinomial expects Long tensor out, got: {}", out.dtype());
  BelowAutograd guard;
  store_result(out, op<"multinomial">(self, samples, replacement, generator));
};
MT_OP(OpDef{
    .schema = {"multinomial.out(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None, Tensor(a!) out) -> "
               "Tensor(a!)"},
    .forms = out,
    .doc = "Draws indices with probabilities in proportion to the weights of each row, into `out`.",
    .traits = MT_OP_RANDOM,
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = sample_multinomial_into,
    .npu = {any_device},
    .meta = sample_multinomial_into,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
