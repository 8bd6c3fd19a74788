// _is_all_true, _is_any_true: all and any for bool tensors only.
#include "rules/form/algebra.h"

namespace mt {
namespace {

void check_bool(const Tensor& self, int line) {
  check(self.dtype() == Dtype::boolean,
        "self.scalar_type() == at::kBool INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp\":{}, please "
        "report a bug to PyTorch. ",
        line);
}

MT_OP(OpDef{
    .schema = {"_is_all_true(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests whether every element of a bool tensor is True.

It is all, restricted to bool.)",
    .composite = [](const Tensor& self) -> Tensor {
      check_bool(self, 2144);
      return op<"all">(self);
    },
});
MT_OP(OpDef{
    .schema = {"_is_any_true(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests whether an element of a bool tensor is True.

It is any, restricted to bool.)",
    .composite = [](const Tensor& self) -> Tensor {
      check_bool(self, 2148);
      return op<"any">(self);
    },
});

}  // namespace
}  // namespace mt
