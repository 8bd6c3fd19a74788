// einsum: sums of products by an equation of subscripts.
#include "rules/matmul/einsum.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto compute_einsum = [](Text equation, TensorList tensors, std::optional<IntList> path) -> Tensor {
  Equation e = parse_equation(equation, tensors.size());
  const EinsumPlan p = plan_contraction(e, tensors);
  std::vector<Tensor> left;
  for (int64_t i = 0; i < tensors.size(); ++i) left.push_back(align_operand(tensors[i], e.inputs[i], p, i));
  check_sizes(left, p);
  check(!path || path->size() == (tensors.size() == 1 ? 1 : 2 * (tensors.size() - 1)),
        "einsum(): expected contraction path given in path parameter to have size {} but got {}",
        tensors.size() == 1 ? 1 : 2 * (tensors.size() - 1), path ? path->size() : 0);
  for (int64_t step = 0; left.size() > 1; ++step) {
    int64_t i = path ? (*path)[2 * step] : 0, j = path ? (*path)[2 * step + 1] : 1;
    if (i > j) std::swap(i, j);
    check(i >= 0 && i != j && j < int64_t(left.size()), "einsum(): invalid contraction ({}, {})", i, j);
    Tensor a = left[i], b = left[j];
    left.erase(left.begin() + j);
    left.erase(left.begin() + i);
    std::vector<int64_t> dims;
    for (int64_t d = p.results; d < p.total; ++d) {
      bool last = true;
      for (const Tensor& t : left) last = last && t.size(d) == 1;
      if (last) dims.push_back(d);
    }
    left.insert(path ? left.end() : left.begin(), contract_pair(a, b, dims));
  }
  Dims rest;
  for (int64_t d = p.results; d < p.total; ++d) rest.push_back(d);
  if (rest.empty()) return left[0];
  if (tensors.size() == 1) return op<"sum.dim_IntList">(left[0], rest, false);
  // Contracted dimensions remain with size 1.
  return op<"view">(left[0], IntList(left[0].sizes().data, p.results));
};

MT_OP(OpDef{
    .schema = {"einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"},
    .forms = function,
    .doc = R"(Sums products of the tensors' elements as an equation of subscripts says.

Each tensor's dimensions are named by letters, the tensors' names separated by commas: the
products of elements with equal indices are summed over all letters that the result does not
have. ``->`` is followed by the result's letters; without it these are the letters that occur
once, in alphabetical order. ``...`` stands for further dimensions, which broadcast. Sizes of 1
broadcast, too; spaces do not count.

Args:
    equation (str): the subscripts, as ``"ij,jk->ik"`` for the matrix product.
    tensors (Tensor...): the operands, in Python as further arguments.
    path (tuple of ints, optional): pairs of operands in the order in which to contract them; the
        result of each goes to the end. Default: from the left.

Returns:
    Tensor: with the dimensions that the equation names.

Raises:
    RuntimeError: when the equation is wrong or does not fit the shapes.

Example:
    >>> a, b = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [1, 1]])
    >>> torch.einsum("ij,jk->ik", a, b)
    tensor([[3, 2],
            [7, 4]])
    >>> torch.einsum("ii->", a)
    tensor(5)
    >>> torch.einsum("bij->bji", torch.ones(2, 3, 4)).shape
    torch.Size([2, 4, 3]))",
    .composite = compute_einsum,
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
