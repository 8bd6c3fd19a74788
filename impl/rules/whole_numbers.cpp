// Integers drawn from a generator's stream.
#include "rules/whole_numbers.h"

namespace mt {
namespace {

// The largest integer up to which a dtype represents all integers.
int64_t largest_of(Dtype d) {
  switch (d) {
    case Dtype::float32: return int64_t(1) << 24;
    case Dtype::float64: return int64_t(1) << 53;
    case Dtype::float16: return 1 << 11;
    case Dtype::bfloat16: return 1 << 8;
    case Dtype::uint8: return 255;
    case Dtype::int8: return 127;
    case Dtype::int16: return 32767;
    case Dtype::int32: return INT32_MAX;
    case Dtype::boolean: return 1;
    default: return INT64_MAX;
  }
}

template <class F>
void for_real_and_bool(Dtype d, const char* name, F&& f) {
  if (d == Dtype::boolean)
    f(Type<bool>());
  else
    dispatch_real(d, name, f);
}

}  // namespace

void fill_with_whole_numbers(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  const Dtype d = self.dtype();
  uint64_t range;
  if (to) {
    check(from < *to, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, *to);
    range = uint64_t(*to) - uint64_t(from);
    check(!is_complex(d) || self.is_meta(), "check_random_bounds handles only integral, floating-point and boolean types");
    if (is_integral(d, true) && d != Dtype::int64)
      check(*to - 1 <= largest_of(d) && from >= (is_unsigned(d) || d == Dtype::boolean ? 0 : -largest_of(d) - 1),
            "to - 1 is out of bounds for {}", ScalarName(d));
  } else {
    range = from == INT64_MIN ? 0 : uint64_t(largest_of(d)) - uint64_t(from) + 1;
  }
  if (draws_itself(self)) {
    BelowAutograd guard;
    op<"random_.from">(self, from, to, generator);
    return;
  }
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    auto fill = [&]<class T>(Type<T>) { cpu::fill_random_range<T>(engine, t.data<T>(), t.numel(), range, from); };
    if (!visit_barebones_unsigned(d, fill)) for_real_and_bool(d, "random_from_to_kernel_cpu", fill);
  });
}

void fill_with_whole_numbers(const Tensor& self, Generator* generator) {
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    for_real_and_bool(t.dtype(), "random_kernel_cpu", [&]<class T>(Type<T>) { cpu::fill_random<T>(engine, t.data<T>(), t.numel()); });
  });
}

}  // namespace mt
