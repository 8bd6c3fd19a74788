// Scans: running values along one dimension.
#pragma once

#include "core/dispatch_dtype.h"
#include "cpu/nest.h"
#include "cpu/parallel.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

// Calls line(in, in_stride, out, out_stride, n) for every line of `self` along `dim`; pointers and strides in elements of T and U.
template <class T, class U, class F>
void scan_lines(const Tensor& self, const Tensor& out, int64_t dim, F&& line) {
  if (self.numel() == 0) return;
  if (self.dim() == 0) return line(self.data<T>(), int64_t(1), out.data<U>(), int64_t(1), int64_t(1));
  Dims sizes(self.sizes()), in(self.strides()), to(out.strides());
  const int64_t n = sizes[dim], in_step = in[dim], out_step = to[dim];
  sizes.erase(dim), in.erase(dim), to.erase(dim);
  cpu::Nest nest(sizes);
  nest.add(out.data(), out.itemsize(), to);
  nest.add(self.data(), self.itemsize(), in);
  nest.finish();
  cpu::parallel_for(0, nest.numel(), std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t count) {
      for (int64_t k = 0; k < count; ++k)
        line(reinterpret_cast<const T*>(data[1] + k * strides[1]), in_step, reinterpret_cast<U*>(data[0] + k * strides[0]), out_step, n);
    });
  });
}

}  // namespace mt
