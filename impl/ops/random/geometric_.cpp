// geometric_ and geometric: numbers of trials up to the first success.
#include "rules/random/random.h"

namespace mt {
namespace {

constexpr auto geometric_in_place = [](const Tensor& self, double p, Generator* generator) {
  check(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p={}", p);
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_numbers(t.dtype(), "geometric_cpu", [&]<class T>(Type<T>) {
      if constexpr (is_complex_type<T> || std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>)
        not_implemented_for("geometric_cpu", t.dtype());
      else
        cpu::fill_geometric<T>(engine, t.data<T>(), t.numel(), p);
    });
  });
};
MT_OP(OpDef{
    .schema = {"geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with numbers of trials up to the first success, in place.

The probability of k = 1, 2, ... is ``(1 - p)^(k - 1) * p``, the mean ``1 / p``. The numbers come
from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor to fill; a real dtype.
    p (float): probability of success of a trial; inside (0, 1).

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `p` is not inside (0, 1).

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.empty(100).geometric_(0.5, generator=g).min()
    tensor(1.))",
    .traits = MT_OP_RANDOM,
    .cpu = geometric_in_place,
    .meta = geometric_in_place,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto sample_geometric_like = filled_like<geometric_in_place, double>;
MT_OP(OpDef{
    .schema = {"geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor like `self` filled with numbers of trials up to the first success.",
    .traits = MT_OP_RANDOM,
    .cpu = sample_geometric_like,
    .meta = sample_geometric_like,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
