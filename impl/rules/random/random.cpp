// Uniform and normal random numbers, shared by several operators.
#include "rules/random/random.h"

#include "core/exception.h"
#include "core/messages.h"

namespace mt {
namespace {

void fill_reals_uniformly(const Tensor& self, double from, double to, Generator* generator) {
  if (!is_floating(self.dtype())) not_implemented_for("check_uniform_bounds", self.dtype());
  check(from <= to, "uniform_ expects to return a [from, to) range, but found from={} > to={}", from, to);
  if (samples_on_device(self)) {
    BelowAutograd guard;
    op<"uniform_">(self, from, to, generator);
    return;
  }
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "uniform", [&]<class T>(Type<T>) { cpu::fill_uniform<T>(engine, t.data<T>(), t.numel(), from, to); });
  });
}

void fill_reals_normally(const Tensor& self, double mean, double std, Generator* generator) {
  if (self.is_meta()) return;
  if (samples_on_device(self)) {
    BelowAutograd guard;
    op<"normal_">(self, mean, std, generator);
    return;
  }
  const bool contiguous = self.is_contiguous();
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "normal_kernel_cpu", [&]<class T>(Type<T>) {
      // torch samples normal numbers one by one if the memory is not contiguous.
      if (contiguous)
        cpu::fill_normal<T>(engine, t.data<T>(), t.numel(), mean, std);
      else
        cpu::fill_normal_one_by_one<T>(engine, t.data<T>(), t.numel(), mean, std);
    });
  });
}

}  // namespace

void fill_with_uniform_numbers(const Tensor& self, double from, double to, Generator* generator) {
  if (!is_complex(self.dtype())) return fill_reals_uniformly(self, from, to, generator);
  BelowAutograd guard;
  fill_reals_uniformly(op<"view_as_real">(self), from, to, generator);
}

void fill_with_normal_numbers(const Tensor& self, double mean, double std, Generator* generator) {
  check(std >= 0, messages::normal_std_is_negative, std);
  if (!is_complex(self.dtype())) return fill_reals_normally(self, mean, std, generator);
  BelowAutograd guard;  // each component has the mean, and half of the variance
  fill_reals_normally(op<"view_as_real">(self), mean, std * 0.70710678118654752440, generator);
}

}  // namespace mt
