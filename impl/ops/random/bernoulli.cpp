// bernoulli: zeros and ones with given probabilities.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/random/random.h"

namespace mt {
namespace {

constexpr auto fill_with_probability = [](const Tensor& self, double p, Generator* generator) {
  check(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p={}", p);
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_all(t.dtype(), "bernoulli_scalar_cpu_", [&]<class T>(Type<T>) {
      if constexpr (is_complex_type<T> || std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>)
        not_implemented_for("bernoulli_scalar_cpu_", t.dtype());
      else
        cpu::fill_bernoulli<T>(engine, t.data<T>(), t.numel(), p);
    });
  });
};
constexpr auto fill_with_probabilities = [](const Tensor& self, const Tensor& p, Generator* generator) {
  if (self.is_meta()) return;
  if (is_complex(self.dtype())) not_implemented_for("bernoulli_tensor_cpu_self_", self.dtype());
  check(is_floating(p.dtype()), ErrorKind::not_implemented, "\"bernoulli_tensor_cpu_p_\" not implemented for '{}'", p.dtype());
  BelowAutograd guard;
  const Tensor along = op<"expand">(p, self.sizes());
  const Dims order = torch_iteration_order(self, &along);
  const Tensor visited = op<"permute">(along, order);
  const Tensor wide = empty(visited.sizes(), p.dtype() == Dtype::float64 ? Dtype::float64 : Dtype::float32);
  copy_into(wide, visited);
  draw_into(
      self, generator,
      [&](cpu::RandomEngine& engine, const Tensor& t) {
        dispatch_all(t.dtype(), "bernoulli_tensor_cpu_self_", [&]<class T>(Type<T>) {
          if constexpr (is_complex_type<T> || std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
            not_implemented_for("bernoulli_tensor_cpu_self_", t.dtype());
          } else if (wide.dtype() == Dtype::float64) {
            const double* data = wide.data<double>();
            for (int64_t i = 0; i < t.numel(); ++i) check(data[i] >= 0 && data[i] <= 1, messages::probability_out_of_range);
            cpu::fill_bernoulli<T, double>(engine, t.data<T>(), data, t.numel());
          } else {
            const float* data = wide.data<float>();
            for (int64_t i = 0; i < t.numel(); ++i) check(data[i] >= 0 && data[i] <= 1, messages::probability_out_of_range);
            cpu::fill_bernoulli<T, float>(engine, t.data<T>(), data, t.numel());
          }
        });
      },
      &order);
};

MT_OP(OpDef{
    .schema = {"bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
               "bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with ones with probability `p` and zeros otherwise, in place.

The numbers come from the generator's stream, so a seed (``torch.manual_seed``) gives the same ones
on every run. The gradient of `self` and of `p` is zero.

Args:
    self (Tensor): tensor to fill; any dtype but complex.
    p (float or Tensor): probabilities in [0, 1]; a tensor is floating and broadcasts to `self`.
        Default: ``0.5``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when a probability is outside of [0, 1].

Example:
    >>> torch.empty(3).bernoulli_(torch.tensor([0.0, 1.0, 1.0]))
    tensor([0., 1., 1.]))",
    .traits = MT_OP_RANDOM,
    .cpu = fill_with_probability,
    .npu = {"InplaceBernoulli(self, p:scalar, seed, offset)"},
    .meta = fill_with_probability,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .grad_name = "BernoulliBackward2",
    .overloads = {overload("Tensor", {.cpu = fill_with_probabilities,
                                      .npu = {"InplaceBernoulliTensor"},
                                      .meta = fill_with_probabilities,
                                      .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }),
                                               wrt("p", [](Grad, In<"p"> p) { return op<"zeros_like">(p); })},
                                      .grad_name = "BernoulliBackward1"})},
});
MT_OP(OpDef{
    .schema = {"bernoulli(Tensor self, *, Generator? generator=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Draws ones with the probability that each element of `self` gives, and zeros otherwise.

With `p` its probability holds for all elements and `self` only gives the shape. The numbers come
from the generator's stream, so a seed gives the same ones on every run. The gradient is zero.

Args:
    self (Tensor): probabilities in [0, 1]; a floating dtype.
    p (float, optional): one probability for all elements.

Returns:
    Tensor: zeros and ones in the shape and dtype of `self`.

Raises:
    RuntimeError: when a probability is outside of [0, 1].

Example:
    >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
    tensor([0., 1.]))",
    .traits = MT_OP_RANDOM,
    .cpu = [](const Tensor& self, Generator* generator) -> Tensor {
      BelowAutograd guard;
      return op<"bernoulli_.Tensor">(empty(self.sizes(), self.dtype(), self.device()), self, generator);
    },
    .npu = {any_device},
    .meta = [](const Tensor& self, Generator*) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});
constexpr auto sample_bernoulli_into = [](const Tensor& self, Generator* generator, const Tensor& out) -> Tensor {
  BelowAutograd guard;
  if (out.sizes() != self.sizes()) resize_to(out, self.sizes());
  return op<"bernoulli_.Tensor">(out, self, generator);
};
MT_OP(OpDef{
    .schema = {"bernoulli.out(Tensor self, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Draws ones with the probabilities of `self` into `out`, in its dtype.",
    .traits = MT_OP_RANDOM,
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = sample_bernoulli_into,
    .npu = {any_device},
    .meta = sample_bernoulli_into,
});
MT_OP(OpDef{
    .schema = {"bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Draws ones with probability `p`, and zeros otherwise, in the shape of `self`.

The values of `self` do not matter.

Args:
    self (Tensor): tensor whose shape and dtype are taken.
    p (float): probability in [0, 1].

Returns:
    Tensor: zeros and ones in the shape and dtype of `self`.

Raises:
    RuntimeError: when `p` is outside of [0, 1].

Example:
    >>> torch.bernoulli(torch.zeros(3), 1.0)
    tensor([1., 1., 1.]))",
    .traits = MT_OP_RANDOM,
    .cpu = [](const Tensor& self, double p, Generator* generator) -> Tensor {
      BelowAutograd guard;
      return op<"bernoulli_.float">(empty(self.sizes(), self.dtype(), self.device()), p, generator);
    },
    .npu = {any_device},
    .meta = [](const Tensor& self, double, Generator*) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
