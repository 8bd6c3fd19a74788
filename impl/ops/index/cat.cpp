// cat: joins tensors along `dim`; their other sizes must be equal.
#include <algorithm>

#include "cpu/copy/copy.h"
#include "cpu/threads/parallel.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/form/joined_out.h"
#include "rules/pointwise/pointwise.h"
#include "rules/sparse/sparse_shape.h"

namespace mt {
namespace {

bool is_empty_vector(const Tensor& t) { return t.dim() == 1 && t.size(0) == 0; }  // an empty vector can be joined with anything

// Copies whole runs of memory: for contiguous tensors of one dtype whose rows are short or many. Returns false for other cases.
bool cat_contiguous_runs(TensorList tensors, int64_t dim, const Tensor& out) {
  if (!out.is_contiguous()) return false;
  for (const Tensor& t : tensors)
    if (t.dtype() != out.dtype() || !t.is_contiguous()) return false;
  int64_t outer = 1;
  for (int64_t k = 0; k < dim; ++k) outer *= out.size(k);
  const int64_t bytes = out.numel() * out.itemsize();
  constexpr int64_t worth_a_thread = 1 << 17;
  if (outer == 1 && bytes > worth_a_thread) return false;  // one long copy after the other, each in parallel
  if (bytes == 0) return true;
  const int64_t row = bytes / outer;
  const int64_t at_once =
      std::max<int64_t>(1, 8192 / row);  // the rest of a cache line that one tensor leaves is still in the cache when another fills it
  cpu::parallel_for(0, outer, std::max<int64_t>(1, worth_a_thread / row), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += at_once) {
      char* to = out.data<char>() + i * row;
      for (const Tensor& t : tensors) {
        const int64_t part = t.numel() * t.itemsize() / outer;
        if (part) cpu::move_rows(to, row, t.data<char>() + i * part, part, std::min(at_once, end - i), part);
        to += part;
      }
    }
  });
  return true;
}

constexpr auto compute_cat = [](TensorList tensors, int64_t dim) -> Tensor {
  check(!tensors.empty(), ErrorKind::value, "torch.cat(): expected a non-empty list of Tensors");
  Dtype dtype = result_type(tensors.data, tensors.size());
  const Tensor* first = nullptr;
  for (int64_t i = 0; i < tensors.size(); ++i) {
    check(tensors[i].dim() > 0, "zero-dimensional tensor (at position {}) cannot be concatenated", i);
    if (!first && !is_empty_vector(tensors[i])) first = &tensors[i];
  }
  if (!first) return empty(IntList{0}, dtype, tensors[0].device());  // whatever `dim` is
  const int64_t d = wrap_dim(dim, first->dim());
  Dims sizes(first->sizes());
  sizes[d] = 0;
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (is_empty_vector(t)) continue;
    check(t.dim() == first->dim(), "Tensors must have same number of dimensions: got {} and {}", first->dim(), t.dim());
    for (int64_t k = 0; k < t.dim(); ++k)
      check(k == d || t.size(k) == first->size(k),
            "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} for tensor number {} in the list.", d,
            first->size(k), t.size(k), i);
    sizes[d] += t.size(d);
  }
  MemoryFormat format = first->suggested_memory_format();
  for (const Tensor& t : tensors)
    if (!is_empty_vector(t) && t.suggested_memory_format() != format) format = MemoryFormat::contiguous;
  Tensor out = empty(sizes, dtype, first->device(), format);
  if (out.is_meta() || cat_contiguous_runs(tensors, d, out)) return out;
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    if (is_empty_vector(t)) continue;
    Dims part(out.sizes());
    part[d] = t.size(d);
    copy_into(alias(out, part, out.strides(), start * out.stride(d), false), t);
    start += t.size(d);
  }
  return out;
};

MT_OP(OpDef{
    .schema = {"cat(Tensor[] tensors, int dim=0) -> Tensor"},
    .forms = function,
    .doc = R"(Joins tensors along an existing dimension.

All sizes but that of `dim` must be equal. Vectors without elements are skipped, whatever the other
shapes. Dtypes are promoted. The memory format of the inputs is kept where they agree.

Args:
    tensors (sequence of Tensor): tensors to join; at least one.
    dim (int): dimension that grows; negative counts from the last. Default: ``0``.

Returns:
    Tensor: a new tensor.

Raises:
    ValueError: when the sequence is empty.
    RuntimeError: when numbers of dimensions or other sizes differ, or a tensor has no dimension.

Example:
    >>> a, b = torch.tensor([[1, 2]]), torch.tensor([[3, 4]])
    >>> torch.cat((a, b))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.cat((a, b), dim=1)
    tensor([[1, 2, 3, 4]]))",
    .aliases = "concat concatenate",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_cat,
    .npu = {"Cat"},
    .meta = compute_cat,
    .sparse = [](TensorList tensors, int64_t dim) -> Tensor { return sparse_cat(tensors, dim); },
    .autocast = Autocast::promote,
    .grad = {wrt("tensors",
                 [](Grad g, MetaListOf<"tensors"> tensors, In<"dim", int64_t> dim) {
                   std::vector<Tensor> out;
                   int64_t ndim = 1;
                   for (const TensorMeta& m : tensors.list)
                     if (!(m.sizes.size() == 1 && m.sizes[0] == 0)) ndim = m.sizes.size();
                   const int64_t d = *dim < 0 ? *dim + ndim : *dim;
                   int64_t start = 0;
                   for (const TensorMeta& m : tensors.list) {
                     if (m.sizes.size() == 1 && m.sizes[0] == 0) {
                       out.push_back(op<"zeros">(IntList{0}, m.dtype, nullptr, m.device));
                       continue;
                     }
                     out.push_back(op<"narrow">(g, d, start, m.sizes[d]));
                     start += m.sizes[d];
                   }
                   return out;
                 })},
});

constexpr auto cat_into = [](TensorList tensors, int64_t dim, const Tensor& out) {
  BelowAutograd guard;
  store_joined(out, op<"cat">(tensors, dim), tensors);
};
MT_OP(OpDef{
    .schema = {"cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Joins tensors along `dim` into `out`, converting to its dtype.",
    .rule = rule_after_check(refuse_copy_to_out),
    .cpu = cat_into,
    .npu = {any_device},
    .meta = cat_into,
});

}  // namespace
}  // namespace mt
