// Integers drawn from a generator's stream.
#include "rules/random/whole_numbers.h"

#include <algorithm>
#include <bit>

#include "cpu/random/random.h"

namespace mt {
namespace {

// Bits of the significand; 0 where the dtype is no float.
int mantissa_digits_of(Dtype d) {
  switch (d) {
    case Dtype::float32: return 24;
    case Dtype::float64: return 53;
    case Dtype::float16: return 11;
    case Dtype::bfloat16: return 8;
    default: return 0;
  }
}
// The largest integer up to which a dtype represents all integers.
int64_t largest_exact_integer_of(Dtype d) {
  if (const int digits = mantissa_digits_of(d)) return int64_t(1) << digits;
  if (d == Dtype::boolean) return 1;
  const int bits = int(8 * element_size(d)) - !is_unsigned(d);
  return bits >= 63 ? INT64_MAX : (int64_t(1) << bits) - 1;
}

// Refuses bounds that the dtype cannot represent, and warns of bounds in the range where a float type has gaps between integers.
void check_bounds(int64_t first, int64_t last, Dtype d) {
  const int digits = mantissa_digits_of(d);
  const int64_t largest = d == Dtype::float16 ? 65504 : digits ? INT64_MAX : largest_exact_integer_of(d);
  const int64_t smallest = digits ? -largest : is_unsigned(d) || d == Dtype::boolean ? 0 : -largest - 1;
  check(first >= smallest && first <= largest, "from is out of bounds for {}", ScalarName(d));
  check(last >= smallest && last <= largest, "to - 1 is out of bounds for {}", ScalarName(d));
  auto warn_of_gaps = [&](int64_t bound, const char* name) {
    if (!digits || (bound <= largest_exact_integer_of(d) && bound >= -largest_exact_integer_of(d))) return;
    warn(
        "{} is out of bounds [-(2^{}), 2^{}]. Due to precision limitations {} can support discrete uniform distribution only within this "
        "range. This warning will become an error in version 1.7 release, please fix the code in advance",
        name, digits, digits, ScalarName(d));
  };
  warn_of_gaps(first, "from");
  warn_of_gaps(last, "to - 1");
}

int64_t round_to_dtype(int64_t x, Dtype d) {
  switch (d) {
    case Dtype::float32: return int64_t(float(x));
    case Dtype::float64: return int64_t(double(x));
    case Dtype::float16: return int64_t(float(Half(float(x))));
    case Dtype::bfloat16: return int64_t(float(BFloat16(float(x))));
    default: return x;
  }
}
// The distance between neighbouring floats near `x`.
int64_t float_spacing_at(int64_t x, Dtype d) {
  return int64_t(1) << std::max(0, int(std::bit_width(uint64_t(x < 0 ? -x : x))) - mantissa_digits_of(d));
}
// The bounds [from, to), moved inwards so that the first and the last integer, rounded to the dtype, are still inside.
int64_t first_exact_from(int64_t from, Dtype d) {
  const int64_t held = round_to_dtype(from + 1, d);
  return held < from ? held + float_spacing_at(from + 1, d) : from;
}
int64_t last_exact_below(int64_t to, Dtype d) {
  const int64_t held = round_to_dtype(to - 1, d);
  return held >= to ? held - float_spacing_at(to - 1, d) : to;
}

template <class F>
void dispatch_real_and_bool(Dtype d, const char* name, F&& f) {
  if (d == Dtype::boolean)
    f(Type<bool>());
  else
    dispatch_real(d, name, f);
}

}  // namespace

void fill_with_integers(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  const Dtype d = self.dtype();
  uint64_t range;
  if (to) {
    check(from < *to, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, *to);
    check(!is_complex(d) || self.is_meta(), "check_random_bounds handles only integral, floating-point and boolean types");
    if (mantissa_digits_of(d)) {
      from = first_exact_from(from, d);
      to = last_exact_below(*to, d);
      check(from < *to, "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={} >= to={}", from, *to);
    }
    check_bounds(from, *to - 1, d);
    range = uint64_t(*to) - uint64_t(from);
  } else if (from == INT64_MIN) {
    range = 0;
  } else {
    const int64_t last = largest_exact_integer_of(d);
    if (mantissa_digits_of(d)) {
      from = first_exact_from(from, d);
      check(from < last,
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from={} > to_inc={}",
            from, last);
    }
    check_bounds(from, last, d);
    range = uint64_t(last) - uint64_t(from) + 1;
  }
  if (samples_on_device(self)) {
    BelowAutograd guard;
    op<"random_.from">(self, from, to, generator);
    return;
  }
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    auto fill = [&]<class T>(Type<T>) { cpu::fill_random_range<T>(engine, t.data<T>(), t.numel(), range, from); };
    if (!visit_barebones_unsigned(d, fill)) dispatch_real_and_bool(d, "random_from_to_kernel_cpu", fill);
  });
}

void fill_with_integers(const Tensor& self, Generator* generator) {
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_real_and_bool(t.dtype(), "random_kernel_cpu", [&]<class T>(Type<T>) { cpu::fill_random<T>(engine, t.data<T>(), t.numel()); });
  });
}

}  // namespace mt
