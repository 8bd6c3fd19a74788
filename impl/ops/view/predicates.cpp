// is_floating_point, is_complex, is_signed, is_conj, is_neg, is_same_size: questions about a tensor.
#include "rules/algebra.h"

namespace mt {
namespace {

bool has_no_negatives(Dtype d) {
  return d == Dtype::boolean || d == Dtype::uint8 || d == Dtype::uint16 || d == Dtype::uint32 || d == Dtype::uint64;
}

MT_OP(OpDef{
    .schema = {"is_floating_point(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the dtype is a floating one.",
    .composite = [](const Tensor& self) -> bool { return is_floating(self.dtype()); },
});
MT_OP(OpDef{
    .schema = {"is_complex(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the dtype is complex.",
    .composite = [](const Tensor& self) -> bool { return is_complex(self.dtype()); },
});
MT_OP(OpDef{
    .schema = {"is_signed(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the dtype has negative numbers.",
    .composite = [](const Tensor& self) -> bool { return !has_no_negatives(self.dtype()); },
});
MT_OP(OpDef{
    .schema = {"is_conj(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the tensor is a lazy conjugate.",
    .composite = [](const Tensor& self) -> bool { return self.is_conj(); },
});
MT_OP(OpDef{
    .schema = {"is_neg(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the tensor is a lazy negative.",
    .composite = [](const Tensor& self) -> bool { return self.is_neg(); },
});
MT_OP(OpDef{
    .schema = {"is_same_size(Tensor self, Tensor other) -> bool"},
    .forms = function | method,
    .doc = "Whether two tensors have the same shape.",
    .composite = [](const Tensor& self, const Tensor& other) -> bool {
      return self.sizes() == other.sizes();
    },
});

}  // namespace
}  // namespace mt
