// repeat_interleave: repeats each element (or slice along `dim`) in place.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Each row of a mask has as many true elements as the row is to be repeated; their row indices are the result.
Tensor repeated_row_indices(const Tensor& counts, std::optional<int64_t> size) {
  if (counts.numel() == 0) return counts;
  check(*on_host(op<"min">(counts)).data<int64_t>() >= 0, messages::repeats_can_not_be_negative);
  const int64_t most = *on_host(op<"max">(counts)).data<int64_t>();
  const Tensor places = op<"arange">(most, Dtype::int64, nullptr, counts.device());
  const Tensor rows = op<"select">(op<"nonzero">(op<"lt">(places, op<"unsqueeze">(counts, 1))), 1, 0);
  check(!size || *size == rows.numel(), messages::allocated_size_mismatch);
  return rows;
}

MT_OP(OpDef{
    .schema = {"repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
               "repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
               "repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Repeats each element, or each slice along `dim`, next to itself.

``torch.repeat_interleave(repeats)`` with one vector alone returns the index k ``repeats[k]`` times.

Args:
    self (Tensor): tensor of any shape.
    repeats (int or Tensor): how often; a vector (int64 or int32) has a number for each slice, or
        one for all.
    dim (int, optional): dimension; negative counts from the last. Default: ``None``, the flattened
        tensor.
    output_size (int, optional): size of the result along `dim`, checked where it is given.

Returns:
    Tensor: a new tensor; a vector without `dim`.

Raises:
    RuntimeError: when a number is negative, there is not one for each slice, or `output_size` is
        wrong.

Example:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.repeat_interleave(x, 2)
    tensor([1, 1, 2, 2, 3, 3, 4, 4])
    >>> torch.repeat_interleave(x, torch.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]]))",
    .composite = [](const Tensor& self, int64_t repeats, std::optional<int64_t> dim, std::optional<int64_t> size) -> Tensor {
      const Tensor t = dim ? self : op<"flatten">(self);
      const int64_t d = wrap_dim(dim.value_or(0), t.dim());
      check(repeats >= 0, "Repeats must be non-negative");
      Dims sizes(t.sizes());
      Tensor wide = op<"unsqueeze">(t, d + 1);
      Dims expanded(wide.sizes());
      expanded[d + 1] = repeats;
      sizes[d] *= repeats;
      check(!size || *size == sizes[d], "repeat_interleave: Invalid output_size, expected {} but got {}", sizes[d], size.value_or(0));
      return op<"reshape">(op<"clone">(op<"expand">(wide, expanded), MemoryFormat::contiguous), sizes);
    },
    .overloads = {overload(
                      "self_Tensor",
                      {.composite = [](const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
                                       std::optional<int64_t> size) -> Tensor {
                         check(repeats.dim() <= 1, "repeats must be 0-dim or 1-dim tensor");
                         const Tensor t = dim ? self : op<"flatten">(self);
                         const int64_t d = wrap_dim(dim.value_or(0), t.dim());
                         Tensor counts = repeats.dim() == 0 || (repeats.dim() == 1 && repeats.size(0) == 1)
                                             ? op<"expand">(op<"reshape">(repeats, IntList{1}), IntList{t.size(d)})
                                             : repeats;
                         check(counts.dim() == 1 && counts.size(0) == t.size(d),
                               "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({}) = {}",
                               counts.size(0), d, t.size(d));
                         return op<"index_select">(t, d, op<"repeat_interleave.Tensor">(counts, size));
                       },
                       .batch = batch_looped}),
                  overload("Tensor", {.composite = [](const Tensor& repeats, std::optional<int64_t> size) -> Tensor {
                                        const bool counts_rows = repeats.dtype() == Dtype::int64 || repeats.dtype() == Dtype::int32;
                                        check(counts_rows || !repeats.device().is_cpu(), ErrorKind::not_implemented,
                                              messages::kernel_not_implemented_for, "repeat_interleave_cpu", repeats.dtype());
                                        check(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
                                        check(counts_rows, "repeats has to be Long or Int tensor");
                                        BelowAutograd guard;
                                        Tensor counts = op<"contiguous">(op<"to.dtype">(repeats, Dtype::int64));
                                        if (!counts.device().is_cpu())
                                          return op<"to.dtype">(repeated_row_indices(counts, size), repeats.dtype());
                                        const int64_t* n = counts.data<int64_t>();
                                        int64_t total = 0;
                                        for (int64_t i = 0; i < counts.numel(); ++i) {
                                          check(n[i] >= 0, messages::repeats_can_not_be_negative);
                                          total += n[i];
                                        }
                                        check(!size || *size == total, messages::allocated_size_mismatch);
                                        Tensor out = empty({total}, repeats.dtype());
                                        Tensor wide = empty({total}, Dtype::int64);
                                        int64_t at = 0;
                                        for (int64_t i = 0; i < counts.numel(); ++i)
                                          for (int64_t k = 0; k < n[i]; ++k) wide.data<int64_t>()[at++] = i;
                                        return repeats.dtype() == Dtype::int64 ? wide : op<"to.dtype">(wide, repeats.dtype());
                                      },
                                      .batch = batch_looped})},
});

}  // namespace
}  // namespace mt
