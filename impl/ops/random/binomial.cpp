// binomial: numbers of successes, given counts of trials and probabilities.
#include "core/messages.h"
#include "rules/random/sampling.h"

namespace mt {
namespace {

constexpr auto sample_binomial = [](const Tensor& count, const Tensor& prob, Generator* generator) -> Tensor {
  check(is_floating(count.dtype()), ErrorKind::value, "binomial only supports floating-point dtypes for count, got: {}", count.dtype());
  check(is_floating(prob.dtype()), ErrorKind::value, "binomial only supports floating-point dtypes for prob, got: {}", prob.dtype());
  check(count.dtype() == prob.dtype(), messages::found_dtype_but_expected, prob.dtype(), count.dtype());
  const Dims sizes = broadcast_shapes(count.sizes(), prob.sizes());
  Tensor out = empty(sizes, count.dtype(), count.device());
  if (out.is_meta()) return out;
  if (count.dtype() != Dtype::float32 && count.dtype() != Dtype::float64) not_implemented_for("binomial_cpu", count.dtype());
  BelowAutograd guard;
  const Tensor trials = dense(op<"expand">(count, sizes)), chances = dense(op<"expand">(prob, sizes));
  draw_into(out, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "binomial_cpu", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      for (int64_t i = 0; i < t.numel(); ++i)
        t.data<T>()[i] = T(C(draw_binomial(double(C(trials.data<T>()[i])), double(C(chances.data<T>()[i])), engine)));
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws the number of successes of `count` trials with probability `prob`, element by element.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    count (Tensor): numbers of trials; a floating dtype.
    prob (Tensor): probabilities of success; same dtype, broadcastable with `count`.

Returns:
    Tensor: numbers of successes in the dtype of `count`.

Raises:
    ValueError: when a dtype is not a floating one.
    RuntimeError: when the dtypes differ.

Example:
    >>> torch.binomial(torch.tensor([3.0, 4.0]), torch.tensor([1.0, 0.0]))
    tensor([3., 0.]))",
    .traits = MT_OP_RANDOM,
    .cpu = sample_binomial,
    .meta = sample_binomial,
});

}  // namespace
}  // namespace mt
