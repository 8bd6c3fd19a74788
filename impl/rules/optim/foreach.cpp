// Reads numbers that are packed in a tensor.
#include "rules/optim/foreach.h"

#include "rules/reduction/rows.h"

namespace mt {

std::vector<Scalar> unpack_scalars(const Tensor& packed, int64_t count) {
  check(packed.device().is_cpu(), "Expected scalars to be on CPU, got {} instead.", packed.device());
  check(packed.is_contiguous(), "Expected scalars to be contiguous.");
  check(packed.dim() == 1, "Expected packed scalar Tensor to be of dimension 1. Got {} instead.", packed.dim());
  check(packed.numel() == count, "Expected length of scalars to match input of length {} but got {} instead.", count, packed.numel());
  std::vector<Scalar> out;
  dispatch_all(packed.dtype(), "unpack_scalars", [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (is_complex_type<T>)
        out.push_back(Scalar(Complex<double>(packed.data<T>()[i].re, packed.data<T>()[i].im)));
      else if constexpr (std::is_integral_v<T>)
        out.push_back(Scalar(int64_t(packed.data<T>()[i])));
      else
        out.push_back(Scalar(double(ComputeType<T>(packed.data<T>()[i]))));
    }
  });
  return out;
}

}  // namespace mt
