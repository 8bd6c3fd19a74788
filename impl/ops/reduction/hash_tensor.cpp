// hash_tensor: the exclusive or of the bits of all elements (floats as double).
#include <bit>

#include "rules/form/exact_out.h"
#include "rules/reduction/reduction.h"

namespace mt {
namespace {

struct XorReducer : PlainReducer<uint64_t> {
  static uint64_t init() { return 0; }
  template <class In>
  static void step(uint64_t& acc, const In& v, int64_t) {
    if constexpr (std::is_integral_v<In>)
      acc ^= uint64_t(v);
    else
      acc ^= std::bit_cast<uint64_t>(double(ComputeType<In>(v)));
  }
  static uint64_t merge(uint64_t a, uint64_t b) { return a ^ b; }
  static uint64_t merge_wide(uint64_t a, uint64_t b) { return a ^ b; }
  static uint64_t finish(uint64_t a, int64_t) { return a; }
};

MT_OP(OpDef{
    .schema = {"hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes a hash of the elements along `dim`: their bits, joined by exclusive or.

Floats count with their bits as double, integers with those as 64 bits. The order of the elements
does not matter, and two equal ones cancel: it detects changes, but is no cryptographic hash.

Args:
    self (Tensor): any shape; not complex.
    dim (int or tuple of ints): the dimensions to reduce; all for an empty one. Default: ``()``.
    mode (int): the kind of hash; 0 is the only one. Default: ``0``.

Returns:
    Tensor: uint64, without the reduced dimensions.

Raises:
    RuntimeError: when all of an empty tensor is to be reduced, or for another `mode`.

Example:
    >>> torch.hash_tensor(torch.tensor([1, 2, 4]))
    tensor(7, dtype=torch.uint64))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, IntList dim, bool keepdim, int64_t mode) {
          check(mode == 0, "Unknown hash_tensor mode: {}", mode);
          check(!dim.empty() || self.numel() != 0,
                "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
                "argument.");
          const uint64_t mask = reduced_dims(dim, self.dim());
          for (int64_t d = 0; self.numel() == 0 && d < self.dim(); ++d)
            check(!(mask >> d & 1) || self.size(d) != 0, ErrorKind::index, "hash_tensor: Expected reduction dim {} to have non-zero size.",
                  d);
          out.add(reduced_sizes(self.sizes(), mask, keepdim), Dtype::uint64);
        },
        {.dtype_text = "Expected result to be of dtype uint64, but got {1}"}),
    .cpu =
        [](const Tensor& self, IntList dim, bool, int64_t, Tensor& out) {
          const uint64_t mask = reduced_dims(dim, self.dim());
          dispatch_real(self.dtype() == Dtype::boolean ? Dtype::uint8 : self.dtype(), "xor_sum_cpu",
                        [&]<class T>(Type<T>) { reduce<XorReducer, T, uint64_t>(self, mask, out, {}); });
        },
    .grad = not_differentiable,
    .out_policy = OutPolicy{.device_error = out_device_differs},
});

}  // namespace
}  // namespace mt
