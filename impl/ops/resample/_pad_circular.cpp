// _pad_circular: pads with the elements from the opposite end.
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor slice_dim(const Tensor& t, int64_t dim, int64_t begin, int64_t end) { return op<"slice.Tensor">(t, dim, begin, end, 1); }
constexpr int64_t positive_part(int64_t n) { return n > 0 ? n : 0; }
constexpr int64_t negative_part(int64_t n) { return n < 0 ? -n : 0; }

MT_OP(OpDef{
    .schema = {"_pad_circular(Tensor self, SymInt[] pad) -> Tensor"},
    .forms = function,
    .doc = R"(Adds a border that shows the elements of the other end; ``pad`` in mode ``"circular"`` calls it.)",
    .module = "nn",
    .composite = [](const Tensor& self, IntList pad) -> Tensor {
      const int64_t n = pad.size() / 2, rank = self.dim();
      check(n + 1 == rank || n + 2 == rank,
            "Invalid padding size, expected 1 or 2 non-padded dimensions, which would be equivalent to padding of "
            "length {} or {} respectively but got {}",
            (rank - 1) * 2, (rank - 2) * 2, pad.size());
      Dims sizes(self.sizes());
      for (int64_t i = n; i-- > 0;) {
        const int64_t d = rank - 1 - i, size = self.size(d), before = pad[2 * i], after = pad[2 * i + 1];
        check(before <= size && after <= size, "Padding value causes wrapping around more than once.");
        const int64_t whole = int64_t(uint64_t(size) + uint64_t(before) + uint64_t(after));
        check(before >= -size && after >= -size && whole >= 0, "Negative padding value is resulting in an empty dimension");
        sizes[d] = whole;
      }
      Tensor out = op<"empty.memory_format">(sizes, self.dtype(), nullptr, self.device());
      Tensor to = out, from = self;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t d = rank - 1 - i, before = pad[2 * i], after = pad[2 * i + 1];
        to = slice_dim(to, d, positive_part(before), sizes[d] - positive_part(after));
        from = slice_dim(from, d, negative_part(before), self.size(d) - negative_part(after));
      }
      op<"copy_">(to, from);
      for (int64_t i = n; i-- > 0;) {  // corners are filled by the following dimensions
        const int64_t d = rank - 1 - i, before = pad[2 * i], after = pad[2 * i + 1], end = sizes[d] - positive_part(after);
        if (before > 0) op<"copy_">(slice_dim(out, d, 0, before), slice_dim(out, d, end - before, end));
        if (after > 0)
          op<"copy_">(slice_dim(out, d, sizes[d] - after, sizes[d]),
                      slice_dim(out, d, positive_part(before), positive_part(before) + after));
      }
      return out;
    },
});

}  // namespace
}  // namespace mt
