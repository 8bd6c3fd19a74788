// sum: the sum over `dim` (all dimensions for None or an empty list); integers are summed in int64.
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/pointwise/conversion.h"
#include "rules/reduction/reducers.h"
#include "rules/reduction/reduction.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto infer_sum_shape = [](Specs& out, const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) {
  out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), sum_dtype(self.dtype(), dtype));
};

// For uint8 and bool: the sum of a run of fold_block elements fits in 32 bits, and 32-bit sums double the number of lanes of a vector.
struct ByteSum : SumReducer<int64_t> {
  static int64_t fold(const uint8_t* data, int64_t n) {
    uint32_t total = 0;
    for (int64_t i = 0; i < n; ++i) total += data[i];
    return total;
  }
};

// Elements are converted to the result's dtype first, as torch does.
constexpr auto compute_sum = [](const Tensor& given, std::optional<IntList> dim, bool, std::optional<Dtype>, Tensor& out) {
  const uint64_t mask = reduced_dims(dim, given.dim());
  const Dtype d = out.dtype();
  const bool widened = is_integral(given.dtype(), true) && d == Dtype::int64;
  Tensor self = given;
  if (given.dtype() != d && !widened) {
    warn_of_discarded_parts(d, given.dtype());
    self = empty_strided(given.sizes(), given.strides(), d);
    copy_into(self, given);
  }
  if (d == Dtype::int64) {
    dispatch_all_and_unsigned(self.dtype(), "sum_cpu", [&]<class T>(Type<T>) {
      if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, uint8_t>)
        reduce<ByteSum, uint8_t, int64_t>(self, mask, out, {});
      else if constexpr (std::is_same_v<T, uint64_t>)
        reduce<SumReducer<int64_t>, int64_t, int64_t>(self, mask, out, {});
      else if constexpr (std::is_integral_v<T>)
        reduce<SumReducer<int64_t>, T, int64_t>(self, mask, out, {});
    });
  } else if (d == Dtype::boolean) {
    reduce<AnyReducer, bool, bool>(self, mask, out, {});
  } else {
    dispatch_numbers_and_unsigned(d, "sum_cpu", [&]<class Given>(Type<Given>) {
      using T = Wrapping<Given>;
      reduce<SumReducer<ComputeType<T>>, T, T>(self, mask, out, {});
    });
  }
};

MT_OP(OpDef{
    .schema = {"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"dim_IntList_out", "IntList_out"}},
    .doc = R"(Computes the sum of all elements, or along `dim`.

Of no elements the sum is 0. Floats are summed in blocks, so that the error grows slowly with
their number; half dtypes sum in float32. The gradient is 1 for each element.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to reduce; all for an empty tuple.
        Default: all.
    dtype (torch.dtype, optional): sums in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: without the reduced dimensions.

Example:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.sum(x)
    tensor(10)
    >>> torch.sum(x, dim=0)
    tensor([4, 6])
    >>> torch.sum(x, dim=1, keepdim=True)
    tensor([[3],
            [7]]))",
    .rule = rule_in_target_dtype(structured(infer_sum_shape)),
    .cpu = compute_sum,
    .npu = {"ReduceSum(self, dim, keepdim, dtype)"},
    .sparse = [](const Call& call, const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      refuse_in_place_and_out(call);
      BelowAutograd guard;
      Tensor sum = dim ? op<"_sparse_sum.dim">(op<"to.dtype">(self, sum_dtype(self.dtype(), dtype)), *dim)
                       : op<"sum">(components_of(self).values, dtype);
      const uint64_t reduced = keepdim ? reduced_dims(dim, self.dim()) : 0;
      for (int64_t d = 0; d < self.dim(); ++d)
        if (reduced >> d & 1) sum = op<"unsqueeze">(sum, d);
      return sum;
    },
    .compressed = [](const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      check(self.layout() == Layout::sparse_csr,
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout {}", name_of(self.layout()));
      return op<"_sparse_csr_sum">(self, dim.value_or(IntList()), keepdim, dtype);
    },
    .autocast = on_npu(fp32_dtype),
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", std::optional<IntList>> dim, In<"keepdim", bool> keepdim) {
                   return op<"expand">(restore_dims(g, *dim, *keepdim, self.sizes.size()), self.sizes);
                 })},
    .grad_name = "SumBackward1",
});

MT_OP(OpDef{
    .schema = {"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the sum of all elements, or along `dim`.

Of no elements the sum is 0. Floats are summed in blocks, so that the error grows slowly with
their number; half dtypes sum in float32. The gradient is 1 for each element.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to reduce; all for an empty tuple.
        Default: all.
    dtype (torch.dtype, optional): sums in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: without the reduced dimensions.

Example:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.sum(x)
    tensor(10)
    >>> torch.sum(x, dim=0)
    tensor([4, 6])
    >>> torch.sum(x, dim=1, keepdim=True)
    tensor([[3],
            [7]]))",
    .rule = structured_exact([](Specs& out, const Tensor& self, std::optional<Dtype> dtype) {
      out.add({}, sum_dtype(self.dtype(), dtype));
    }),
    .cpu = [](const Tensor& self, std::optional<Dtype> dtype, Tensor& out) { compute_sum(self, std::nullopt, false, dtype, out); },
    .npu = {"ReduceSum(self, [], 0, dtype)"},
    .sparse = [](const Tensor& self, std::optional<Dtype> dtype) -> Tensor {
      BelowAutograd guard;
      return op<"sum">(components_of(self).values, dtype);
    },
    .compressed = [](const Tensor& self, std::optional<Dtype> dtype) -> Tensor {
      BelowAutograd guard;
      return op<"sum">(components_of(self).values, dtype);
    },
    .autocast = on_npu(fp32_dtype),
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"expand">(g, self.sizes); })},
});

}  // namespace
}  // namespace mt
