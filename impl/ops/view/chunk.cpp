// chunk: splits a dimension into pieces of about equal size.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto compute_chunk = [](const Tensor& self, int64_t chunks, int64_t dim) -> std::vector<Tensor> {
  check(self.dim() > 0, messages::chunk_of_scalar_tensor);
  check(chunks > 0, messages::chunk_count_must_be_positive, chunks);
  int64_t d = wrap_dim(dim, self.dim()), size = self.size(d), length = size / chunks + (size % chunks != 0);
  check(length > 0 || chunks < int64_t(1) << 32, ErrorKind::out_of_memory, messages::chunk_count_too_large, chunks);
  if (length == 0) return op<"split_with_sizes", std::vector<Tensor>>(self, Dims(chunks, 0), d);
  return op<"split.Tensor", std::vector<Tensor>>(self, length, d);
};

MT_OP(OpDef{
    .schema = {"chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into at most `chunks` views of about equal size.

Every piece has ``ceil(n / chunks)`` elements of a dimension of size ``n``; the last one may be
shorter. There can be fewer pieces than asked for: 6 elements in 4 chunks give 3 pieces of 2.
``torch.tensor_split`` always gives the number that is asked for.

Args:
    self (Tensor): tensor with at least one dimension.
    chunks (int): largest number of pieces; at least 1.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when `self` has no dimension or `chunks` is not positive.

Example:
    >>> torch.chunk(torch.arange(7), 3)
    (tensor([0, 1, 2]), tensor([3, 4, 5]), tensor([6])))",
    .composite = compute_chunk,
});

}  // namespace
}  // namespace mt
