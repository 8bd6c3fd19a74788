// pad: a border round the last dimensions: mode 'constant', 'reflect', 'replicate' or 'circular'.
#include "rules/algebra.h"

namespace mt {
namespace {

// One dimension at a time; index vectors say which source element stands at each place.
Tensor by_index(const Tensor& self, int64_t dim, int64_t before, int64_t after, Text mode) {
  const int64_t n = self.size(dim), m = n + before + after;
  Tensor index = empty({m}, Dtype::int64, self.device());
  if (!index.is_meta())
    for (int64_t i = 0; i < m; ++i) {
      int64_t k = i - before;
      if (mode == "replicate") k = k < 0 ? 0 : k >= n ? n - 1 : k;
      else if (mode == "reflect") k = k < 0 ? -k : k >= n ? 2 * (n - 1) - k : k;
      else k = ((k % n) + n) % n;
      index.data<int64_t>()[i] = k;
    }
  return op<"index_select">(self, dim, index);
}

MT_OP(OpDef{
    .schema = {"pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor"},
    .forms = function,
    .doc = "A border round the last dimensions: mode 'constant', 'reflect', 'replicate' or 'circular'.",
    .module = "nn",
    .composite = [](const Tensor& self, IntList pad, Text mode, std::optional<double> value) -> Tensor {
      check(pad.size() % 2 == 0, "Padding length must be divisible by 2");
      check(self.dim() >= pad.size() / 2, "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of dimension {}",
            pad.size(), self.dim());
      if (mode == "constant") return op<"constant_pad_nd">(self, pad, value.value_or(0.0));
      check(!value || *value == 0, "Padding mode \"{}\" doesn't take in value argument", text_arg(mode));
      const int64_t n = pad.size() / 2;
      const bool known = mode == "reflect" || mode == "replicate" || mode == "circular";
      if (known && n >= 1 && n <= 3 && (self.dim() == n + 1 || self.dim() == n + 2)) {
        Tensor out = self;
        for (int64_t i = 0; i < n; ++i) {
          const int64_t d = self.dim() - 1 - i, before = pad[2 * i], after = pad[2 * i + 1], size = self.size(d);
          if (mode == "reflect")
            check(before < size && after < size, "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({}, {}) at dimension {} of input {}",
                  before, after, d, self.sizes());
          if (mode == "circular") check(before <= size && after <= size, "Padding value causes wrapping around more than once.");
          Tensor cut = out;
          if (before < 0) cut = op<"narrow">(cut, d, -before, cut.size(d) + before);
          if (after < 0) cut = op<"narrow">(cut, d, 0, cut.size(d) + after);
          out = before > 0 || after > 0 ? by_index(cut, d, before > 0 ? before : 0, after > 0 ? after : 0, mode) : cut;
        }
        return out;
      }
      if (known) fail(ErrorKind::not_implemented, "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
      fail(ErrorKind::not_implemented, "Unrecognised padding mode {}", text_arg(mode));
    },
});

}  // namespace
}  // namespace mt
