// lstm_cell: one step of long short-term memory.
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) "
               "-> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes one step of long short-term memory.

With x the input, h and c the states: gates ``i, f, o = sigmoid(W x + b + V h + d)``, each with its
own weights, ``g = tanh(...)`` likewise, then ``c' = f * c + i * g`` and ``h' = o * tanh(c')``
(Hochreiter and Schmidhuber, "Long short-term memory", Neural Computation 9, 1997; the forget gate
is by Gers et al., 2000). Weights stack the rows of i, f, g and o.

Args:
    input (Tensor): shape ``(N, I)`` or ``(I,)``.
    hx (sequence of Tensor): states ``(h, c)``, each of shape ``(N, H)`` or ``(H,)``.
    w_ih (Tensor): W; shape ``(4 H, I)``.
    w_hh (Tensor): V; shape ``(4 H, H)``.
    b_ih (Tensor, optional): b; shape ``(4 H,)``.
    b_hh (Tensor, optional): d; shape ``(4 H,)``.

Returns:
    (Tensor, Tensor): the states h and c after it, in the shape of h.

Raises:
    RuntimeError: when shapes or dtypes do not fit.

Example:
    >>> h, c = torch.ones(1, 1), torch.ones(1, 1)
    >>> w = torch.zeros(4, 1)
    >>> torch.lstm_cell(torch.ones(1, 1), (h, c), w, w)
    (tensor([[0.2311]]), tensor([[0.5000]])))",
    .composite = [](const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                    const Tensor& b_hh) -> Tensors<2> {
      check(hx.size() == 2, "lstm_cell expects two hidden states");
      check_cell(Cell::lstm, input, hx, w_ih, w_hh);
      RnnState s = run_cell(Cell::lstm, input, {hx[0], hx[1]}, {w_ih, w_hh, b_ih, b_hh, Tensor()});
      return {{s.h, s.c}};
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
