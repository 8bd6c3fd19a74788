// segment_reduce: folds runs of consecutive elements of a dimension into one each: sum, product, mean, largest or smallest.
#include "rules/index/scatter.h"
#include "rules/reduction/rows.h"
#include "rules/reduction/segments.h"

namespace mt {
namespace {

using Initial = std::optional<Scalar>;

Combine parse_reduction(Text reduce) {
  if (reduce == "max") return Combine::amax;
  if (reduce == "min") return Combine::amin;
  return combine_of(reduce);
}

double start_value(Combine how, const Initial& initial) {
  if (initial) return initial->to_double();
  return how == Combine::amax ? -__builtin_inf() : how == Combine::amin ? __builtin_inf() : how == Combine::prod ? 1 : 0;
}

constexpr auto compute_segment_reduce = [](const Tensor& data, Text reduce, const Tensor& lengths, const Tensor& indices,
                                           const Tensor& offsets, int64_t axis, bool unsafe, Initial initial) -> Tensor {
  const Combine how = parse_reduction(reduce);
  check(data.dim() > 0 && data.numel() >= 0, "segment_reduce(): Expected data to have at least one dimension");
  check(!indices.defined(), "segment_reduce(): indices based reduction is not supported yet.");
  const Segments s = segments_of(data, axis, lengths, offsets, unsafe);
  Dims sizes(data.sizes());
  sizes[s.axis] = s.per_line;
  Tensor out = empty(sizes, data.dtype());
  const Tensor in = dense(data);
  dispatch_floating(data.dtype(), "_segment_reduce_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const C start = C(T(C(start_value(how, initial))));
    for_rows(s.lines * s.per_line, s.inner * std::max<int64_t>(1, s.length / std::max<int64_t>(1, s.per_line)), [&](int64_t segment) {
      const int64_t begin = s.ends[size_t(2 * segment)], end = s.ends[size_t(2 * segment) + 1], line = segment / s.per_line;
      for (int64_t j = 0; j < s.inner; ++j) {
        const T* from = in.data<T>() + line * s.length * s.inner + j;
        C total = start;
        for (int64_t i = begin; i < end; ++i) {
          const C v = C(from[i * s.inner]);
          if (how == Combine::amax)
            total = v > total || v != v ? v : total;
          else if (how == Combine::amin)
            total = v < total || v != v ? v : total;
          else
            total = C(T(how == Combine::prod ? total * v : total + v));  // rounds at each step, as torch does
        }
        if (how == Combine::mean) total = end > begin ? total / C(end - begin) : initial ? total : C(__builtin_nan(""));
        out.data<T>()[segment * s.inner + j] = T(total);
      }
    });
  });
  return out;
};

// The segment number of each element, in the data's shape; elements outside all segments get one more number.
Tensor segment_of_each_element(const Tensor& data, const Segments& s) {
  Tensor index = empty(IntList{s.lines, s.length, 1}, Dtype::int64);
  int64_t* p = index.data<int64_t>();
  std::fill(p, p + index.numel(), s.per_line);
  for (int64_t k = 0; k < s.lines * s.per_line; ++k)
    for (int64_t i = s.ends[size_t(2 * k)]; i < s.ends[size_t(2 * k) + 1]; ++i) p[k / s.per_line * s.length + i] = k % s.per_line;
  return op<"reshape">(op<"expand">(index, IntList{s.lines, s.length, s.inner}), data.sizes());
}

Tensor segment_gradient(const Tensor& g, const Tensor& data, Combine how, const Segments& s, const Initial& initial, const Tensor& result) {
  const Tensor index = segment_of_each_element(data, s);
  auto padded = [&](const Tensor& t) {  // room for elements outside all segments
    Dims one(t.sizes());
    one[s.axis] = 1;
    return op<"cat">(std::vector<Tensor>{t, op<"full">(one, 0, t.dtype(), nullptr, t.device())}, s.axis);
  };
  auto at = [&](const Tensor& padded) { return op<"gather">(padded, s.axis, index); };
  auto count = [&](const Tensor& mask) {
    return op<"scatter_add">(padded(op<"zeros_like">(g)), s.axis, index, op<"to.dtype">(mask, g.dtype()));
  };
  const Tensor is_nan = op<"isnan">(data);
  if (how == Combine::amax || how == Combine::amin) {  // NaNs and the elements equal to the result share the gradient
    const Tensor is_chosen = op<"logical_or">(is_nan, op<"eq">(data, at(padded(result))));
    const Tensor counts = count(is_chosen), share = padded(g) / op<"masked_fill">(counts, op<"eq">(counts, 0), 1);
    return op<"masked_fill">(at(share), op<"logical_not">(is_chosen), 0);
  }
  Wanted both;
  both.bits = 3;
  const Tensor base = padded(op<"full_like">(g, start_value(how, initial)));
  // A mean adds its start value, but does not count it.
  const bool counts_start = how != Combine::mean;
  if (how != Combine::prod)
    return scatter_reduced_gradient(padded(g), base, s.axis, index, data, how, counts_start, padded(result), both)[1];
  // The gradient of an element is the product of the others, which a NaN among them makes NaN.
  const Tensor numbers = op<"masked_fill">(data, is_nan, 1);
  const Tensor products = scatter_reduced_gradient(padded(g), base, s.axis, index, numbers, how, counts_start, padded(result), both)[1];
  const Tensor other_nans = at(count(is_nan)) - op<"to.dtype">(is_nan, g.dtype());
  return op<"masked_fill">(products, op<"gt">(other_nans, 0), __builtin_nan(""));
}

MT_OP(OpDef{
    .schema = {"segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, "
               "bool unsafe=False, Scalar? initial=None) -> Tensor"},
    .forms = function,
    .doc = R"(Folds segments, runs of consecutive elements along `axis`, into one element each.

`lengths` gives the segments' sizes, or `offsets` where each begins and the last ends. An empty
segment gives the start value of its fold: 0 for ``"sum"``, 1 for ``"prod"``, NaN for ``"mean"``,
-inf for ``"max"`` and inf for ``"min"``, or `initial`.

Args:
    data (Tensor): at least one dimension; floating.
    reduce (str): ``"sum"``, ``"prod"``, ``"mean"``, ``"max"`` or ``"min"``.
    lengths (Tensor, optional): int32 or int64; the dimensions of `data` before `axis`, then one
        number a segment.
    indices (Tensor, optional): not supported.
    offsets (Tensor, optional): int32 or int64; as `lengths`, with one number more.
    axis (int): the dimension with the segments. Default: ``0``.
    unsafe (bool): whether to skip the check that lengths are not negative and sum to the size.
        Default: ``False``.
    initial (number, optional): where each fold starts. Default: ``None``.

Returns:
    Tensor: the shape of `data` with the number of segments along `axis`, in its dtype.

Raises:
    RuntimeError: when neither or a wrong `lengths` or `offsets` is given.

Example:
    >>> x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    >>> torch.segment_reduce(x, "sum", lengths=torch.tensor([2, 0, 2]))
    tensor([3., 0., 7.])
    >>> torch.segment_reduce(x, "max", offsets=torch.tensor([0, 1, 4]))
    tensor([1., 4.]))",
    .cpu = compute_segment_reduce,
    .grad = {wrt("data",
                 [](Grad g, In<"data"> data, In<"reduce", Text> reduce, In<"lengths"> lengths, In<"offsets"> offsets,
                    In<"axis", int64_t> axis, In<"initial", Initial> initial, Out<"result"> result) {
                   return segment_gradient(g, data, parse_reduction(*reduce), segments_of(data, *axis, lengths, offsets, true), *initial,
                                           result);
                 })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
