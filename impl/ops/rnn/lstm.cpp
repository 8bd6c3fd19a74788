// lstm: layers of long short-term memory, over padded (input) or packed (data) sequences.
#include "rules/rnn.h"

namespace mt {
namespace {

constexpr auto padded = [](const Tensor& input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers,
                           double dropout, bool train, bool bidirectional, bool batch_first) -> Tensors<3> {
  RnnResult r = run_rnn(
      {Cell::lstm, input, Tensor(), hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {{r.output, r.hy, r.cy}};
};
constexpr auto packed = [](const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params,
                           bool has_biases, int64_t num_layers, double dropout, bool train,
                           bool bidirectional) -> Tensors<3> {
  RnnResult r = run_rnn(
      {Cell::lstm, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional, false});
  return {{r.output, r.hy, r.cy}};
};

MT_OP(OpDef{
    .schema = {"lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, "
               "bool train, bool bidirectional, bool "
               "batch_first) -> (Tensor, Tensor, Tensor)",
               "lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int "
               "num_layers, float dropout, bool train, bool "
               "bidirectional) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "Layers of long short-term memory: the last layer's outputs, and each layer's last state.",
    .overloads = {overload("input", {.composite = padded}), overload("data", {.composite = packed})},
});

}  // namespace
}  // namespace mt
