// The loops of arange and linspace.
#include "rules/factory/spacing.h"

#include <algorithm>
#include <limits>

#include "cpu/clones.h"
#include "cpu/threads/parallel.h"

namespace mt {
namespace {

constexpr int64_t grain = 32768;  // numbers that are worth a thread

// data[i] = first + i * increment for `begin` <= i < `end`, at most 2^30 numbers.
template <class T>
struct FillSequence {
  using Number = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;  // computed in double, as torch does for float32 as well
  MT_INLINE static void run(T* data, Number first, Number increment, int64_t begin, int64_t end) {
    if constexpr (sizeof(T) < 8 && std::is_integral_v<T>) {
      const uint32_t from = uint32_t(first + uint64_t(begin) * increment), step = uint32_t(increment);
      for (int32_t i = 0; i < int32_t(end - begin); ++i) data[begin + i] = T(from + uint32_t(i) * step);
    } else if constexpr (std::is_integral_v<T>) {
      uint64_t number = first + uint64_t(begin) * increment;
      for (int64_t i = begin; i < end; ++i, number += increment) data[i] = T(number);
    } else {
      const double from = double(begin);  // exact: the sum with a 32-bit integer, for which vectors have a conversion
      for (int32_t i = 0; i < int32_t(end - begin); ++i) data[begin + i] = T(ComputeType<T>(first + increment * (from + double(i))));
    }
  }
};
template <class T>
struct FillSpaced {
  MT_INLINE static void run(T* data, const Spaced<T>* given, int64_t begin, int64_t end) {
    const Spaced<T> spaced = *given;
    if (spaced.steps <= std::numeric_limits<int32_t>::max())  // 32-bit integers have a vector conversion
      for (int32_t i = int32_t(begin); i < int32_t(end); ++i) data[i] = T(spaced(i));
    else
      for (int64_t i = begin; i < end; ++i) data[i] = T(spaced(i));
  }
};

// The fill loop: compiled for each instruction set only for the usual dtypes, to save code size.
template <class Fill, bool is_usual>
auto choose_fill() {
  if constexpr (is_usual)
    return cpu::detail::choose_clone<Fill>(Fill::run);
  else
    return Fill::run;
}

}  // namespace

void fill_steps(const Tensor& out, const Scalar& start, const Scalar& step) {
  dispatch_real(out.dtype(), "arange_cpu", [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    using Fill = FillSequence<T>;
    typename Fill::Number first, by;
    if constexpr (std::is_integral_v<T>) {
      step.check_fits(Dtype::int64);
      first = uint64_t(start.to_int()), by = uint64_t(step.to_int());
    } else {
      first = start.to_double(), by = step.to_double();
    }
    static const auto fill = choose_fill<Fill, sizeof(T) >= 4>();
    cpu::parallel_for(0, out.numel(), grain, [&](int64_t begin, int64_t end) {
      for (constexpr int64_t most = int64_t(1) << 30; begin < end; begin += most) fill(data, first, by, begin, std::min(end, begin + most));
    });
  });
}

void fill_between(const Tensor& out, const Scalar& start, const Scalar& end, int64_t steps) {
  dispatch_numbers(out.dtype(), "linspace_cpu", [&]<class T>(Type<T>) {
    const Spaced<T> spaced(start, end, steps);
    static const auto run = choose_fill<FillSpaced<T>, std::is_floating_point_v<T>>();
    cpu::parallel_for(0, steps, grain, [&](int64_t first, int64_t last) { run(out.data<T>(), &spaced, first, last); });
  });
}

}  // namespace mt
