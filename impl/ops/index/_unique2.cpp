// _unique2: the different elements, in order.
#include "rules/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto unique_flat = [](const Tensor& self, bool, bool inverse, bool counts) -> Tensors<3> {
  check(!is_complex(self.dtype()), ErrorKind::not_implemented, "\"unique\" not implemented for '{}'", self.dtype());
  BelowAutograd guard;
  auto sorted = op<"sort.stable", Tensors<2>>(op<"reshape">(self, IntList{-1}), true, 0, false);
  const Runs r = runs_of(sorted[0], inverse);
  Tensors<3> out{{op<"index_select">(sorted[0], 0, r.first), no_longs(), no_longs()}};
  if (inverse) {
    Tensor positions = op<"scatter.src">(op<"zeros">(IntList{self.numel()}, Dtype::int64), 0, sorted[1], r.run_of);
    out[1] = op<"view">(positions, self.sizes());
  }
  if (counts) out[2] = counts_of(r, self.numel());
  return out;
};

MT_OP(OpDef{
    .schema = {"_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "The different elements in order; where each element went, and how often each occurs, if asked.",
    .cpu = unique_flat,
    .npu = {"Unique2(self, sorted, return_inverse, return_counts, out=items, out=places, out=counts)"},
    .grad = {wrt("self", [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for '_unique2' is not implemented."); })},
    .no_forward = true,
});

MT_BATCH("_unique2", batch_dynamic);

}  // namespace
}  // namespace mt
