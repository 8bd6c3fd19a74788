// unbind_copy: the pieces of unbind, each copied to new memory.
#include "autograd/meta.h"
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"unbind_copy.int(Tensor self, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns a copy of every index of a dimension, without that dimension.

It computes what ``torch.unbind`` shows, each piece in memory of its own.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to take apart; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: contiguous tensors.

Example:
    >>> torch.unbind_copy(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4])))",
}));

MT_OP(OpDef{
    .schema = {"unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()"},
    .forms = out,
    .doc = "Copies the pieces of ``unbind`` into the tensors of `out`, which are resized to fit.",
    .composite =
        [](const Tensor& self, int64_t dim, TensorList out) {
          for (const Tensor& t : out)
            check(!thread_state.grad_mode || !requires_grad(t),
                  "unbind_copy(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                  "requires "
                  "grad.");
          copy_pieces("unbind_copy_int_out", op<"unbind.int", std::vector<Tensor>>(self, dim), out, Pieces::resize);
        },
});

}  // namespace
}  // namespace mt
