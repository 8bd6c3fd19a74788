// put: sets elements (or adds to them) by their indices in the flattened tensor.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/determinism.h"
#include "rules/form/overlap.h"
#include "rules/index/scatter.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

// Writes into the memory of `out`; checks everything before the first write.
void put_into(const Tensor& out, const Tensor& index, const Tensor& source, bool accumulate) {
  if (!accumulate) check_deterministic("put_");
  check(index.dtype() == Dtype::int64, "put_(): Expected a long tensor for index, but got {}", index.dtype());
  check(out.dtype() == source.dtype(),
        "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}", out.dtype(),
        source.dtype());
  check(source.numel() == index.numel(), ErrorKind::index,
        "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, index.numel() = {}",
        source.numel(), index.numel());
  check(out.numel() != 0 || index.numel() == 0, ErrorKind::index, "put_(): Tried to put elements into an empty tensor");
  check_no_internal_overlap(out);
  check_no_overlap(out, index);
  check_no_overlap(out, source);
  if (out.is_meta() || index.numel() == 0) return;
  const int64_t n = out.numel(), count = index.numel();
  Tensor places = empty(IntList{count}, Dtype::int64);
  copy_into(alias(places, index.sizes(), contiguous_strides(index.sizes()), 0, false), index);
  int64_t* p = places.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    check(p[i] >= -n && p[i] < n, ErrorKind::index, messages::take_index_out_of_range, p[i], n);
    if (p[i] < 0) p[i] += n;
  }
  // Flattens `out`: an alias if it is contiguous, otherwise a copy that is copied back at the end.
  const Tensor flat = dense(out), line = alias(flat, {n}, {1}, flat.storage_offset(), false);
  const Tensor values = dense(source), run = alias(values, {count}, {1}, values.storage_offset(), false);
  if (accumulate)
    scatter_combine(line, 0, places, run, Combine::sum, "put_");
  else
    scatter_place(line, 0, places, run);
  if (flat.get() != out.get()) copy_into(out, flat);
}

constexpr auto compute_put = [](const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) -> Tensor {
  BelowAutograd guard;
  if (!self.device().is_cpu() && !self.is_meta()) {
    const Dims flat{-1};
    const std::vector<Tensor> places{op<"reshape">(index, flat)};
    return op<"view">(op<"index_put">(op<"reshape">(self, flat), list_value(MT_TAG_OPTIONAL_TENSORS, places.data(), 1),
                                      op<"reshape">(source, flat), accumulate),
                      self.sizes());
  }
  Tensor out = op<"clone">(self);  // keeps the layout
  put_into(out, index, source, accumulate);
  return out;
};
constexpr auto put_in_place = [](const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  if (self.device().is_cpu() || self.is_meta())
    put_into(self, index, source, accumulate);
  else
    copy_into(self, compute_put(self, index, source, accumulate));
};
Tensor take_in_shape_of_source(const Tensor& g, const Tensor& index, const TensorMeta& source) {
  return op<"reshape">(op<"take">(g, index), source.sizes);
}
Tensor grad_for_self(const Tensor& g, const Tensor& index, const TensorMeta& source, bool accumulate) {
  return accumulate ? g : op<"put">(g, index, op<"new_zeros">(g, source.sizes), false);
}

void refuse_meta_mixture(const Call& call) {
  check(!(call.keys & key_bit(Key::meta)) || Unbox<Tensor>::from(call.args[0]).is_meta(), ErrorKind::not_implemented,
        "Cannot inplace into non-meta tensor with meta tensor argument");
}

MT_OP(OpDef{
    .schema = {"put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy of `self` with the elements at flat positions `index` set to `source`, or added to.

Positions count the elements in order, last dimension fastest, whatever the strides. A position that
occurs several times takes every value with `accumulate`; otherwise which of them stays is not
defined.

Args:
    self (Tensor): tensor to copy.
    index (Tensor): int64 positions in ``[-n, n)`` for ``n`` elements; any shape.
    source (Tensor): dtype of `self`; as many elements as `index`.
    accumulate (bool): whether `source` is added. Default: ``False``.

Returns:
    Tensor: a new tensor with the shape of `self`.

Raises:
    IndexError: when a position is out of range or the numbers of elements differ.
    RuntimeError: when dtypes do not fit.

Example:
    >>> torch.put(torch.zeros(2, 2), torch.tensor([1, -1]), torch.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [0., 6.]]))",
    .rule = rule_after_check(refuse_meta_mixture),
    .cpu = compute_put,
    .npu = {any_device},
    .meta = compute_put,
    .grad = {wrt("self", [](Grad g, In<"index"> index, MetaOf<"source"> source,
                            In<"accumulate", bool> add) { return grad_for_self(g, index, source, *add); }),
             wrt("source", [](Grad g, In<"index"> index, MetaOf<"source"> source) { return take_in_shape_of_source(g, index, source); })},
});
MT_OP(OpDef{
    .schema = {"put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Sets the elements of `self` at flat positions `index` to `source`, in place, or adds to them.

Positions count the elements in order, last dimension fastest, whatever the strides.

Args:
    self (Tensor): tensor to write to.
    index (Tensor): int64 positions in ``[-n, n)`` for ``n`` elements; any shape.
    source (Tensor): dtype of `self`; as many elements as `index`.
    accumulate (bool): whether `source` is added. Default: ``False``.

Returns:
    Tensor: `self`.

Raises:
    IndexError: when a position is out of range or the numbers of elements differ.
    RuntimeError: when dtypes do not fit.

Example:
    >>> x = torch.zeros(3)
    >>> x.put_(torch.tensor([0, 0]), torch.tensor([1.0, 2.0]), accumulate=True)
    tensor([3., 0., 0.]))",
    .rule = rule_after_check(refuse_meta_mixture),
    .cpu = put_in_place,
    .npu = {any_device},
    .meta = put_in_place,
    .grad = {wrt("self", [](Grad g, In<"index"> index, MetaOf<"source"> source,
                            In<"accumulate", bool> add) { return grad_for_self(g, index, source, *add); }),
             wrt("source", [](Grad g, In<"index"> index, MetaOf<"source"> source) { return take_in_shape_of_source(g, index, source); })},
    .grad_name = "PutBackward0",
});

}  // namespace
}  // namespace mt
