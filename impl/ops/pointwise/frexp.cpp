// frexp: mantissas in [1/2, 1) and binary exponents.
#include <cmath>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "cpu/copy/nest.h"
#include "cpu/threads/parallel.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_frexp_shape = [](Specs& out, const Tensor& self) {
  check(is_floating(self.dtype()), messages::frexp_needs_floating);
  const bool dense = self.is_non_overlapping_and_dense();
  for (Dtype dtype : {self.dtype(), Dtype::int32}) {
    if (dense)
      out.add_strided(self.sizes(), self.strides(), dtype);
    else
      out.add(self.sizes(), dtype);
  }
};
constexpr auto compute_frexp = [](const Tensor& self, Tensor& mantissa, Tensor& exponent) {
  if (self.numel() == 0) return;
  cpu::Nest nest(self.sizes());
  nest.add(mantissa.data(), mantissa.itemsize(), mantissa.strides());
  nest.add(exponent.data(), exponent.itemsize(), exponent.strides());
  nest.add(self.data(), self.itemsize(), self.strides());
  nest.finish();
  dispatch_floating(self.dtype(), "frexp_cpu", [&]<class T>(Type<T>) {
    cpu::parallel_for(0, self.numel(), 16384, [&](int64_t begin, int64_t end) {
      nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const auto x = ComputeType<T>(*reinterpret_cast<const T*>(data[2] + i * strides[2]));
          int power = 0;
          *reinterpret_cast<T*>(data[0] + i * strides[0]) = T(std::frexp(x, &power));
          *reinterpret_cast<int32_t*>(data[1] + i * strides[1]) = power;
        }
      });
    });
  });
};

MT_OP(OpDef{
    .schema = {"frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)"},
    .forms = function | method,
    .doc = R"(Splits each element into a mantissa and a power of two: x = mantissa * 2 ** exponent.

Mantissas have an absolute value in [0.5, 1); zero gives mantissa and exponent 0, infinities and
NaN themselves with exponent 0. The gradient of the mantissa is 2 ** -exponent.

Args:
    self (Tensor): any shape; floating.

Returns:
    tuple of Tensor: ``mantissa``, with the dtype of `self`, and ``exponent``, int32; both with
        the shape of `self`.

Raises:
    RuntimeError: when `self` is not floating.

Example:
    >>> mantissa, exponent = torch.frexp(torch.tensor([6.0, 0.25, -1.0]))
    >>> mantissa
    tensor([ 0.7500,  0.5000, -0.5000])
    >>> exponent
    tensor([ 3, -1,  1], dtype=torch.int32))",
    .rule = structured(infer_frexp_shape),
    .cpu = compute_frexp,
    .grad = {wrt("self", [](Grad g, Out<"exponent"> exponent) { return g / op<"exp2">(exponent); })},
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"frexp.Tensor_out(Tensor self, *, Tensor(a!) mantissa, Tensor(b!) exponent) -> (Tensor(a!) mantissa, Tensor(b!) exponent)"},
    .forms = out,
    .doc = R"(Writes mantissas in [0.5, 1) and binary exponents into two tensors.

`exponent` has to be int32.)",
    .cpu = [](const Tensor& self, const Tensor& mantissa, const Tensor& exponent) -> Tensors<2> {
      BelowAutograd guard;
      check(is_floating(self.dtype()), messages::frexp_needs_floating);
      check(mantissa.dtype() == self.dtype(), "torch.frexp() expects mantissa to have dtype {} but got {}", ScalarName(self.dtype()),
            ScalarName(mantissa.dtype()));
      check(exponent.dtype() == Dtype::int32, "torch.frexp() expects exponent to have int dtype but got {}", ScalarName(exponent.dtype()));
      auto made = op<"frexp", Tensors<2>>(self);
      resize_output(mantissa, self.sizes());
      resize_output(exponent, self.sizes());
      copy_into(mantissa, made[0]);
      copy_into(exponent, made[1]);
      return {{mantissa, exponent}};
    },
});

}  // namespace
}  // namespace mt
