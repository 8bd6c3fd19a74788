// unique_consecutive: the first element of each run of equal ones.
#include "core/dispatch_dtype.h"
#include "rules/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto consecutive = [](const Tensor& self, bool inverse, bool counts, std::optional<int64_t> dim) -> Tensors<3> {
  BelowAutograd guard;
  if (dim && (*dim != 0 || self.dim() != 1)) return op<"unique_dim_consecutive", Tensors<3>>(self, *dim, inverse, counts);
  if (is_complex(self.dtype())) not_implemented_for("unique", self.dtype());
  const Tensor flat = op<"contiguous">(op<"reshape">(self, IntList{-1}));
  const Runs r = runs_of(flat, inverse);
  Tensors<3> out{{op<"index_select">(flat, 0, r.first), no_longs(), no_longs()}};
  if (inverse) out[1] = op<"view">(r.run_of, self.sizes());
  if (counts) out[2] = counts_of(r, self.numel());
  return out;
};

MT_OP(OpDef{
    .schema =
        {"unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "The first element of each run of equal elements.",
    .cpu = consecutive,
    .npu = {"UniqueConsecutive(self, return_inverse, return_counts, dim?1000, out=items, out=places, out=counts)"},
    .grad = {wrt("self",
                 [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'unique_consecutive' is not implemented."); })},
    .no_forward = true,
});

MT_BATCH("unique_consecutive", batch_dynamic);

}  // namespace
}  // namespace mt
