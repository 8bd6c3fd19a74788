// chain_matmul: the older form of linalg_multi_dot.
#include "core/warn_once.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

void check_matrices(TensorList matrices) {
  static std::atomic<bool> warned;
  warn_once(warned,
            "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which "
            "accepts a list of two or more tensors rather than multiple parameters.");
  for (const Tensor& m : matrices) check(m.dim() == 2, "Tensor dimension is {}, expected 2 instead.", m.dim());
  check(matrices.size() > 0, "chain_matmul(): Expected one or more matrices");
}

MT_OP(OpDef{
    .schema = {"chain_matmul(Tensor[] matrices) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the product of one or more matrices in the order that costs least.

Deprecated: `torch.linalg.multi_dot` is the newer form.

Args:
    matrices (Tensor...): matrices whose neighbouring sizes match, as arguments of their own in
        Python.

Returns:
    Tensor: the product; a single matrix is returned itself.

Raises:
    RuntimeError: when an argument is no matrix, or there is none.

Example:
    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1))
    tensor([[12.],
            [12.]]))",
    .composite = [](TensorList matrices) -> Tensor {
      check_matrices(matrices);
      return matrices.size() == 1 ? matrices[0] : op<"linalg_multi_dot">(matrices);
    },
    .autocast = on_npu(Autocast::lower_precision),
});
MT_OP(OpDef{
    .schema = {"chain_matmul.out(Tensor[] matrices, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the product of one or more matrices into `out`.",
    .composite = [](TensorList matrices, const Tensor& out) -> Tensor {
      check_matrices(matrices);
      if (matrices.size() > 1) return op<"linalg_multi_dot.out">(matrices, out);
      resize_output(out, matrices[0].sizes());
      return op<"copy_">(out, matrices[0]);
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
