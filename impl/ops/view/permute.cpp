// permute: a view with dimensions in another order.
#include "core/messages.h"
#include "core/no_kernel.h"
#include "rules/form/algebra.h"
#include "rules/sparse/sparse_shape.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Checks a permutation, and returns it with negative dimensions wrapped.
Dims wrap_order(const Tensor& self, IntList dims) {
  check(dims.size() == self.dim(), messages::permute_coo_rank_mismatch, self.dim(), dims.size());
  Dims order(self.dim()), seen(self.dim(), 0);
  for (int64_t i = 0; i < dims.size(); ++i) {
    order[i] = wrap_dim(dims[i], self.dim());
    check(!seen[order[i]], messages::permute_duplicate_dims);
    seen[order[i]] = 1;
  }
  return order;
}

constexpr auto permute_tensor = [](const Tensor& self, IntList dims) -> Tensor {
  const Dims order = wrap_order(self, dims);
  Dims sizes(self.dim()), strides(self.dim());
  for (int64_t i = 0; i < order.size(); ++i) {
    sizes[i] = self.size(order[i]);
    strides[i] = self.stride(order[i]);
  }
  return alias(self, sizes, strides, self.storage_offset());
};
Dims invert_order(IntList dims) {
  Dims out(dims.size());
  for (int64_t i = 0; i < dims.size(); ++i) out[dims[i] < 0 ? dims[i] + dims.size() : dims[i]] = i;
  return out;
}

void batch_permute(const BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  Dims dims{0};
  for (int64_t d : c.ints(1)) dims.push_back(wrap_dim(d, rank) + 1);
  c.set_result(0, op<"permute">(c.front(0), dims));
}

MT_OP(OpDef{
    .schema = {"permute(Tensor(a) self, int[] dims) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view with the dimensions in the order `dims`.

Dimension i of the result is dimension ``dims[i]`` of `self`. No element moves: only sizes and
strides are exchanged, so the view is rarely contiguous.

Args:
    self (Tensor): tensor of any shape.
    dims (tuple of int): each dimension once; negative ones count from the last.

Returns:
    Tensor: a view.

Raises:
    RuntimeError: when `dims` does not name each dimension exactly once.

Example:
    >>> x = torch.zeros(2, 3, 5)
    >>> torch.permute(x, (2, 0, 1)).shape
    torch.Size([5, 2, 3]))",
    .view = permute_tensor,
    .sparse = [](const Tensor& self, IntList dims) -> Tensor { return sparse_permute(self, dims); },
    .compressed = [](const Tensor& self, IntList dims) -> Tensor {
      wrap_order(self, dims);
      fail_without_kernel("aten::as_strided", "SparseCsrCPU", "");
    },
    .grad = {wrt("self", [](Grad g, In<"dims", IntList> dims) { return op<"permute">(g, invert_order(*dims)); })},
    .batch = batch_permute,
});

}  // namespace
}  // namespace mt
