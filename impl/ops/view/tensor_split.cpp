// tensor_split, hsplit, vsplit, dsplit: split a dimension at indices or into sections.
#include <vector>
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

std::vector<Tensor> split_at_indices(const Tensor& self, IntList indices, int64_t dim) {
  check(self.dim() > 0, messages::tensor_split_of_scalar_tensor, self.dim());
  const int64_t d = wrap_dim(dim, self.dim());
  std::vector<Tensor> out;
  int64_t start = 0;
  for (int64_t end : indices) {
    out.push_back(op<"slice">(self, d, start, end, 1));
    start = end;
  }
  out.push_back(op<"slice">(self, d, start, self.size(d), 1));
  return out;
}
std::vector<Tensor> split_into_sections(const Tensor& self, int64_t sections, int64_t dim) {
  check(self.dim() > 0, messages::tensor_split_of_scalar_tensor, self.dim());
  const int64_t d = wrap_dim(dim, self.dim());
  check(sections > 0, "number of sections must be larger than 0, got {}", sections);
  const int64_t n = self.size(d), each = n / sections, extra = n % sections;
  std::vector<Tensor> out;
  check(sections < int64_t(1) << 31, "std::bad_alloc");  // torch's message, without attempting the allocation
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t length = each + (i < extra);
    out.push_back(op<"slice">(self, d, start, start + length, 1));
    start += length;
  }
  return out;
}
MT_OP(OpDef{
    .schema = {"tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]",
               "tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]",
               "tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into views: a number of nearly equal sections, or pieces between given indices.

Of ``n`` elements in ``s`` sections the first ``n % s`` have one element more than the others; there
are always ``s``. Indices ``(i, j)`` give ``[:i]``, ``[i:j]`` and ``[j:]``, with the rules of
slices: negative ones count from the end, and pieces can be empty.

Args:
    self (Tensor): tensor with at least one dimension.
    sections (int): number of pieces; positive. The Python argument is ``indices_or_sections`` for
        all three kinds.
    indices (tuple of int): where pieces begin.
    tensor_indices_or_sections (Tensor): the same as an int64 tensor on the CPU: without dimensions
        a number of sections, as a vector indices.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when `self` has no dimension or the number of sections is not positive.

Example:
    >>> x = torch.arange(7)
    >>> torch.tensor_split(x, 3)
    (tensor([0, 1, 2]), tensor([3, 4]), tensor([5, 6]))
    >>> torch.tensor_split(x, (1, 5))
    (tensor([0]), tensor([1, 2, 3, 4]), tensor([5, 6])))",
    .composite = [](const Tensor& self, int64_t n, int64_t dim) { return split_into_sections(self, n, dim); },
    .overloads = {overload("indices",
                           {.composite = [](const Tensor& self, IntList at, int64_t dim) { return split_at_indices(self, at, dim); }}),
                  overload("tensor_indices_or_sections",
                           {.composite =
                                [](const Tensor& self, const Tensor& given, int64_t dim) {
                                  check(given.device().is_cpu(),
                                        "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {}", given.device());
                                  check(given.dtype() == Dtype::int64,
                                        "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
                                        given.dtype());
                                  check(given.dim() <= 1,
                                        "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
                                        "tensor, but got a tensor with {} dims",
                                        given.dim());
                                  Tensor t = op<"contiguous">(given);
                                  if (given.dim() == 0) return split_into_sections(self, *t.data<int64_t>(), dim);
                                  return split_at_indices(self, IntList(t.data<int64_t>(), t.numel()), dim);
                                },
                            .batch = batch_looped})},
});

template <int Least>
int64_t first_splittable_dim(const Tensor& self, const char* name) {
  check(self.dim() >= Least, "torch.{} requires a tensor with at least {} dimension{}, but got a tensor with {} dimensions!", name, Least,
        "", self.dim());
  return Least == 3 ? 2 : Least == 2 ? 0 : self.dim() == 1 ? 0 : 1;
}
template <int Least>
std::vector<Tensor> split_into_equal_sections(const Tensor& self, int64_t n, const char* name) {
  const int64_t d = first_splittable_dim<Least>(self, name);
  check(n != 0 && self.size(d) % n == 0,
        "torch.{} attempted to split along dimension {}, but the size of the dimension {} is not divisible by the split_size {}!", name, d,
        self.size(d), n);
  return split_into_sections(self, n, d);
}
MT_OP(OpDef{
    .schema = {"hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
               "hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a tensor into views along the second dimension, or along the first of a vector.

Args:
    self (Tensor): tensor with at least one dimension.
    sections (int): number of equal pieces; must divide the size of the dimension.
    indices (tuple of int): instead, where pieces begin, as ``torch.tensor_split`` takes them.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when `self` has no dimension or `sections` does not divide its size.

Example:
    >>> torch.hsplit(torch.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1],
            [3]]), tensor([[2],
            [4]])))",
    .composite = [](const Tensor& self, int64_t n) { return split_into_equal_sections<1>(self, n, "hsplit"); },
    .overloads = {overload("array",
                           {.composite = [](const Tensor& self,
                                            IntList at) { return split_at_indices(self, at, first_splittable_dim<1>(self, "hsplit")); }})},
});
MT_OP(OpDef{
    .schema = {"vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
               "vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a tensor into views along the first dimension.

Args:
    self (Tensor): tensor with at least two dimensions.
    sections (int): number of equal pieces; must divide the size of the dimension.
    indices (tuple of int): instead, where pieces begin, as ``torch.tensor_split`` takes them.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when `self` has fewer than two dimensions or `sections` does not divide the size.

Example:
    >>> torch.vsplit(torch.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1, 2]]), tensor([[3, 4]])))",
    .composite = [](const Tensor& self, int64_t n) { return split_into_equal_sections<2>(self, n, "vsplit"); },
    .overloads = {overload("array",
                           {.composite = [](const Tensor& self,
                                            IntList at) { return split_at_indices(self, at, first_splittable_dim<2>(self, "vsplit")); }})},
});
MT_OP(OpDef{
    .schema = {"dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
               "dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a tensor into views along the third dimension.

Args:
    self (Tensor): tensor with at least three dimensions.
    sections (int): number of equal pieces; must divide the size of the dimension.
    indices (tuple of int): instead, where pieces begin, as ``torch.tensor_split`` takes them.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when `self` has fewer than three dimensions or `sections` does not divide the
        size.

Example:
    >>> [p.shape for p in torch.dsplit(torch.zeros(1, 2, 4), 2)]
    [torch.Size([1, 2, 2]), torch.Size([1, 2, 2])])",
    .composite = [](const Tensor& self, int64_t n) { return split_into_equal_sections<3>(self, n, "dsplit"); },
    .overloads = {overload("array",
                           {.composite = [](const Tensor& self,
                                            IntList at) { return split_at_indices(self, at, first_splittable_dim<3>(self, "dsplit")); }})},
});

}  // namespace
}  // namespace mt
