// cumprod: running products along a dimension.
#include "core/backend.h"
#include "rules/form/checked.h"
#include "rules/reduction/scan.h"

namespace mt {
namespace {

Tensor reverse_cumsum(const Tensor& t, int64_t dim) { return op<"flip">(op<"cumsum">(op<"flip">(t, IntList{dim}), dim), IntList{dim}); }
// The gradient: without zeros in x, reverse_cumsum(g y) / x. With zeros, sums for each element the products that exclude it.
Tensor differentiate_cumprod(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim) {
  if (x.numel() == 0 || x.dim() == 0) return g;
  const int64_t d = wrap_dim(dim, x.dim()), n = x.size(d);
  if (!thread_state.grad_mode && !x.is_meta() && !*on_host(op<"any">(op<"eq">(x, 0))).data<bool>())
    return reverse_cumsum(g * conj(y), d) / conj(x);
  std::vector<Tensor> parts;
  for (int64_t k = 0; k < n; ++k) {
    // d y[j] / d x[k] for j >= k: the product before k times the products of k+1..j.
    Dims one(x.sizes());
    one[d] = 1;
    Tensor ones = op<"ones">(one, x.dtype(), nullptr, x.device());
    Tensor before = k == 0 ? ones : op<"prod.dim_int">(op<"narrow">(x, d, 0, k), d, true);
    Tensor after = k + 1 == n ? ones : op<"cat">(std::vector<Tensor>{ones, op<"cumprod">(op<"narrow">(x, d, k + 1, n - k - 1), d)}, d);
    parts.push_back(op<"sum.dim_IntList">(op<"narrow">(g, d, k, n - k) * conj(before * after), IntList{d}, true));
  }
  return op<"cat">(parts, d);
}

MT_OP(OpDef{
    .schema = {"cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes running products along `dim`: y[k] = x[0] * ... * x[k].

Products of float32 run in double and are rounded each. The gradient is right where elements are
0, too.

Args:
    self (Tensor): any shape and dtype.
    dim (int): the dimension to run along.
    dtype (torch.dtype, optional): multiplies in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: the shape of `self`.

Example:
    >>> torch.cumprod(torch.tensor([1, 2, 3, 4]), dim=0)
    tensor([ 1,  2,  6, 24]))",
    .rule = rule_in_target_dtype(structured([](Specs& out, const Tensor& self, int64_t dim, std::optional<Dtype> dtype) {
      wrap_dim(dim, self.dim());
      out.add(self.sizes(), dtype ? *dtype : is_integral(self.dtype(), true) ? Dtype::int64 : self.dtype());
    })),
    .cpu =
        [](const Tensor& given, int64_t dim, std::optional<Dtype>, Tensor& out) {
          auto converted = [](const Tensor& t, Dtype dtype) {
            if (t.dtype() == dtype) return t;
            const Tensor result = empty(t.sizes(), dtype);
            copy_into(result, t);
            return result;
          };
          const Tensor self = converted(given, out.dtype());
          auto run = [&]<class T, class C>(const Tensor& from, const Tensor& target, Type<T>, Type<C>) {
            scan<T, T>(from, target, wrap_dim(dim, self.dim()), C(1), [](C& total, const T& x, int64_t, T& to) {
              total = total * C(x);
              to = T(total);
            });
          };
          dispatch_numbers_and_unsigned(out.dtype(), "cumprod_out_cpu", [&]<class Given>(Type<Given>) {
            using T = Wrapping<Given>;
            if constexpr (std::is_same_v<T, ComputeType<T>>) {
              run(self, out, Type<T>(), Type<std::conditional_t<std::is_same_v<T, float>, double, T>>());
            } else {  // converted a line at a time, in vectors
              const Tensor wide = empty(out.sizes(), Dtype::float32);
              run(converted(self, Dtype::float32), wide, Type<float>(), Type<float>());
              copy_into(out, wide);
            }
          });
        },
    .npu = {"Cumprod(self, dim:scalar, dtype)"},
    .autocast = Autocast::fp32 | on_npu(fp32_dtype),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", int64_t> dim) { return differentiate_cumprod(g, x, y, *dim); })},
});

}  // namespace
}  // namespace mt
