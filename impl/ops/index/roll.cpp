// roll: a copy with elements moved by `shifts` along `dims`, round the end.
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

constexpr auto rolled = [](const Tensor& self, IntList shifts, IntList dims) -> Tensor {
  check(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1)
    return op<"view">(op<"roll">(op<"view">(op<"contiguous">(self), IntList{-1}), shifts, IntList{0}), self.sizes());
  check(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(), dims.size());
  if (self.numel() == 0) return op<"clone">(self, MemoryFormat::preserve);
  if (self.dim() == 0) fail(ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", dims[0]);
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
    .npu = {"Roll"},
    .meta = [](const Tensor& self, IntList, IntList) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g, In<"shifts", IntList> shifts, In<"dims", IntList> dims) {
      Dims back(*shifts);
      for (int64_t& s : back) s = -s;
      return op<"roll">(g, back, *dims);
    })},
});

}  // namespace
}  // namespace mt
