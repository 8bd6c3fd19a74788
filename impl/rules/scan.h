// Scans: running values along one dimension.
#pragma once

#include "core/dispatch_dtype.h"
#include "cpu/nest.h"
#include "cpu/parallel.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

namespace detail {

// `Lines` lines side by side: their chains of dependent steps run at the same time. Steps from element to element in elements, between
// lines in bytes.
template <int Lines, class T, class U, class State, class F>
[[gnu::always_inline]] inline void scan_group(const char* in, int64_t in_line, int64_t in_step, char* out, int64_t out_line,
                                              int64_t out_step, int64_t n, int lines, const State& start, F step) {
  State state[Lines];
  for (int k = 0; k < Lines; ++k) state[k] = start;
  auto place = [&](int64_t i, int k) {
    step(state[k], reinterpret_cast<const T*>(in + k * in_line)[i * in_step], i, reinterpret_cast<U*>(out + k * out_line)[i * out_step]);
  };
  for (int64_t i = 0; i < n; ++i) {
    if (Lines <= 8 && lines == Lines) {
#pragma GCC unroll 8
      for (int k = 0; k < (Lines <= 8 ? Lines : 0); ++k) place(i, k);  // unrolled, the states stay in registers
    } else {
      for (int k = 0; k < lines; ++k) place(i, k);
    }
  }
}

}  // namespace detail

// For every line of `self` along `dim`: step(state, element, index, result) in order, from `start` on. Neighbouring lines are taken
// together, so that memory is walked as it lies.
template <class T, class U, class State, class F>
void scan(const Tensor& self, const Tensor& out, int64_t dim, State start, F&& step) {
  if (self.numel() == 0) return;
  if (self.dim() == 0) return step(start, *self.data<T>(), int64_t(0), *out.data<U>());
  Dims sizes(self.sizes()), in(self.strides()), to(out.strides());
  const int64_t n = sizes[dim], in_step = in[dim], out_step = to[dim];
  sizes.erase(dim), in.erase(dim), to.erase(dim);
  cpu::Nest nest(sizes);
  nest.add(out.data(), out.itemsize(), to);
  nest.add(self.data(), self.itemsize(), in);
  nest.finish();
  // More than two lines side by side would be apart by what caches and stores tell addresses by, where lines are long.
  constexpr int wide = 64, few = 2;
  const bool columns = nest[1].strides[0] == int64_t(sizeof(T)) && in_step != 1;
  cpu::parallel_for(0, nest.numel(), std::max<int64_t>(columns ? wide : 1, 16384 / n), [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t count) {
      int64_t k = 0;
      auto group = [&]<int Lines>(Type<std::integral_constant<int, Lines>>) {
        const int lines = int(std::min<int64_t>(Lines, count - k));
        const char* from = data[1] + k * strides[1];
        char* target = data[0] + k * strides[0];
        if (Lines <= few || lines == Lines)  // a count that the compiler knows
          detail::scan_group<Lines, T, U>(from, strides[1], in_step, target, strides[0], out_step, n, Lines, start, step);
        else
          detail::scan_group<Lines, T, U>(from, strides[1], in_step, target, strides[0], out_step, n, lines, start, step);
        k += lines;
      };
      while (k < count) {
        if (count - k < few) group(Type<std::integral_constant<int, 1>>());
        else if (columns) group(Type<std::integral_constant<int, wide>>());
        else group(Type<std::integral_constant<int, few>>());
      }
    });
  });
}

}  // namespace mt
