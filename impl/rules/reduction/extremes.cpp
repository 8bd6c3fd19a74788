// Gathers the elements at given indices along a dimension.
#include "rules/reduction/extremes.h"

namespace mt {
namespace {

template <class Word>
void copy_extreme(char* const* data, const int64_t* strides, int64_t n, int64_t step) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = *reinterpret_cast<const int64_t*>(data[1] + i * strides[1]);
    *reinterpret_cast<Word*>(data[0] + i * strides[0]) = *reinterpret_cast<const Word*>(data[2] + i * strides[2] + place * step);
  }
}

}  // namespace

void gather_at_extreme_indices(const Tensor& self, int64_t dim, const Tensor& indices, const Tensor& values) {
  const int64_t along = wrap_dim(dim, self.dim()), step = self.dim() ? self.stride(along) * self.itemsize() : 0;
  const bool keepdim = values.dim() == self.dim();
  Dims sizes, from, at, to;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d == along) continue;
    const int64_t kept = keepdim || d < along ? d : d - 1;
    sizes.push_back(self.size(d));
    from.push_back(self.stride(d));
    at.push_back(indices.stride(kept));
    to.push_back(values.stride(kept));
  }
  cpu::Nest nest(sizes);
  nest.add(values.data(), values.itemsize(), to);
  nest.add(indices.data(), indices.itemsize(), at);
  nest.add(self.data(), self.itemsize(), from);
  nest.finish();
  cpu::parallel_for(0, nest.numel(), 8192, [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
      switch (self.itemsize()) {
        case 1: return copy_extreme<uint8_t>(data, strides, n, step);
        case 2: return copy_extreme<uint16_t>(data, strides, n, step);
        case 4: return copy_extreme<uint32_t>(data, strides, n, step);
        default: return copy_extreme<uint64_t>(data, strides, n, step);
      }
    });
  });
}

}  // namespace mt
