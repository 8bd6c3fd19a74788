// rnn_tanh: layers of plain recurrent units with tanh, over padded (input) or packed (data) sequences.
#include "rules/rnn.h"

namespace mt {
namespace {

constexpr auto padded = [](const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,
                           int64_t num_layers, double dropout, bool train, bool bidirectional,
                           bool batch_first) -> Tensors<2> {
  RnnResult r = run_rnn({Cell::tanh, input, Tensor(), TensorList(&hx, 1), params, has_biases, num_layers, dropout,
                         train, bidirectional, batch_first});
  return {{r.output, r.hy}};
};
constexpr auto packed = [](const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params,
                           bool has_biases, int64_t num_layers, double dropout, bool train,
                           bool bidirectional) -> Tensors<2> {
  RnnResult r = run_rnn({Cell::tanh, data, batch_sizes, TensorList(&hx, 1), params, has_biases, num_layers, dropout,
                         train, bidirectional, false});
  return {{r.output, r.hy}};
};

MT_OP(OpDef{
    .schema = {"rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
               "dropout, bool train, bool bidirectional, bool "
               "batch_first) -> (Tensor, Tensor)",
               "rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int "
               "num_layers, float dropout, bool train, bool "
               "bidirectional) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "Layers of plain recurrent units with tanh: the last layer's outputs, and each layer's last state.",
    .overloads = {overload("input", {.composite = padded}), overload("data", {.composite = packed})},
});

}  // namespace
}  // namespace mt
