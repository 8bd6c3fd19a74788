// chain_matmul: linalg_multi_dot's older form.
#include "core/warn_once.h"
#include "dispatch/autocast.h"
#include "rules/rule.h"

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
    .doc = "linalg_multi_dot's older form, of one or more matrices.",
    .composite = [](TensorList matrices) -> Tensor {
      check_matrices(matrices);
      return matrices.size() == 1 ? matrices[0] : op<"linalg_multi_dot">(matrices);
    },
    .autocast = on_npu(Autocast::lower_precision),
});
MT_OP(OpDef{
    .schema = {"chain_matmul.out(Tensor[] matrices, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The same into `out`.",
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
