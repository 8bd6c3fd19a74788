// _local_scalar_dense: the element of a one-element tensor as a number; item() calls it below autograd.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/pointwise/conversion.h"
#include "rules/sparse/sparse.h"

namespace mt {

Scalar read_single_element(Tensor t) {
  check(!t.is_meta(), messages::item_of_meta_tensor);
  check(t.numel() > 0, "_local_scalar_dense: Empty tensor not supported");
  if (!t.device().is_cpu()) {
    const Tensor here = on_host(alias(t, {}, {}, t.storage_offset()));
    here->conj = t.is_conj();
    here->neg = t.is_neg();
    t = here;
  }
  Value value = Scalar::load(t.dtype(), t.data()).to_value();
  if (t.is_conj() && value.tag == MT_TAG_COMPLEX) value.as.c[1] = -value.as.c[1];
  if (t.is_neg()) {
    if (value.tag == MT_TAG_COMPLEX) value.as.c[0] = -value.as.c[0], value.as.c[1] = -value.as.c[1];
    if (value.tag == MT_TAG_DOUBLE) value.as.d = -value.as.d;
    if (value.tag == MT_TAG_INT) value.as.i = int64_t(-uint64_t(value.as.i));
  }
  return Scalar::of_value(value);
}

namespace {

MT_OP(OpDef{
    .schema = {"_local_scalar_dense(Tensor self) -> Scalar"},
    .forms = internal,
    .doc = "Returns the element of a tensor that has only one, as a number; ``Tensor.item`` calls it.",
    .cpu = [](const Tensor& self) -> Scalar { return read_single_element(self); },
    .npu = {any_device},
    .meta = [](const Tensor& self) -> Scalar { return read_single_element(self); },
    .sparse = [](const Tensor& self) -> Scalar {
      if (nnz(self) == 0) return Scalar(0);
      BelowAutograd guard;
      return read_single_element(op<"sum">(components_of(self).values));  // a sum of bools counts them
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
