// flip and roll: elements in reverse, or shifted round.
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

constexpr auto reversed = [](const Tensor& self, IntList dims) -> Tensor {
  Dims seen(self.dim() ? self.dim() : 1, 0);
  for (int64_t d : dims) {
    const int64_t w = wrap_dim(d, self.dim());
    check(!seen[w], "dim {} appears multiple times in the list of dims", w);
    seen[w] = 1;
  }
  Tensor out = self.is_non_overlapping_and_dense() ? empty_strided(self.sizes(), self.strides(), self.dtype(), self.device()) : empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta() || out.numel() == 0) return out;
  // The target is walked backwards: a view with negative strides, made by hand.
  Dims strides(out.strides());
  int64_t offset = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!seen[d]) continue;
    offset += (self.size(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  copy_into(alias(out, out.sizes(), strides, offset, false), self);
  return out;
};
MT_OP(OpDef{
    .schema = {"flip(Tensor self, int[] dims) -> Tensor"},
    .forms = function | method,
    .doc = "A copy with the given dimensions reversed.",
    .cpu = reversed,
    .meta = reversed,
    .grad = {wrt("self", [](Grad g, In<"dims", IntList> dims) { return op<"flip">(g, *dims); })},
});
MT_OP(OpDef{
    .schema = {"fliplr(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "A copy with the second dimension reversed.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() >= 2, "Input must be >= 2-d.");
      return op<"flip">(self, IntList{1});
    },
});
MT_OP(OpDef{
    .schema = {"flipud(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "A copy with the first dimension reversed.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() >= 1, "Input must be >= 1-d.");
      return op<"flip">(self, IntList{0});
    },
});

constexpr auto rolled = [](const Tensor& self, IntList shifts, IntList dims) -> Tensor {
  check(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1)
    return op<"view">(op<"roll">(op<"view">(op<"contiguous">(self), IntList{-1}), shifts, IntList{0}), self.sizes());
  check(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(), dims.size());
  Tensor out = op<"clone">(self, MemoryFormat::contiguous);
  for (int64_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i], self.dim()), n = self.dim() ? self.size(d) : 1;
    if (n == 0) return out;
    const int64_t start = ((-shifts[i]) % n + n) % n;
    if (start == 0) continue;
    out = op<"cat">(std::vector<Tensor>{op<"narrow">(out, d, start, n - start), op<"narrow">(out, d, 0, start)}, d);
  }
  return out;
};
MT_OP(OpDef{
    .schema = {"roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor"},
    .forms = function | method,
    .doc = "A copy with elements moved by `shifts` along `dims`, round the end.",
    .cpu = [](const Tensor& self, IntList shifts, IntList dims) -> Tensor {
      BelowAutograd guard;
      return rolled(self, shifts, dims);
    },
    .meta = [](const Tensor& self, IntList, IntList) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g, In<"shifts", IntList> shifts, In<"dims", IntList> dims) {
      Dims back(*shifts);
      for (int64_t& s : back) s = -s;
      return op<"roll">(g, back, *dims);
    })},
});

}  // namespace
}  // namespace mt
