// gru_cell: one step of a gated recurrent unit.
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes one step of gated recurrent units.

With x the input and h the state: ``r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)``, likewise z, then
``n = tanh(W_in x + b_in + r * (W_hn h + b_hn))`` and ``h' = (1 - z) * n + z * h`` (Cho et al.,
"Learning phrase representations using RNN encoder-decoder", EMNLP 2014; the reset gate acts after
the product). Weights stack the rows of r, z and n.

Args:
    input (Tensor): shape ``(N, I)`` or ``(I,)``.
    hx (Tensor): state of shape ``(N, H)`` or ``(H,)``.
    w_ih (Tensor): W; shape ``(3 H, I)``.
    w_hh (Tensor): V; shape ``(3 H, H)``.
    b_ih (Tensor, optional): b; shape ``(3 H,)``.
    b_hh (Tensor, optional): d; shape ``(3 H,)``.

Returns:
    Tensor: the state after it, in the shape of `hx`.

Raises:
    RuntimeError: when shapes or dtypes do not fit.

Example:
    >>> w = torch.zeros(3, 1)
    >>> torch.gru_cell(torch.ones(1, 1), torch.ones(1, 1), w, w)
    tensor([[0.5000]]))",
    .composite = [](const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                    const Tensor& b_hh) -> Tensor {
      check_cell(Cell::gru, input, TensorList(&hx, 1), w_ih, w_hh);
      return run_cell(Cell::gru, input, {hx, Tensor()}, {w_ih, w_hh, b_ih, b_hh, Tensor()}).h;
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
