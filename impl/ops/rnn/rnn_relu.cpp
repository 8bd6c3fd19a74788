// rnn_relu: layers of plain recurrent units with relu, over padded (input) or packed (data) sequences.
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

constexpr auto run_padded = [](const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers,
                               double dropout, bool train, bool bidirectional, bool batch_first) -> Tensors<2> {
  RnnResult r = run_rnn(
      {Cell::relu, input, Tensor(), TensorList(&hx, 1), params, has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {{r.output, r.hy}};
};
constexpr auto run_packed = [](const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases,
                               int64_t num_layers, double dropout, bool train, bool bidirectional) -> Tensors<2> {
  RnnResult r = run_rnn(
      {Cell::relu, data, batch_sizes, TensorList(&hx, 1), params, has_biases, num_layers, dropout, train, bidirectional, false});
  return {{r.output, r.hy}};
};

MT_OP(OpDef{
    .schema = {"rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
               "dropout, bool train, bool bidirectional, bool "
               "batch_first) -> (Tensor, Tensor)",
               "rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int "
               "num_layers, float dropout, bool train, bool "
               "bidirectional) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes layers of plain recurrent units with ReLU over sequences.

With x the input and h the state: ``h' = max(0, W x + b + V h + d)``. The form with `data` and
`batch_sizes` takes packed sequences. ``torch.nn.RNN`` calls it; each further layer reads the
outputs of the one before, with dropout between them in training.

Args:
    input (Tensor): shape ``(T, N, I)``, or ``(N, T, I)`` with `batch_first`.
    data (Tensor): instead, packed rows; shape ``(rows, I)``.
    batch_sizes (Tensor): int64 number of sequences of each step of packed rows, on the CPU.
    hx (Tensor): first state of shape ``(layers * directions, N, H)``.
    params (sequence of Tensor): for each layer and direction ``W (H, I)``, ``V (H, H)`` and, with
        biases, ``b`` and ``d``.
    has_biases (bool): whether `params` has biases.
    num_layers (int): number of layers.
    dropout (float): probability of an output of a layer but the last to become zero.
    train (bool): whether dropout acts.
    bidirectional (bool): whether each layer has a second direction, which reads backwards.
    batch_first (bool): whether the batch is the first dimension.

Returns:
    (Tensor, Tensor): outputs of the last layer, both directions side by side, and the last state of
    each layer and direction.

Raises:
    RuntimeError: when shapes, dtypes or the number of `params` do not fit.

Example:
    >>> params = [torch.zeros(4, 3), torch.zeros(4, 4)]
    >>> x, hx = torch.ones(5, 2, 3), torch.zeros(1, 2, 4)
    >>> out, h = torch.rnn_relu(x, hx, params, False, 1, 0.0, False, False, False)
    >>> out.shape, h.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4])))",
    .overloads = {overload("input", {.composite = run_padded}), overload("data", {.composite = run_packed})},
});

}  // namespace
}  // namespace mt
