// real: the real part as a view; real tensors as they are.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"real(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = "The real part as a view; real tensors as they are.",
    .composite = [](const Tensor& self) -> Tensor {
      if (!is_complex(self.dtype())) return self;
      return op<"select">(op<"view_as_real">(self.is_conj() ? op<"_conj">(self) : self), -1, 0);
    },
});

}  // namespace
}  // namespace mt
