// rrelu, rrelu_with_noise and its gradient: a leaky ReLU whose slope is drawn for each negative element.
#include "core/messages.h"
#include "rules/form/unwatched.h"
#include "rules/random/random.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

double to_finite_double(const Scalar& bound) {
  bound.check_fits(Dtype::float64);
  return bound.to_double();
}
double mean_slope(const Scalar& lower, const Scalar& upper) { return (to_finite_double(lower) + to_finite_double(upper)) / 2; }

constexpr auto rrelu_with_noise = [](const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper, bool training,
                                     Generator* generator) -> Tensors<2> {
  check(to_finite_double(lower) <= to_finite_double(upper), "Lower bound should be less than or equal to the upper bound");
  check(self.sizes() == noise.sizes(), "noise tensor shape must match self tensor shape. Got self.shape = {} noise.shape = {}",
        self.sizes(), noise.sizes());
  BelowAutograd guard;
  if (!training) return {{op<"leaky_relu">(op<"contiguous">(self), mean_slope(lower, upper)), op<"clone">(noise)}};
  const Tensor out = empty(self.sizes(), self.dtype(), self.device()), slopes = empty(self.sizes(), self.dtype(), self.device());
  if (self.is_meta()) return {{out, slopes}};
  const double from = lower.to_double(), to = upper.to_double();
  if (self.dtype() == Dtype::float16) not_implemented_for("rrelu_with_noise_out_cpu", self.dtype());
  check(noise.dtype() == self.dtype(), messages::expected_scalar_type, self.dtype(), noise.dtype());
  const Tensor x = dense(self);
  draw_into(slopes, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(self.dtype(), "rrelu_with_noise_out_cpu", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      for (int64_t i = 0; i < x.numel(); ++i) {
        const T slope = T(C(x.data<T>()[i]) <= 0 ? C(engine.next_uniform53() * (to - from) + from) : C(1));
        t.data<T>()[i] = slope;
        out.data<T>()[i] = T(C(x.data<T>()[i]) * C(slope));
      }
    });
  });
  return {{out, slopes}};
};

constexpr auto differentiate_rrelu = [](const Tensor& grad, const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper,
                                        bool training, bool self_is_result) -> Tensor {
  BelowAutograd guard;
  if (training && upper.to_double() - lower.to_double() > 1e-6) return grad * noise;
  return op<"leaky_relu_backward">(grad, self, mean_slope(lower, upper), self_is_result);
};

MT_OP(OpDef{
    .schema = {"rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool "
               "training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)"},
    .forms = internal,
    .doc = "Computes ``rrelu``, and the slopes that it drew.",
    .traits = MT_OP_RANDOM,
    .cpu = rrelu_with_noise,
    .meta = rrelu_with_noise,
    .grad = {wrt("self",
                 [](GradOf<0> g, In<"self"> x, Out<"noise_out"> noise, In<"lower", Scalar> lower, In<"upper", Scalar> upper,
                    In<"training", bool> training) {
                   return op<"rrelu_with_noise_backward">(g, x, noise, *lower, *upper, *training, false);
                 })},
    .grad_name = "RreluWithNoiseBackward0",
});
MT_OP(OpDef{
    .schema = {"rrelu_with_noise(Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, "
               "Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes ``rrelu`` and writes the slopes that it drew to `noise`.

``torch.rrelu`` is the usual way to call it.

Args:
    self (Tensor): floating tensor.
    noise (Tensor): shape and dtype of `self`; written in training: the slope of each element, 1
        where positive.
    lower (number): smallest slope. Default: ``1/8``.
    upper (number): largest slope. Default: ``1/3``.
    training (bool): whether slopes are drawn, otherwise their mean is used. Default: ``False``.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when `lower` is above `upper` or the shape of `noise` differs.

Example:
    >>> torch._C._nn.rrelu_with_noise(torch.tensor([1.0, -1.0]), torch.zeros(2))
    tensor([ 1.0000, -0.2292]))",
    .module = "nn",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper, bool training, Generator* generator) -> Tensor {
      Tensors<2> out = op<"rrelu_with_noise_functional", Tensors<2>>(self, noise, lower, upper, training, generator);
      if (training) op<"copy_">(noise, op<"detach">(out[1]));
      return out[0];
    },
});
MT_OP(OpDef{
    .schema = {"rrelu_with_noise.out(Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool "
               "training=False, Generator? generator=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Computes ``rrelu_with_noise`` into `out`.",
    .module = "nn",
    .traits = MT_OP_RANDOM,
    .composite =
        [](const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper, bool training, Generator* generator, const Tensor& out) {
          Tensor result = op<"rrelu_with_noise">(self, noise, lower, upper, training, generator);
          resize_output(out, result.sizes());
          op<"copy_">(out, result);
        },
    .out_policy = OutPolicy{.recorded_as = "rrelu_with_noise"},
});
MT_OP(OpDef{
    .schema = {"rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool "
               "self_is_result) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``rrelu_with_noise``.",
    .cpu = differentiate_rrelu,
    .meta = differentiate_rrelu,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"self"> x, In<"noise"> noise, In<"lower", Scalar> lower, In<"upper", Scalar> upper,
                    In<"training", bool> training) {
                   return op<"rrelu_with_noise_backward">(g, x, noise, *lower, *upper, *training, false);
                 }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},  // piecewise linear
});
MT_OP(OpDef{
    .schema = {"rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> "
               "Tensor"},
    .forms = function,
    .doc = R"(Computes a leaky ReLU whose slope is drawn from [lower, upper] for each negative element.

Without `training` the slope is the mean ``(lower + upper) / 2`` (Xu et al., "Empirical evaluation
of rectified activations in convolutional network", 2015). The slopes come from the generator's
stream.

Args:
    self (Tensor): floating tensor.
    lower (number): smallest slope. Default: ``1/8``.
    upper (number): largest slope. Default: ``1/3``.
    training (bool): whether slopes are drawn. Default: ``False``.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when `lower` is above `upper`.

Example:
    >>> torch.rrelu(torch.tensor([1.0, -1.0]))
    tensor([ 1.0000, -0.2292]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, Scalar lower, Scalar upper, bool training, Generator* generator) -> Tensor {
      if (!training && has_no_observers({&self}) && to_finite_double(lower) <= to_finite_double(upper))
        return op<"leaky_relu">(op<"contiguous">(self), mean_slope(lower, upper));
      return op<"rrelu_with_noise_functional", Tensors<2>>(self, op<"empty_like">(self), lower, upper, training, generator)[0];
    },
});
MT_OP(OpDef{
    .schema = {"rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? "
               "generator=None) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Computes ``torch.rrelu`` in place.

Args:
    self (Tensor): floating tensor.
    lower (number): smallest slope. Default: ``1/8``.
    upper (number): largest slope. Default: ``1/3``.
    training (bool): whether slopes are drawn. Default: ``False``.

Returns:
    Tensor: `self`.

Example:
    >>> torch.rrelu_(torch.tensor([1.0, -1.0]))
    tensor([ 1.0000, -0.2292]))",
    .traits = MT_OP_RANDOM,
    .composite =
        [](const Tensor& self, Scalar lower, Scalar upper, bool training, Generator* generator) {
          if (!training && to_finite_double(lower) <= to_finite_double(upper)) {
            op<"leaky_relu_">(self, mean_slope(lower, upper));
            return;
          }
          op<"copy_">(self, op<"rrelu">(op<"clone">(self), lower, upper, training, generator));
        },
});

}  // namespace
}  // namespace mt
