// The traversal of memory for scans of every kind: which lines are processed together.
#include "rules/reduction/scan.h"

#include "cpu/copy/nest.h"
#include "cpu/threads/parallel.h"

namespace mt {

void detail::walk_lines(const Tensor& self, const Tensor& out, int64_t dim, void (*scan)(const void* data, const ScanLines& lines),
                        const void* data) {
  if (self.numel() == 0) return;
  if (self.dim() == 0) return scan(data, {self.data<char>(), out.data<char>(), 0, 0, 0, 0, 1, 1, false});
  Dims sizes(self.sizes()), in(self.strides()), to(out.strides());
  const int64_t n = sizes[dim], in_step = in[dim], out_step = to[dim];
  sizes.erase(dim), in.erase(dim), to.erase(dim);
  cpu::Nest nest(sizes);
  nest.add(out.data(), out.itemsize(), to);
  nest.add(self.data(), self.itemsize(), in);
  nest.finish();
  const bool columns = nest[1].strides[0] == self.itemsize() && in_step != 1;
  cpu::parallel_for(0, nest.numel(), std::max<int64_t>(columns ? wide_scan : 1, 16384 / n), [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* at, const int64_t* strides, int64_t count) {
      scan(data, {at[1], at[0], strides[1], strides[0], in_step, out_step, n, count, columns});
    });
  });
}

}  // namespace mt
