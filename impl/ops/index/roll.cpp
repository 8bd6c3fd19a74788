// roll: a copy with elements shifted by `shifts` along `dims`, cyclically.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

// Splits each shifted dimension into two parts and exchanges them.
void copy_rolled(const Tensor& to, const Tensor& from, const Dims& starts, int64_t dim) {
  while (dim < starts.size() && starts[dim] == 0) ++dim;
  if (dim == starts.size()) return copy_into(to, from);
  const int64_t n = to.size(dim), start = starts[dim];
  auto part = [&](const Tensor& t, int64_t first, int64_t count) {
    Dims sizes(t.sizes());
    sizes[dim] = count;
    return alias(t, sizes, t.strides(), t.storage_offset() + first * t.stride(dim), /*share_version=*/false);
  };
  copy_rolled(part(to, 0, n - start), part(from, start, n - start), starts, dim + 1);
  copy_rolled(part(to, n - start, start), part(from, 0, start), starts, dim + 1);
}

constexpr auto compute_roll = [](const Tensor& self, IntList shifts, IntList dims) -> Tensor {
  check(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1)
    return op<"view">(op<"roll">(op<"view">(op<"contiguous">(self), IntList{-1}), shifts, IntList{0}), self.sizes());
  check(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(), dims.size());
  if (self.numel() == 0) return op<"clone">(self, MemoryFormat::preserve);
  if (self.dim() == 0) fail(ErrorKind::index, messages::dim_of_scalar_tensor, dims[0]);
  Dims starts(self.dim(), 0);
  for (int64_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i], self.dim()), n = self.size(d);
    starts[d] = ((starts[d] - shifts[i] % n) % n + n) % n;
  }
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  copy_rolled(out, self, starts, 0);
  return out;
};

MT_OP(OpDef{
    .schema = {"roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy with the elements moved along dimensions; what passes the end comes in at the start.

Without `dims` the flattened tensor is rolled and gets its shape back.

Args:
    self (Tensor): tensor of any shape.
    shifts (int or tuple of int): how far elements move towards higher indices; negative moves back.
    dims (int or tuple of int): a dimension for each shift. Default: ``()``, the flattened tensor.

Returns:
    Tensor: a new tensor with the shape of `self`.

Raises:
    RuntimeError: when `shifts` and `dims` differ in length.

Example:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.roll(x, 1)
    tensor([[4, 1],
            [2, 3]])
    >>> torch.roll(x, 1, 0)
    tensor([[3, 4],
            [1, 2]]))",
    .cpu = [](const Tensor& self, IntList shifts, IntList dims) -> Tensor {
      BelowAutograd guard;
      return compute_roll(self, shifts, dims);
    },
    .npu = {"Roll"},
    .meta = [](const Tensor& self, IntList, IntList) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self",
                 [](Grad g, In<"shifts", IntList> shifts, In<"dims", IntList> dims) {
                   Dims back(*shifts);
                   for (int64_t& s : back) s = -s;
                   return op<"roll">(g, back, *dims);
                 })},
});

}  // namespace
}  // namespace mt
