// rnn_relu_cell: one step of a plain recurrent unit with relu.
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) "
               "-> Tensor"},
    .forms = function,
    .doc = R"(Computes one step of plain recurrent units with ReLU.

With x the input and h the state: ``h' = max(0, W x + b + V h + d)``.

Args:
    input (Tensor): shape ``(N, I)`` or ``(I,)``.
    hx (Tensor): state of shape ``(N, H)`` or ``(H,)``.
    w_ih (Tensor): W; shape ``(H, I)``.
    w_hh (Tensor): V; shape ``(H, H)``.
    b_ih (Tensor, optional): b; shape ``(H,)``.
    b_hh (Tensor, optional): d; shape ``(H,)``.

Returns:
    Tensor: the state after it, in the shape of `hx`.

Raises:
    RuntimeError: when shapes or dtypes do not fit.

Example:
    >>> w = torch.ones(1, 1)
    >>> torch.rnn_relu_cell(torch.ones(1, 1), torch.ones(1, 1), w, w)
    tensor([[2.]]))",
    .composite = [](const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                    const Tensor& b_hh) -> Tensor {
      check_cell(Cell::relu, input, TensorList(&hx, 1), w_ih, w_hh);
      return run_cell(Cell::relu, input, {hx, Tensor()}, {w_ih, w_hh, b_ih, b_hh, Tensor()}).h;
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
