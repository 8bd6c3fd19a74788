// t: the transpose of a matrix.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_shape.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto transpose_tensor = [](const Tensor& self) -> Tensor {
  check(self.dim() <= 2, messages::t_of_higher_rank, self.dim());
  Dims sizes(self.sizes()), strides(self.strides());
  if (self.dim() == 2) {
    std::swap(sizes[0], sizes[1]);
    std::swap(strides[0], strides[1]);
  }
  return alias(self, sizes, strides, self.storage_offset());
};

void check_inplace_rank(const Call& call) {
  const int64_t rank = Unbox<Tensor>::from(call.args[0]).dim();
  check(call.op.form != Form::inplace || rank <= 2, "t_() expects a tensor with <= 2 dimensions, but self is {}D", rank);
}

void batch_t(const BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  check(rank <= 2, messages::t_of_higher_rank, rank);
  c.set_result(0, rank == 2 ? op<"transpose">(c.front(0), 1, 2) : op<"alias">(c.front(0)));
}

MT_OP(OpDef{
    .schema = {"t(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method | inplace,
    .doc = R"(Returns the transpose of a matrix as a view; vectors and tensors without dimensions as they are.

Args:
    self (Tensor): tensor with at most two dimensions.

Returns:
    Tensor: a view of shape ``(n, m)`` of an ``(m, n)`` matrix.

Raises:
    RuntimeError: when `self` has more than two dimensions.

Example:
    >>> torch.t(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]]))",
    .rule = rule_after_check(check_inplace_rank),
    .view = transpose_tensor,
    .sparse = [](const Call& call, const Tensor& self) -> Tensor {
      check(sparse_dim(self) <= 2 && dense_dim(self) == 0,
            "{}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {} sparse and {} dense dimensions", call.op.schema.name,
            sparse_dim(self), dense_dim(self));
      return sparse_transpose(self, 0, self.dim() < 2 ? 0 : 1);
    },
    .compressed = [](const Call& call, const Tensor& self) -> Tensor {
      const bool in_place = call.op.form == Form::inplace;
      check(self.dim() <= 2, "{}() expects a tensor with <= 2 dimensions, but self is {}D", in_place ? "t_" : "t", self.dim());
      check(!in_place, messages::transpose_in_place_of_layout, name_of(self.layout()));
      return compressed_transpose(self, 0, 1);
    },
    .grad = {wrt("self", [](Grad g) { return op<"t">(g); })},
    .batch = batch_t,
});

}  // namespace
}  // namespace mt
