// split_with_sizes_copy: the pieces of split_with_sizes, each copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = R"(Cuts a dimension into consecutive copies of the given sizes.

It computes what ``torch.split_with_sizes`` shows, each piece in memory of its own.

Args:
    self (Tensor): tensor with at least one dimension.
    split_sizes (tuple of int): sizes of the pieces; they sum to the size of the dimension.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: contiguous tensors.

Example:
    >>> torch.split_with_sizes_copy(torch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2])))",
}));

MT_OP(OpDef{
    .schema = {"split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()"},
    .forms = out,
    .doc = "Copies the pieces of ``split_with_sizes`` into the tensors of `out`, which are resized to fit.",
    .composite =
        [](const Tensor& self, IntList split_sizes, int64_t dim, TensorList out) {
          copy_pieces("split_with_sizes_copy_out", op<"split_with_sizes", std::vector<Tensor>>(self, split_sizes, dim), out,
                      Pieces::resize);
        },
});

}  // namespace
}  // namespace mt
