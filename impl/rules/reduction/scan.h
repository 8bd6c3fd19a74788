// Scans: running values along one dimension.
#pragma once

#include "core/dispatch_dtype.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

namespace detail {

// Scans `Lines` lines at a time, so that their dependency chains run in parallel. *_step counts elements between neighbours in a line,
// *_line bytes between lines.
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
      for (int k = 0; k < (Lines <= 8 ? Lines : 0); ++k) place(i, k);  // unrolled, so that the states stay in registers
    } else {
      for (int k = 0; k < lines; ++k) place(i, k);
    }
  }
}

// Neighbouring lines: `in_step` and `out_step` elements between elements of a line, `in_line` and `out_line` bytes between lines.
struct ScanLines {
  const char* in;
  char* out;
  int64_t in_line, out_line, in_step, out_step;
  int64_t n, count;  // elements per line, number of lines
  bool columns;      // the lines are the columns of contiguous rows
};
void walk_lines(const Tensor& self, const Tensor& out, int64_t dim, void (*scan)(const void* data, const ScanLines& lines),
                const void* data);

}  // namespace detail

// For long lines, more than two of them would map to the same cache sets and store-buffer addresses.
inline constexpr int wide_scan = 64, few_scans = 2;

// For every line of `self` along `dim`: step(state, element, index, result) in order, from `start` on. Neighbouring lines are processed
// together, so that memory is read sequentially.
template <class T, class U, class State, class F>
void scan(const Tensor& self, const Tensor& out, int64_t dim, const State& start, F&& step) {
  auto scan_lines = [&](const detail::ScanLines& l) {
    int64_t k = 0;
    auto group = [&]<int Lines>(Type<std::integral_constant<int, Lines>>) {
      const int lines = int(std::min<int64_t>(Lines, l.count - k));
      const char* from = l.in + k * l.in_line;
      char* target = l.out + k * l.out_line;
      if (Lines <= few_scans || lines == Lines)  // a constant count
        detail::scan_group<Lines, T, U>(from, l.in_line, l.in_step, target, l.out_line, l.out_step, l.n, Lines, start, step);
      else
        detail::scan_group<Lines, T, U>(from, l.in_line, l.in_step, target, l.out_line, l.out_step, l.n, lines, start, step);
      k += lines;
    };
    while (k < l.count) {
      if (l.count - k < few_scans)
        group(Type<std::integral_constant<int, 1>>());
      else if (l.columns)
        group(Type<std::integral_constant<int, wide_scan>>());
      else
        group(Type<std::integral_constant<int, few_scans>>());
    }
  };
  auto call = [](const void* f, const detail::ScanLines& lines) { (*static_cast<const decltype(scan_lines)*>(f))(lines); };
  detail::walk_lines(self, out, dim, call, &scan_lines);
}

}  // namespace mt
