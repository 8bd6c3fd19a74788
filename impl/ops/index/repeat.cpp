// repeat: repeats the tensor `repeats` times along each dimension.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

void check_rank(const Tensor& self, IntList repeats) {
  check(repeats.size() >= self.dim(), "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
}

constexpr auto compute_repeat = [](const Tensor& self, IntList repeats) -> Tensor {
  check_rank(self, repeats);
  BelowAutograd guard;
  const int64_t extra = repeats.size() - self.dim();
  Dims wide, expanded, shape;
  for (int64_t d = 0; d < repeats.size(); ++d) {
    const int64_t size = d < extra ? 1 : self.size(d - extra);
    wide.push_back(1), wide.push_back(size);
    check(repeats[d] >= 0 || !self.device().is_meta(), "Repeats cannot be negative, found {} at index {}", repeats[d], d);
    expanded.push_back(std::max<int64_t>(repeats[d], 0)), expanded.push_back(size);  // a size of 0 hides a negative number
    shape.push_back(repeats[d] * size);
  }
  for (int64_t size : shape) check(size >= 0, messages::negative_size_in, size, IntList(shape));
  Tensor copies = op<"expand">(op<"reshape">(self, wide), expanded);
  return op<"reshape">(op<"clone">(copies, MemoryFormat::contiguous), shape);
};

// Each element occurs once in every copy, so the gradient is the sum over copies.
Tensor sum_gradients_of_copies(const Tensor& grad, IntList sizes, IntList repeats) {
  const int64_t extra = repeats.size() - sizes.size();
  Dims apart, copies;
  for (int64_t d = 0; d < repeats.size(); ++d) {
    copies.push_back(2 * d);
    apart.push_back(repeats[d]), apart.push_back(d < extra ? 1 : sizes[d - extra]);
  }
  if (repeats.empty()) return grad;
  return op<"reshape">(op<"sum.dim_IntList">(op<"reshape">(grad, apart), copies), sizes);
}

void batch_repeat(const BatchCall& c) {
  Dims repeats{1};
  for (int64_t r : c.ints(1)) repeats.push_back(r);
  c.set_result(0, op<"repeat">(c.padded(c.tensor(0), c.ints(1).size()), repeats));
}

MT_OP(OpDef{
    .schema = {"repeat(Tensor self, SymInt[] repeats) -> Tensor"},
    .forms = method,
    .doc = R"(Copies the tensor `repeats` times along each dimension.

With more numbers than dimensions the first ones make new leading dimensions. ``Tensor.expand``
repeats dimensions of size 1 without a copy; ``torch.tile`` takes fewer numbers than dimensions.

Args:
    self (Tensor): tensor of any shape.
    repeats (int...): how often, for each dimension, as separate numbers or one tuple.

Returns:
    Tensor: a new tensor; each size is multiplied.

Raises:
    RuntimeError: when there are fewer numbers than dimensions or one is negative.

Example:
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]]))",
    .cpu = compute_repeat,
    .npu = {any_device},
    .meta = compute_repeat,
    .sparse = [](const Tensor& self, IntList repeats) -> Tensor {
      check_rank(self, repeats);
      fail(messages::expand_of_sparse);
    },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self,
                            In<"repeats", IntList> repeats) { return sum_gradients_of_copies(g, self.sizes, *repeats); })},
    .batch = batch_repeat,
});

}  // namespace
}  // namespace mt
