// squeeze: removes dimensions of size 1.
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

Tensor drop_dims(const Tensor& self, IntList dims, bool all) {
  Dims sizes, strides, named(self.dim() ? self.dim() : 1, all ? 1 : 0);
  for (int64_t d : dims) named[wrap_dim(d, self.dim())] = 1;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) == 1 && named[d]) continue;
    sizes.push_back(self.size(d));
    strides.push_back(self.stride(d));
  }
  return alias(self, sizes, strides, self.storage_offset());
}

// Restores the dimensions that squeeze removed.
Tensor reshape_to_sizes(const Tensor& g, IntList sizes) { return op<"reshape">(g, sizes); }

// vmap: never drops the mapped dimension, even if its size is 1.
void batch_squeeze(const BatchCall& c) {
  const Tensor& self = c.tensor(0);
  Dims dims;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (self.size(d) == 1) dims.push_back(d + 1);
  if (c.op.n_args == 2) {
    Dims named;
    if (c.args[1].tag == MT_TAG_INT)
      named.push_back(c.integer(1));
    else
      named = Dims(c.ints(1));
    dims = Dims();
    for (int64_t d : named) {
      d = wrap_dim(d, self.dim());
      if (self.dim()) dims.push_back(d + 1);
    }
  }
  c.set_result(0, dims.empty() ? op<"alias">(c.front(0)) : op<"squeeze.dims">(c.front(0), dims));
}

MT_OP(OpDef{
    .schema = {"squeeze(Tensor(a) self) -> Tensor(a)", "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
               "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)"},
    .forms = function | method | inplace,
    .doc = R"(Returns a view without the dimensions of size 1, or without those of `dim` that have size 1.

A dimension of `dim` that has another size stays. Without `dim` a batch of one element loses its
batch dimension too: name the dimensions in programs for batches.

Args:
    self (Tensor): tensor of any shape.
    dim (int or tuple of int, optional): dimensions that may go; negative ones count from the last.

Returns:
    Tensor: a view; the in-place form changes the shape of `self`.

Example:
    >>> x = torch.zeros(2, 1, 3, 1)
    >>> torch.squeeze(x).shape, torch.squeeze(x, 1).shape, torch.squeeze(x, 0).shape
    (torch.Size([2, 3]), torch.Size([2, 3, 1]), torch.Size([2, 1, 3, 1])))",
    .view = [](const Tensor& self) -> Tensor { return drop_dims(self, {}, true); },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return reshape_to_sizes(g, self.sizes); })},
    .batch = batch_squeeze,
    .overloads = {overload("dim", {.view = [](const Tensor& self, int64_t dim) -> Tensor { return drop_dims(self, {dim}, false); },
                                   .grad_name = "SqueezeBackward1"}),
                  overload("dims", {.view = [](const Tensor& self, IntList dims) -> Tensor { return drop_dims(self, dims, false); },
                                    .grad_name = "SqueezeBackward2"})},
});

}  // namespace
}  // namespace mt
