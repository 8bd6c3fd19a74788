// Draws the noise for dropout and applies it.
#include "rules/nn/dropout.h"

#include <cmath>

namespace mt {

namespace {

struct Noise {
  Tensor factor, offset;  // offset undefined: none
};

bool is_dropout_needed(const Tensor& input, double p, bool train) {
  check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}", p);
  return p != 0 && train && input.numel() != 0;
}

Tensor make_zero(const Tensor& input) { return op<"zeros">(IntList(), input.dtype(), nullptr, input.device()); }

Noise make_noise(const Tensor& input, double p, DropUnit what, Replacement how) {
  Noise noise;
  if (what == DropUnit::channels) {
    check(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
    Dims sizes{input.size(0), input.size(1)};
    for (int64_t d = 2; d < input.dim(); ++d) sizes.push_back(1);
    noise.factor = op<"empty.memory_format">(sizes, input.dtype(), nullptr, input.device());
  } else {
    noise.factor = op<"empty_like">(input);
  }
  op<"bernoulli_.float">(noise.factor, 1 - p);
  if (how == Replacement::zero) {
    op<"div_">(noise.factor, 1 - p);
    return noise;
  }
  // Scales and shifts so that mean 0 and variance 1 are kept; dropped elements become SELU's limit -lambda * alpha.
  constexpr double limit = 1.7580993408473766;
  const double scale = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  noise.offset = op<"add_">(op<"mul_">(op<"add">(noise.factor, -1), limit * scale), limit * scale * p);
  op<"mul_">(noise.factor, scale);
  return noise;
}

}  // namespace

Tensor drop_out(const Tensor& input, double p, bool train, DropUnit what, Replacement how) {
  if (!is_dropout_needed(input, p, train)) return input;
  if (p == 1) return input * make_zero(input);
  const Noise noise = make_noise(input, p, what, how);
  const Tensor out = input * noise.factor;
  return noise.offset.defined() ? out + noise.offset : out;
}

void drop_out_in_place(const Tensor& self, double p, bool train, DropUnit what, Replacement how) {
  if (!is_dropout_needed(self, p, train)) return;
  if (p == 1) {
    op<"mul_">(self, make_zero(self));
    return;
  }
  const Noise noise = make_noise(self, p, what, how);
  op<"mul_">(self, noise.factor);
  if (noise.offset.defined()) op<"add_">(self, noise.offset);
}

}  // namespace mt
