// nonzero: a matrix with the index of each non-zero element as a row, in order.
#include <algorithm>

#include "cpu/parallel.h"
#include "dispatch/out_words.h"
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto kernel = [](const Tensor& self) -> Tensor {
  const Tensor mask = [&] {
    BelowAutograd guard;
    return op<"contiguous">(self.dtype() == Dtype::boolean ? self : op<"ne">(self, 0));
  }();
  const bool* p = mask.data<bool>();
  const int64_t n = mask.numel(), ndim = self.dim();
  // Pieces of fixed size: counted, then written behind those before them.
  const cpu::Chunks chunks = cpu::chunks_of(n, 32768);
  int64_t starts[65] = {};  // chunks_of makes no more than 64
  cpu::parallel_for(0, n, 32768, [&](int64_t begin, int64_t end) {
    int64_t found = 0;
    for (int64_t i = begin; i < end; ++i) found += p[i];
    starts[begin / chunks.size + 1] = found;
  });
  for (int64_t c = 0; c < chunks.count; ++c) starts[c + 1] += starts[c];
  const int64_t count = starts[chunks.count];
  // torch lays the columns out one after another.
  Tensor out = empty_strided({count, ndim}, {1, count ? count : 1}, Dtype::int64);
  int64_t* to = out.data<int64_t>();
  const int64_t width = ndim ? self.size(-1) : 1;
  cpu::parallel_for(0, n, 32768, [&](int64_t begin, int64_t end) {
    int64_t row = starts[begin / chunks.size];
    for (int64_t i = begin; i < end;) {  // one line of the last dimension, or the part of it that is in this piece
      const int64_t line = i / width, first = i % width, length = std::min(width - first, end - i), before = row;
      for (int64_t j = 0; j < length; ++j) {
        if (!p[i + j]) continue;
        if (ndim) to[row + (ndim - 1) * count] = first + j;
        ++row;
      }
      int64_t rest = line;
      for (int64_t d = ndim - 2; d >= 0; --d) {
        std::fill(to + before + d * count, to + row + d * count, rest % self.size(d));
        rest /= self.size(d);
      }
      i += length;
    }
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"nonzero(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "A matrix with the index of each non-zero element as a row, in order.",
    .cpu = kernel,
    .npu = {"Nonzero(self, out=rows)"},
    .grad = not_differentiable,
});

MT_BATCH("nonzero", batch_dynamic);

MT_OUT("nonzero", .dtype = "nonzero: Expected out tensor to have scalar type {} but got scalar type{}");

}  // namespace
}  // namespace mt
