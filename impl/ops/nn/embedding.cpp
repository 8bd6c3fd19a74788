// embedding: rows of a table, by index.
#include "rules/index/rows_by_index.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_embedding = [](const Tensor& weight, const Tensor& indices, int64_t, bool, bool) -> Tensor {
  check(weight.dim() == 2, "'weight' must be 2-D");
  check_is_index(indices, 1, "embedding");
  Dims sizes(indices.sizes());
  sizes.push_back(weight.size(1));
  Tensor out = empty(sizes, weight.dtype(), weight.device());
  if (out.is_meta()) return out;
  gather_rows(dense(weight), dense_as(indices, Dtype::int64), out);
  return out;
};

// vmap: if the weights are batched, each batch entry gathers rows from its own table.
void batch_embedding(const BatchCall& c) {
  if (!c.batch(0)) return c.set_result(0, op<"embedding">(c.tensor(0), c.front(1), c.args[2], c.args[3], c.args[4]));
  const Tensor weight = c.front(0);
  if (weight.dim() != 3 || c.args[3].as.i) return batch_looped(c);  // counts of indices are those of one table
  const Tensor indices = c.expanded(1);
  const int64_t count = c.tensor(1).numel(), width = weight.size(2), padding = c.integer(2);
  const Tensor places = op<"expand">(op<"reshape">(indices, IntList{c.size, count, 1}), IntList{c.size, count, width});
  Tensor rows = op<"gather">(weight, 1, op<"to.dtype">(places, Dtype::int64));
  if (padding >= 0) rows = op<"where.self">(op<"eq">(places, padding), op<"detach">(rows), rows);
  Dims sizes(indices.sizes());
  sizes.push_back(width);
  c.set_result(0, op<"view">(rows, sizes));
}

MT_OP(OpDef{
    .schema =
        {"embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor"},
    .forms = function,
    .doc = R"(Looks up rows of a table by index.

The gradient of the table adds up the gradients of each use of a row, in the order of `indices`.
``torch.nn.functional.embedding`` takes `input` first and can limit norms.

Args:
    weight (Tensor): table; shape ``(V, D)``.
    indices (Tensor): int64 or int32 indices in ``[0, V)``; any shape.
    padding_idx (int): row whose gradient stays zero; -1 for none. Default: ``-1``.
    scale_grad_by_freq (bool): whether a row's gradient is divided by its number of uses. Default:
        ``False``.
    sparse (bool): whether the gradient is a sparse COO tensor. Default: ``False``.

Returns:
    Tensor: shape ``(*indices.shape, D)``, dtype of `weight`.

Raises:
    IndexError: when an index is out of range (negative ones are too).
    RuntimeError: when `weight` is not a matrix or `indices` has another dtype.

Example:
    >>> torch.embedding(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1, 0, 1]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]]))",
    .cpu = compute_embedding,
    .npu = {"Embedding(weight, indices)"},
    .meta = compute_embedding,
    .grad = {wrt("weight",
                 [](Grad g, In<"indices"> indices, MetaOf<"weight"> weight, In<"padding_idx", int64_t> padding,
                    In<"scale_grad_by_freq", bool> scale, In<"sparse", bool> sparse) {
                   return op<"embedding_backward">(g, indices, weight.sizes[0], *padding, *scale, *sparse);
                 })},
    .batch = batch_embedding,
});

}  // namespace
}  // namespace mt
