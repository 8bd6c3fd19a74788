// Recurrent networks: the fused layer (one product for all input steps, one pass over the gates per step), and cells made of
// operators.
#pragma once

#include "rules/form/algebra.h"

namespace mt {

enum class Cell : int64_t { relu = 0, tanh = 1, lstm = 2, gru = 3 };
constexpr int64_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }

// ---- below the dispatcher ----

// One direction of one layer. Steps are concatenated in `input` (rows, width), the first `batch[t]` sequences each;
// weights are (gates, width) and (gates, hidden), biases may be undefined; only LSTM uses `c0` and `cy`. With
// `workspace` (rows, 5 hidden) LSTM saves its gates and cells for the backward. All contiguous and of one dtype, float
// or double.
struct RnnLayer {
  Cell cell;
  Tensor input, h0, c0, w_ih, w_hh, b_ih, b_hh;
  bool reverse;
};
void rnn_layer_forward(const RnnLayer& layer, IntList batch, const Tensor& output, const Tensor& hy, const Tensor& cy,
                       const Tensor& workspace);
struct RnnLayerGradients {
  Tensor input, w_ih, w_hh, bias, h0, c0;
};
// The backward of an LSTM layer in which every step has the same number of sequences.
RnnLayerGradients lstm_layer_backward(const RnnLayer& layer, int64_t steps, const Tensor& output, const Tensor& workspace,
                                      const Tensor& grad_output, const Tensor& grad_hy, const Tensor& grad_cy);

// ---- made of operators ----

struct CellWeights {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};
struct RnnState {
  Tensor h, c;
};
RnnState cell_step(Cell cell, const Tensor& input_gates, const RnnState& state, const CellWeights& weights);
// Raises torch's errors for the arguments of a cell.
void check_cell(Cell cell, const Tensor& input, TensorList hidden, const Tensor& w_ih, const Tensor& w_hh);
RnnState run_cell(Cell cell, const Tensor& input, const RnnState& state, const CellWeights& weights);

struct RnnCall {
  Cell cell;
  Tensor input, batch_sizes;  // batch_sizes of packed sequences, else undefined
  TensorList hx, params;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional, batch_first;
};
struct RnnResult {
  Tensor output, hy, cy;
};
RnnResult run_rnn(const RnnCall& call);

}  // namespace mt
