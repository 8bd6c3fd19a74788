// split_copy: the pieces of split, each copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = R"(Cuts a dimension into consecutive copies of `split_size` elements; the last one may be shorter.

It computes what ``torch.split`` shows, each piece in memory of its own.

Args:
    self (Tensor): tensor with at least one dimension.
    split_size (int): size of a piece.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: contiguous tensors.

Example:
    >>> torch.split_copy(torch.arange(3), 2)
    (tensor([0, 1]), tensor([2])))",
}));

MT_OP(OpDef{
    .schema = {"split_copy.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()"},
    .forms = out,
    .doc = "Copies the pieces of ``split`` into the tensors of `out`, one each, whose shapes must fit.",
    .composite =
        [](const Tensor& self, int64_t split_size, int64_t dim, TensorList out) {
          copy_pieces("split_copy_Tensor_out()", op<"split.Tensor", std::vector<Tensor>>(self, split_size, dim), out, Pieces::convert);
        },
});

}  // namespace
}  // namespace mt
