// The fused recurrent layer: kernels of the gates, and products over all steps at once where the recurrence allows it.
#include <cmath>
#include <cstring>

#include "cpu/gemm/gemm.h"
#include "rules/reduction/rows.h"
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

// One row of gates. `gates` holds the pre-activations, the sum of both products, and receives the activations; for GRU `hidden_gates` holds
// the second product separately. Nothing overlaps: without that guarantee the loops stay scalar.
template <class C>
struct LstmRow {
  static void run(C* __restrict__ gates, C* __restrict__ cell, C* __restrict__ hidden, C* __restrict__ out, int64_t n) {
    for (int64_t i = 0; i < 2 * n; ++i) gates[i] = cpu::vec::sigmoid(gates[i]);
    for (int64_t i = 2 * n; i < 3 * n; ++i) gates[i] = cpu::vec::tanh(gates[i]);
    for (int64_t i = 3 * n; i < 4 * n; ++i) gates[i] = cpu::vec::sigmoid(gates[i]);
    const C *in = gates, *forget = gates + n, *next = gates + 2 * n, *open = gates + 3 * n;
    for (int64_t i = 0; i < n; ++i) cell[i] = forget[i] * cell[i] + in[i] * next[i];
    for (int64_t i = 0; i < n; ++i) out[i] = open[i] * cpu::vec::tanh(cell[i]);
    for (int64_t i = 0; i < n; ++i) hidden[i] = out[i];
  }
};
template <class C>
struct GruRow {
  static void run(C* __restrict__ gates, const C* __restrict__ hidden_gates, C* __restrict__ state, C* __restrict__ out, int64_t n) {
    for (int64_t i = 0; i < 2 * n; ++i) gates[i] = cpu::vec::sigmoid(gates[i] + hidden_gates[i]);
    const C *reset = gates, *update = gates + n, *from = hidden_gates + 2 * n;
    C* next = gates + 2 * n;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) next[i] = cpu::vec::tanh(next[i] + reset[i] * from[i]);
    for (int64_t i = 0; i < n; ++i) out[i] = (state[i] - next[i]) * update[i] + next[i];
    for (int64_t i = 0; i < n; ++i) state[i] = out[i];
  }
};
template <class C>
struct PlainRow {
  static void run(const C* __restrict__ gates, C* __restrict__ hidden, C* __restrict__ out, int64_t n, bool relu) {
    if (relu)
      for (int64_t i = 0; i < n; ++i) out[i] = gates[i] <= C(0) ? C(0) : gates[i];
    else
      for (int64_t i = 0; i < n; ++i) out[i] = cpu::vec::tanh(gates[i]);
    for (int64_t i = 0; i < n; ++i) hidden[i] = out[i];
  }
};
// Gradients of the pre-activations, and of the cell before this step (in `dc`).
template <class C>
struct LstmRowBackward {
  static void run(const C* __restrict__ kept, const C* __restrict__ before, const C* __restrict__ dh, C* __restrict__ dc,
                  C* __restrict__ dg, int64_t n) {
    const C *in = kept, *forget = kept + n, *next = kept + 2 * n, *open = kept + 3 * n, *cell = kept + 4 * n;
    C *d_in = dg, *d_forget = dg + n, *d_next = dg + 2 * n, *d_open = dg + 3 * n;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const C t = cpu::vec::tanh(cell[i]);
      d_open[i] = dh[i] * t * open[i] * (C(1) - open[i]);
      dc[i] += dh[i] * open[i] * (C(1) - t * t);
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d_in[i] = dc[i] * next[i] * in[i] * (C(1) - in[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d_forget[i] = dc[i] * before[i] * forget[i] * (C(1) - forget[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d_next[i] = dc[i] * in[i] * (C(1) - next[i] * next[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) dc[i] *= forget[i];
  }
};

template <class C>
cpu::ConstMatrix<C> view_as_rows(const C* data, int64_t width) {
  return {data, width, 1};
}
template <class C>
cpu::ConstMatrix<C> view_as_transposed(const C* data, int64_t width) {  // the transpose
  return {data, 1, width};
}
template <class C>
void copy_rows(const C* from, C* to, int64_t count) {
  std::memcpy(static_cast<void*>(to), from, size_t(count) * sizeof(C));
}

template <class C>
void run_layer(const RnnLayer& l, IntList batch, const Tensor& output, const Tensor& hy, const Tensor& cy, const Tensor& workspace) {
  const int64_t hidden = l.h0.size(1), width = hidden * gates_of(l.cell), rows = l.input.size(0), in = l.input.size(1), most = l.h0.size(0);
  const Tensor gates = empty({rows, width}, l.input.dtype()),
               apart = l.cell == Cell::gru ? empty({most, width}, l.input.dtype()) : Tensor();
  C *g = gates.data<C>(), *h = hy.data<C>(), *c = cy.defined() ? cy.data<C>() : nullptr;
  copy_rows(l.h0.data<C>(), h, most * hidden);
  if (c) copy_rows(l.c0.data<C>(), c, most * hidden);
  // Adds both biases at once, except for GRU, whose hidden product is scaled before it is added.
  Tensor bias = l.b_ih;
  if (l.b_ih.defined() && l.cell != Cell::gru) {
    bias = empty({width}, l.input.dtype());
    for (int64_t i = 0; i < width; ++i) bias.data<C>()[i] = l.b_ih.data<C>()[i] + l.b_hh.data<C>()[i];
  }
  cpu::Epilogue<C> with_bias, with_hidden_bias;
  if (bias.defined()) with_bias.col_bias = bias.data<C>();
  if (l.b_hh.defined()) with_hidden_bias.col_bias = l.b_hh.data<C>();
  cpu::gemm<C>(rows, width, in, C(1), view_as_rows(static_cast<const C*>(l.input.data<C>()), in),
               view_as_transposed(static_cast<const C*>(l.w_ih.data<C>()), in), C(0), {g, width, 1}, with_bias);
  // gemm with few rows reads a matrix in this order without packing it; in the other order it would pack it again in each step.
  const bool transposes = batch.size() >= 4;
  const Tensor transposed = transposes ? dense(op<"t">(l.w_hh)) : Tensor();
  const cpu::ConstMatrix<C> w = transposes ? view_as_rows(static_cast<const C*>(transposed.data<C>()), width)
                                           : view_as_transposed(static_cast<const C*>(l.w_hh.data<C>()), hidden);
  const auto lstm = row_clone<LstmRow<C>>(LstmRow<C>::run);
  const auto gru = row_clone<GruRow<C>>(GruRow<C>::run);
  const auto plain = row_clone<PlainRow<C>>(PlainRow<C>::run);
  int64_t at = l.reverse ? rows : 0;
  for (int64_t s = 0; s < batch.size(); ++s) {
    const int64_t n = batch[l.reverse ? batch.size() - 1 - s : s];
    if (l.reverse) at -= n;
    C *row = g + at * width, *out = output.data<C>() + at * hidden,
      *kept = workspace.defined() ? workspace.data<C>() + at * 5 * hidden : nullptr;
    if (l.cell == Cell::gru) {
      C* other = apart.data<C>();
      cpu::gemm<C>(n, width, hidden, C(1), view_as_rows(static_cast<const C*>(h), hidden), w, C(0), {other, width, 1}, with_hidden_bias);
      for_rows(n, width * 8, [&](int64_t r) { gru(row + r * width, other + r * width, h + r * hidden, out + r * hidden, hidden); });
    } else {
      cpu::gemm<C>(n, width, hidden, C(1), view_as_rows(static_cast<const C*>(h), hidden), w, C(1), {row, width, 1});
      if (l.cell == Cell::lstm)
        for_rows(n, width * 8, [&](int64_t r) {
          lstm(row + r * width, c + r * hidden, h + r * hidden, out + r * hidden, hidden);
          if (!kept) return;
          copy_rows(row + r * width, kept + r * 5 * hidden, width);
          copy_rows(c + r * hidden, kept + r * 5 * hidden + width, hidden);
        });
      else
        for_rows(n, width * 8, [&](int64_t r) { plain(row + r * width, h + r * hidden, out + r * hidden, hidden, l.cell == Cell::relu); });
    }
    if (!l.reverse) at += n;
  }
}

template <class C>
RnnLayerGradients compute_layer_gradients(const RnnLayer& l, int64_t steps, const Tensor& output, const Tensor& workspace,
                                          const Tensor& grad_output, const Tensor& grad_hy, const Tensor& grad_cy) {
  const int64_t n = l.h0.size(0), hidden = l.h0.size(1), width = 4 * hidden, in = l.input.size(1), rows = steps * n;
  const Dtype dtype = l.input.dtype();
  RnnLayerGradients d{empty({rows, in}, dtype), empty({width, in}, dtype), empty({width, hidden}, dtype),
                      empty({width}, dtype),    empty({n, hidden}, dtype), empty({n, hidden}, dtype)};
  const Tensor gates = empty({rows, width}, dtype), before_h = empty({rows, hidden}, dtype);
  C *dg = gates.data<C>(), *dh = d.h0.data<C>(), *dc = d.c0.data<C>(), *before = before_h.data<C>();
  auto start = [&](const Tensor& given, C* to) {
    if (given.defined())
      copy_rows(given.data<C>(), to, n * hidden);
    else
      std::memset(static_cast<void*>(to), 0, size_t(n * hidden) * sizeof(C));
  };
  start(grad_hy, dh);
  start(grad_cy, dc);
  const C *kept = workspace.data<C>(), *w = l.w_hh.data<C>();
  const auto row = row_clone<LstmRowBackward<C>>(LstmRowBackward<C>::run);
  for (int64_t s = steps - 1; s >= 0; --s) {  // in the opposite direction of the forward
    const int64_t t = l.reverse ? steps - 1 - s : s, previous = l.reverse ? t + 1 : t - 1;
    copy_rows(s > 0 ? output.data<C>() + previous * n * hidden : l.h0.data<C>(), before + t * n * hidden, n * hidden);
    if (grad_output.defined()) {
      const C* g = grad_output.data<C>() + t * n * hidden;
      for (int64_t i = 0; i < n * hidden; ++i) dh[i] += g[i];
    }
    for_rows(n, width * 8, [&](int64_t r) {
      const C* cell = s > 0 ? kept + ((previous * n + r) * 5 + 4) * hidden : l.c0.data<C>() + r * hidden;
      row(kept + (t * n + r) * 5 * hidden, cell, dh + r * hidden, dc + r * hidden, dg + (t * n + r) * width, hidden);
    });
    cpu::gemm<C>(n, hidden, width, C(1), view_as_rows(static_cast<const C*>(dg + t * n * width), width), view_as_rows(w, hidden), C(0),
                 {dh, hidden, 1});
  }
  const C* all = dg;
  cpu::gemm<C>(rows, in, width, C(1), view_as_rows(all, width), view_as_rows(static_cast<const C*>(l.w_ih.data<C>()), in), C(0),
               {d.input.data<C>(), in, 1});
  cpu::gemm<C>(width, in, rows, C(1), view_as_transposed(all, width), view_as_rows(static_cast<const C*>(l.input.data<C>()), in), C(0),
               {d.w_ih.data<C>(), in, 1});
  cpu::gemm<C>(width, hidden, rows, C(1), view_as_transposed(all, width), view_as_rows(static_cast<const C*>(before), hidden), C(0),
               {d.w_hh.data<C>(), hidden, 1});
  C* sum = d.bias.data<C>();
  std::memset(static_cast<void*>(sum), 0, size_t(width) * sizeof(C));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < width; ++i) sum[i] += all[r * width + i];
  return d;
}

}  // namespace

void rnn_layer_forward(const RnnLayer& layer, IntList batch, const Tensor& output, const Tensor& hy, const Tensor& cy,
                       const Tensor& workspace) {
  if (layer.input.dtype() == Dtype::float64) return run_layer<double>(layer, batch, output, hy, cy, workspace);
  run_layer<float>(layer, batch, output, hy, cy, workspace);
}

RnnLayerGradients lstm_layer_backward(const RnnLayer& layer, int64_t steps, const Tensor& output, const Tensor& workspace,
                                      const Tensor& grad_output, const Tensor& grad_hy, const Tensor& grad_cy) {
  if (layer.input.dtype() == Dtype::float64)
    return compute_layer_gradients<double>(layer, steps, output, workspace, grad_output, grad_hy, grad_cy);
  return compute_layer_gradients<float>(layer, steps, output, workspace, grad_output, grad_hy, grad_cy);
}

}  // namespace mt
