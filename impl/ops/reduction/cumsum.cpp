// cumsum: running sums along a dimension.
#include "rules/form/checked.h"
#include "rules/reduction/running_sums.h"
#include "rules/reduction/scan.h"

namespace mt {
namespace {

// Sums each line element by element; the running total of a float line is kept in double.
template <class T>
void cumsum_lines(const Tensor& self, const Tensor& out, int64_t dim) {
  using C = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;
  scan<T, T>(self, out, dim, C(0), [](C& total, const T& x, int64_t, T& to) {
    total = total + C(x);
    to = T(total);
  });
}

MT_OP(OpDef{
    .schema = {"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes running sums along `dim`: y[k] = x[0] + ... + x[k].

The gradient is the running sum from the other end.

Args:
    self (Tensor): any shape and dtype.
    dim (int): the dimension to run along.
    dtype (torch.dtype, optional): sums in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: the shape of `self`.

Example:
    >>> torch.cumsum(torch.tensor([[1, 2, 3], [4, 5, 6]]), dim=1)
    tensor([[ 1,  3,  6],
            [ 4,  9, 15]]))",
    .rule = rule_in_target_dtype(structured([](Specs& out, const Tensor& self, int64_t dim, std::optional<Dtype> dtype) {
      wrap_dim(dim, self.dim());
      out.add(self.sizes(), dtype ? *dtype : is_integral(self.dtype(), true) ? Dtype::int64 : self.dtype());
    })),
    .cpu =
        [](const Tensor& given, int64_t dim, std::optional<Dtype>, Tensor& out) {
          Tensor self = given;
          if (given.dtype() != out.dtype()) {
            self = empty(given.sizes(), out.dtype());
            copy_into(self, given);
          }
          dispatch_numbers_and_unsigned(out.dtype(), "cumsum_out_cpu", [&]<class T>(Type<T>) {
            constexpr bool is_common = std::is_same_v<T, int64_t> || std::is_floating_point_v<ComputeType<T>>;
            if (is_common && self.numel() > 0 && self.is_contiguous() && out.is_contiguous()) {
              const int64_t d = wrap_dim(dim, self.dim()), last = std::max<int64_t>(self.dim(), 1) - 1;
              if constexpr (is_common)
                if (d == last) return sum_rows<T>(self, out);
              if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
                const int64_t columns = product(IntList(self.sizes().data + d + 1, last - d));
                if (self.size(d) * columns >= 64) return sum_columns<T>(self, out, self.size(d), columns);
              }
            }
            cumsum_lines<Wrapping<T>>(self, out, wrap_dim(dim, self.dim()));
          });
        },
    .npu = {"Cumsum(self, dim, dtype)"},
    .autocast = Autocast::fp32 | on_npu(fp32_dtype),
    .grad = {wrt("self",
                 [](Grad g, In<"dim", int64_t> dim) {
                   return op<"flip">(op<"cumsum">(op<"flip">(g, IntList{*dim}), *dim), IntList{*dim});
                 })},
});

}  // namespace
}  // namespace mt
