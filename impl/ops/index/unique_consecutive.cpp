// unique_consecutive: the first element of each run of equal ones.
#include "core/dispatch_dtype.h"
#include "rules/reduction/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_unique_consecutive = [](const Tensor& self, bool inverse, bool counts, std::optional<int64_t> dim) -> Tensors<3> {
  BelowAutograd guard;
  if (dim && (*dim != 0 || self.dim() != 1)) return op<"unique_dim_consecutive", Tensors<3>>(self, *dim, inverse, counts);
  if (is_complex(self.dtype())) not_implemented_for("unique", self.dtype());
  const Tensor flat = op<"contiguous">(op<"reshape">(self, IntList{-1}));
  const Runs r = runs_of(flat, inverse);
  Tensors<3> out{{op<"index_select">(flat, 0, r.first), empty_int64(), empty_int64()}};
  if (inverse) out[1] = op<"view">(r.run_of, self.sizes());
  if (counts) out[2] = count_runs(r, self.numel());
  return out;
};

MT_OP(OpDef{
    .schema =
        {"unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Returns the first element (or slice along `dim`) of each run of equal ones.

Elements that are equal but apart stay, unlike in ``torch.unique``. It has no gradient.

Args:
    self (Tensor): tensor of any shape.
    return_inverse (bool): whether to return for each element the number of its run. Default:
        ``False``.
    return_counts (bool): whether to return the lengths of the runs. Default: ``False``.
    dim (int, optional): dimension whose slices are compared. Default: ``None``, the elements of the
        flattened tensor.

Returns:
    Tensor or tuple of Tensor: the values, then what was asked for, as int64.

Example:
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 2, 1])))",
    .cpu = compute_unique_consecutive,
    .npu = {"UniqueConsecutive(self, return_inverse, return_counts, dim?1000, out=items, out=places, out=counts)"},
    .grad = {wrt("self",
                 [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'unique_consecutive' is not implemented."); })},
    .no_forward = true,
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
