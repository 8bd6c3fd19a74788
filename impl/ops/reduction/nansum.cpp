// nansum: the sum over `dim`, NaN counting as zero.
#include "rules/form/checked.h"
#include "rules/reduction/reducers.h"

namespace mt {
namespace {

using Dim = std::optional<IntList>;

template <class A>
struct NanSumReducer : SumReducer<A> {
  static constexpr bool is_sum = false;
  template <class In>
  static void step(A& acc, const In& v, int64_t) {
    const A x = A(v);
    acc += x != x ? A(0) : x;
  }
};

// Floats are summed in the dtype of `out`; integers as in sum().
void check_out(const Call& call) {
  if (call.op.form != Form::out || is_integral(Unbox<Tensor>::from(call.args[0]).dtype(), true)) return;
  const Dtype to = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  const auto asked = Unbox<std::optional<Dtype>>::from(call.args[3]);
  check(!asked || *asked == to, "nansum: provided dtype must match dtype of result. Got {} and {}.", to, asked.value_or(to));
  if (!asked && !is_floating(to)) not_implemented_for("nansum_cpu", to);
}

MT_OP(OpDef{
    .schema = {"nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the sum of all elements or along `dim`, where NaN counts as 0.

Integers are summed in int64. The gradient of an element that is NaN is 0.

Args:
    self (Tensor): any shape; not complex.
    dim (int or tuple of ints, optional): the dimensions to reduce; all for an empty tuple.
        Default: ``None``.
    dtype (torch.dtype, optional): sums in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: without the reduced dimensions.

Example:
    >>> torch.nansum(torch.tensor([[1.0, float("nan")], [2.0, 3.0]]), dim=1)
    tensor([1., 5.]))",
    .rule = rule_after_check(check_out, structured([](Specs& out, const Tensor& self, Dim dim, bool keepdim, std::optional<Dtype> dtype) {
                               check(!is_complex(self.dtype()), "nansum on CPU does not support complex inputs");
                               out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), sum_dtype(self.dtype(), dtype));
                             })),
    .cpu =
        [](const Tensor& given, Dim dim, bool keepdim, std::optional<Dtype>, Tensor& out) {
          const Dtype d = out.dtype();
          if (!is_differentiable(d) || is_complex(d) ||
              is_integral(given.dtype(), true)) {  // there is no NaN, or none after the conversion
            BelowAutograd guard;
            const Tensor clean = is_integral(given.dtype(), true) ? given : op<"masked_fill">(given, op<"isnan">(given), 0);
            return copy_into(out, op<"sum.dim_IntList">(clean, dim, keepdim, d));
          }
          Tensor self = given;
          if (given.dtype() != d) {
            self = empty(given.sizes(), d);
            copy_into(self, given);
          }
          const uint64_t mask = reduced_dims(dim, self.dim());
          dispatch_floating(d, "nansum_cpu", [&]<class T>(Type<T>) { reduce<NanSumReducer<ComputeType<T>>, T, T>(self, mask, out, {}); });
        },
    .npu = {"ReduceNansum(self, dim, keepdim, dtype)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"dim", Dim> dim, In<"keepdim", bool> keepdim) {
                   Tensor each = op<"expand">(restore_dims(g, *dim, *keepdim, x.dim()), x.sizes());
                   return op<"to.dtype">(each, x.dtype()) * op<"logical_not">(op<"isnan">(x));
                 })},
});

}  // namespace
}  // namespace mt
