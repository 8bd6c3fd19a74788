// block_diag: a matrix with the given matrices along its diagonal.
#include <vector>

#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// The numbers of rows and columns of a block: a 0-dim or 1-d tensor counts as one row.
struct BlockSize {
  int64_t rows, columns;
};
BlockSize block_size_of(IntList sizes) {
  switch (sizes.size()) {
    case 0: return {1, 1};
    case 1: return {1, sizes[0]};
    default: return {sizes[0], sizes[1]};
  }
}

constexpr auto compute_block_diag = [](TensorList tensors) -> Tensor {
  if (tensors.empty()) return empty({1, 0}, default_dtype());
  BelowAutograd guard;
  int64_t rows = 0, columns = 0;
  Dtype dtype = tensors[0].dtype();
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    check(t.dim() <= 2, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {} has {} dimensions", i, t.dim());
    const BlockSize b = block_size_of(t.sizes());
    rows += b.rows;
    columns += b.columns;
    dtype = promote(dtype, t.dtype());
  }
  Tensor out = op<"zeros">(IntList{rows, columns}, dtype, nullptr, tensors[0].device());
  int64_t row = 0, column = 0;
  for (const Tensor& t : tensors) {
    const BlockSize b = block_size_of(t.sizes());
    op<"copy_">(op<"narrow">(op<"narrow">(out, 0, row, b.rows), 1, column, b.columns), op<"expand">(t, IntList{b.rows, b.columns}));
    row += b.rows;
    column += b.columns;
  }
  return out;
};

void check_devices(const Call& call) {
  const TensorList tensors = Unbox<TensorList>::from(call.args[0]);
  for (int64_t i = 1; i < tensors.size(); ++i)
    check(tensors[i].device() == tensors[0].device(),
          "Input tensors must all be on the same device. Input 0 is on device {} and input {} is on device {}.", tensors[0].device(), i,
          tensors[i].device());
}

MT_OP(OpDef{
    .schema = {"block_diag(Tensor[] tensors) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a matrix with the given matrices along its diagonal and zeros elsewhere.

Vectors and tensors without dimensions count as one row. Dtypes are promoted.

Args:
    tensors (Tensor...): tensors with at most two dimensions, all on one device.

Returns:
    Tensor: a matrix with the sums of all rows and of all columns.

Raises:
    RuntimeError: when a tensor has more than two dimensions or devices differ.

Example:
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]]))",
    .rule = rule_after_check(check_devices),
    .cpu = compute_block_diag,
    .npu = {any_device},
    .meta = compute_block_diag,
    .grad = {wrt("tensors",
                 [](Grad g, MetaListOf<"tensors"> tensors) {
                   std::vector<Tensor> out;
                   int64_t row = 0, column = 0;
                   for (const TensorMeta& m : tensors.list) {
                     const BlockSize b = block_size_of(m.sizes);
                     const Tensor part = op<"narrow">(op<"narrow">(g, 0, row, b.rows), 1, column, b.columns);
                     const Tensor own = is_complex(part.dtype()) && !is_complex(m.dtype) ? op<"real">(part) : part;
                     out.push_back(op<"reshape">(own, IntList(m.sizes)));
                     row += b.rows;
                     column += b.columns;
                   }
                   return out;
                 })},
});

}  // namespace
}  // namespace mt
