// Recurrent networks of any number of layers and directions, padded and packed: fused layers if no gradients are needed that only
// operators can give, otherwise step by step.
#include "rules/rnn/rnn.h"

#include <algorithm>

#include "core/dispatch_dtype.h"
#include "core/messages.h"

namespace mt {
namespace {

using TensorVector = std::vector<Tensor>;

Tensor apply_linear(const Tensor& x, const Tensor& w, const Tensor& b) { return op<"linear">(x, w, b); }
TensorVector split_chunks(const Tensor& t, int64_t n) { return op<"unsafe_chunk", TensorVector>(t, n, 1); }
Tensor stack_steps(const TensorVector& list) { return op<"stack">(list, 0); }
Tensor slice_rows(const Tensor& t, int64_t begin, int64_t end) { return op<"slice.Tensor">(t, 0, begin, end, 1); }

std::vector<CellWeights> gather_weights(TensorList params, bool has_biases, bool projected) {
  const int64_t each = 2 + 2 * has_biases + projected;
  check(params.size() % each == 0, "got an incorrect number of RNN parameters");
  std::vector<CellWeights> list;
  for (int64_t i = 0; i < params.size(); i += each) {
    CellWeights w;
    w.w_ih = params[i], w.w_hh = params[i + 1];
    if (has_biases) w.b_ih = params[i + 2], w.b_hh = params[i + 3];
    if (projected) w.w_hr = params[i + each - 1];
    list.push_back(std::move(w));
  }
  return list;
}

bool wants_gradient(const Tensor& t) { return t.defined() && t.keys() & key_bit(Key::autograd); }

// Whether the fused kernel supports the layer: shapes and dtypes match, and autograd need not see the operators in
// between.
bool can_use_fused(Cell cell, const Tensor& input, const RnnState& s, const CellWeights& w) {
  if (w.w_hr.defined() || w.b_ih.defined() != w.b_hh.defined()) return false;
  const Dtype dtype = input.dtype();
  if (!is_floating(dtype) || is_float8(dtype) || !input.device().is_cpu() || s.h.dim() != 2 || w.w_ih.dim() != 2 || w.w_hh.dim() != 2)
    return false;
  for (const Tensor* t : {&s.h, &s.c, &w.w_ih, &w.w_hh, &w.b_ih, &w.b_hh}) {
    if (!t->defined()) continue;
    if (t->dtype() != dtype || !t->device().is_cpu() || (thread_state.grad_mode && wants_gradient(*t))) return false;
  }
  if (thread_state.grad_mode && wants_gradient(input)) return false;
  const int64_t hidden = s.h.size(1), width = hidden * gates_of(cell);
  if (w.w_ih.sizes() != IntList{width, input.size(-1)} || w.w_hh.sizes() != IntList{width, hidden}) return false;
  if (w.b_ih.defined() && (w.b_ih.sizes() != IntList{width} || w.b_hh.sizes() != IntList{width})) return false;
  return !s.c.defined() || s.c.sizes() == s.h.sizes();
}

struct LayerResult {
  Tensor output;
  RnnState state;
};

// ---- padded: input (steps, batch, width) ----

LayerResult run_padded_steps(Cell cell, const Tensor& input, RnnState state, const CellWeights& w, bool reverse) {
  const Tensor gates = apply_linear(input, w.w_ih, w.b_ih);
  TensorVector steps = op<"unbind.int", TensorVector>(gates, 0), outputs;
  if (reverse) std::reverse(steps.begin(), steps.end());
  for (const Tensor& step : steps) {
    state = cell_step(cell, step, state, w);
    outputs.push_back(state.h);
  }
  check(!outputs.empty(), messages::rnn_sequence_is_empty);
  if (reverse) std::reverse(outputs.begin(), outputs.end());
  return {stack_steps(outputs), state};
}

LayerResult run_padded_layer(Cell cell, const Tensor& input, const RnnState& state, const CellWeights& w, bool reverse) {
  if (can_use_fused(cell, input, state, w) && input.dim() == 3 && input.numel() && state.h.size(0) == input.size(1)) {
    auto r = op<"_rnn_layer", Tensors<3>>(input, Dims(input.size(0), input.size(1)), state.h, state.c, w.w_ih, w.w_hh, w.b_ih, w.b_hh,
                                          int64_t(cell), reverse);
    return {r[0], {r[1], r[2]}};
  }
  return run_padded_steps(cell, input, state, w, reverse);
}

// ---- packed: input (rows, width) ----

LayerResult run_packed_steps(Cell cell, const Tensor& input, const RnnState& initial, const CellWeights& w, const Dims& sizes,
                             bool reverse) {
  const Tensor gates = apply_linear(input, w.w_ih, w.b_ih);
  const int64_t n = sizes.size();
  auto part = [&](const RnnState& s, int64_t begin, int64_t end) {
    return RnnState{slice_rows(s.h, begin, end), s.c.defined() ? slice_rows(s.c, begin, end) : Tensor()};
  };
  auto join = [](const Tensor& a, const Tensor& b) { return a.defined() ? op<"cat">(TensorVector{a, b}, 0) : a; };
  TensorVector outputs;
  if (reverse) {  // in reverse, sequences join at their own ends
    int64_t last = n ? sizes[n - 1] : 0, end = 0;
    for (int64_t s : sizes) end += s;
    RnnState state = part(initial, 0, last);
    for (int64_t t = n; t-- > 0;) {
      if (sizes[t] > last) {
        const RnnState more = part(initial, last, sizes[t]);
        state = {join(state.h, more.h), join(state.c, more.c)};
      }
      last = sizes[t];
      state = cell_step(cell, op<"narrow">(gates, 0, end - last, last), state, w);
      outputs.push_back(state.h);
      end -= last;
    }
    std::reverse(outputs.begin(), outputs.end());
    check(!outputs.empty(), messages::rnn_sequence_is_empty);
    return {op<"cat">(outputs, 0), state};
  }
  std::vector<RnnState> ended;  // the states of finished sequences, the last ones first
  int64_t last = n ? sizes[0] : 0, begin = 0;
  RnnState state = initial;
  for (int64_t t = 0; t < n; ++t) {
    if (sizes[t] < last) {
      ended.push_back(part(state, sizes[t], last));
      state = part(state, 0, sizes[t]);
    }
    last = sizes[t];
    state = cell_step(cell, op<"narrow">(gates, 0, begin, last), state, w);
    outputs.push_back(state.h);
    begin += last;
  }
  check(!outputs.empty(), messages::rnn_sequence_is_empty);
  TensorVector h{state.h}, c{state.c};
  for (size_t i = ended.size(); i-- > 0;) h.push_back(ended[i].h), c.push_back(ended[i].c);
  return {op<"cat">(outputs, 0), {op<"cat">(h, 0), state.c.defined() ? op<"cat">(c, 0) : Tensor()}};
}

LayerResult run_packed_layer(Cell cell, const Tensor& input, const RnnState& state, const CellWeights& w, const Dims& sizes, bool reverse) {
  int64_t total = 0, most = sizes.empty() ? 0 : sizes[0];
  bool falling = most > 0;
  for (int64_t i = 0; i < sizes.size(); ++i) {
    falling = falling && sizes[i] > 0 && sizes[i] <= most && (i == 0 || sizes[i] <= sizes[i - 1]);
    if (falling) total += sizes[i];
  }
  if (falling && can_use_fused(cell, input, state, w) && input.dim() == 2 && total == input.size(0) && state.h.size(0) == most) {
    auto r = op<"_rnn_layer", Tensors<3>>(input, sizes, state.h, state.c, w.w_ih, w.w_hh, w.b_ih, w.b_hh, int64_t(cell), reverse);
    return {r[0], {r[1], r[2]}};
  }
  return run_packed_steps(cell, input, state, w, sizes, reverse);
}

// ---- stacks of layers ----

TensorVector layers_of(const Tensor& hidden) { return op<"unbind.int", TensorVector>(hidden, 0); }

Dims read_batch_sizes(const Tensor& t) {
  check(t.dtype() == Dtype::int64, messages::expected_scalar_type_long, t.dtype());
  check(t.dim() == 1, "expected batch_sizes to be 1D, but got {}D", t.dim());
  const Tensor packed = op<"contiguous">(t);
  return Dims(IntList(packed.data<int64_t>(), packed.numel()));
}

RnnResult run_stack(const RnnCall& call, const Tensor& first, const std::vector<RnnState>& states,
                    const std::vector<CellWeights>& weights) {
  const bool packed = call.batch_sizes.defined();
  const int64_t directions = call.bidirectional ? 2 : 1;
  if (call.bidirectional)
    check(states.size() % 2 == 0 && weights.size() % 2 == 0, "Odd number of params or hiddens given to a bidirectional RNN");
  check(call.num_layers == int64_t(states.size()) / directions, "Expected more hidden states in stacked_rnn");
  check(call.num_layers == int64_t(weights.size()) / directions, "Expected more weights in stacked_rnn");
  const Dims sizes = packed ? read_batch_sizes(call.batch_sizes) : Dims();
  auto run = [&](const Tensor& x, size_t i, bool reverse) {
    return packed ? run_packed_layer(call.cell, x, states[i], weights[i], sizes, reverse)
                  : run_padded_layer(call.cell, x, states[i], weights[i], reverse);
  };
  Tensor x = first;
  TensorVector h, c;
  for (int64_t l = 0; l < call.num_layers; ++l) {
    const size_t i = size_t(l * directions);
    LayerResult r = run(x, i, false);
    h.push_back(r.state.h), c.push_back(r.state.c);
    if (call.bidirectional) {
      LayerResult back = run(x, i + 1, true);
      h.push_back(back.state.h), c.push_back(back.state.c);
      r.output = op<"cat">(TensorVector{r.output, back.output}, r.output.dim() - 1);
    }
    x = r.output;
    if (call.dropout != 0 && call.train && l < call.num_layers - 1) x = op<"dropout">(x, call.dropout, true);
  }
  return {x, stack_steps(h), call.cell == Cell::lstm ? stack_steps(c) : Tensor()};
}

// For these dtypes torch runs LSTMs with one operator per layer, whose node is all that autograd sees.
bool uses_layer_operator(const RnnCall& call) {
  if (call.cell != Cell::lstm || call.batch_sizes.defined() || call.input.numel() == 0 || call.input.device().is_meta()) return false;
  for (TensorList list : {call.hx, call.params})
    for (const Tensor& t : list)
      if (t.dtype() != call.input.dtype() || !t.device().is_cpu()) return false;
  const Dtype d = call.input.dtype();
  return d == Dtype::float32 || is_half(d);
}

RnnResult run_layer_operators(const RnnCall& call, const Tensor& first) {
  const int64_t directions = call.bidirectional ? 2 : 1, each = call.has_biases ? 4 : 2, count = call.params.size();
  check(count % each == 0, "MatrixRef: ArrayRef size {} not divisible by stride {}", count, each);
  const int64_t hidden = call.hx[0].size(wrap_dim(2, call.hx[0].dim()));
  wrap_dim(2, first.dim());
  Tensor x = first;
  TensorVector h, c;
  for (int64_t l = 0; l < call.num_layers; ++l) {
    TensorVector outputs;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t i = l * directions + d;
      check((i + 1) * each <= count, "ArrayRef: invalid slice, N = {}; M = {}; size = {}", i * each, each, count);
      const Tensor* w = call.params.data + i * each;
      const Tensor hx = op<"select.int">(call.hx[0], 0, i), cx = op<"select.int">(call.hx[1], 0, i);
      const Tensor none = call.has_biases ? Tensor() : op<"zeros">(w[0].sizes(), w[0].dtype(), nullptr, w[0].device());
      auto r = op<"mkldnn_rnn_layer", Tensors<4>>(x, w[0], w[1], call.has_biases ? w[2] : none, call.has_biases ? w[3] : none, hx, cx,
                                                  d == 1, IntList(), int64_t(Cell::lstm), hidden, call.num_layers, call.has_biases,
                                                  call.bidirectional, call.batch_first, call.train);
      outputs.push_back(r[0]), h.push_back(r[1]), c.push_back(r[2]);
    }
    x = directions == 1 ? outputs[0] : op<"cat">(outputs, -1);
    if (call.dropout != 0 && call.train && l < call.num_layers - 1) x = op<"dropout">(x, call.dropout, true);
  }
  return {x, stack_steps(h), stack_steps(c)};
}

}  // namespace

RnnState cell_step(Cell cell, const Tensor& input_gates, const RnnState& s, const CellWeights& w) {
  if (cell == Cell::gru) {
    const TensorVector in = split_chunks(input_gates, 3), hidden = split_chunks(apply_linear(s.h, w.w_hh, w.b_hh), 3);
    const Tensor reset = op<"sigmoid_">(op<"add_.Tensor">(hidden[0], in[0])), update = op<"sigmoid_">(op<"add_.Tensor">(hidden[1], in[1]));
    const Tensor next = op<"tanh_">(op<"add.Tensor">(in[2], op<"mul_.Tensor">(hidden[2], reset)));
    return {op<"add_.Tensor">(op<"mul_.Tensor">(s.h - next, update), next), Tensor()};
  }
  const Tensor gates = op<"add_.Tensor">(apply_linear(s.h, w.w_hh, w.b_hh), input_gates);
  if (cell != Cell::lstm) return {cell == Cell::tanh ? op<"tanh">(gates) : op<"relu">(gates), Tensor()};
  const TensorVector g = split_chunks(gates, 4);
  const Tensor in = op<"sigmoid_">(g[0]), forget = op<"sigmoid_">(g[1]), next = op<"tanh_">(g[2]), open = op<"sigmoid_">(g[3]);
  const Tensor c = op<"add_.Tensor">(forget * s.c, in * next);
  Tensor h = open * op<"tanh">(c);
  if (w.w_hr.defined()) h = op<"matmul">(h, op<"t">(w.w_hr));
  return {h, c};
}

void check_cell(Cell cell, const Tensor& input, TensorList hidden, const Tensor& w_ih, const Tensor& w_hh) {
  const int64_t width = w_ih.size(wrap_dim(1, w_ih.dim())), size = w_hh.size(wrap_dim(1, w_hh.dim()));
  const int64_t got = input.size(wrap_dim(1, input.dim()));
  check(got == width, "input has inconsistent input_size: got {} expected {}", got, width);
  for (int64_t i = 0; i < hidden.size(); ++i) {
    const int64_t batch = hidden[i].size(wrap_dim(0, hidden[i].dim())), have = hidden[i].size(wrap_dim(1, hidden[i].dim()));
    check(input.size(0) == batch, "Input batch size {} doesn't match hidden{} batch size {}", input.size(0), i, batch);
    check(have == size, "hidden{} has inconsistent hidden_size: got {}, expected {}", i, have, size);
  }
  const int64_t gates = gates_of(cell);
  check(w_ih.size(0) == gates * size, "weight_ih first dim must be {} * hidden_size = {}, but got {}", gates, gates * size, w_ih.size(0));
  check(w_hh.size(0) == gates * size, "weight_hh first dim must be {} * hidden_size = {}, but got {}", gates, gates * size, w_hh.size(0));
}

RnnState run_cell(Cell cell, const Tensor& input, const RnnState& state, const CellWeights& w) {
  return cell_step(cell, apply_linear(input, w.w_ih, w.b_ih), state, w);
}

RnnResult run_rnn(const RnnCall& call) {
  const bool lstm = call.cell == Cell::lstm;
  if (lstm) check(call.hx.size() == 2, "lstm expects two hidden states");
  const bool projected = lstm && call.hx[0].size(wrap_dim(2, call.hx[0].dim())) != call.hx[1].size(wrap_dim(2, call.hx[1].dim()));
  const bool transposes = call.batch_first && !call.batch_sizes.defined();
  if (uses_layer_operator(call)) {
    if (!projected) {
      RnnResult r = run_layer_operators(call, transposes ? op<"transpose.int">(call.input, 0, 1) : call.input);
      if (transposes) r.output = op<"transpose.int">(r.output, 0, 1);
      return r;
    }
    warn("LSTM with projections is not supported with oneDNN. Using default implementation.");
  }
  const Tensor first = transposes ? op<"transpose.int">(call.input, 0, 1) : call.input;
  const TensorVector h = layers_of(call.hx[0]), c = lstm ? layers_of(call.hx[1]) : TensorVector();
  check(!lstm || h.size() == c.size(), "Expected as many hidden as cell states, but got {} and {}", int64_t(h.size()), int64_t(c.size()));
  std::vector<RnnState> states;
  for (size_t i = 0; i < h.size(); ++i) states.push_back({h[i], lstm ? c[i] : Tensor()});
  RnnResult r = run_stack(call, first, states, gather_weights(call.params, call.has_biases, projected));
  if (transposes) r.output = lstm ? op<"transpose.int">(r.output, 0, 1) : op<"transpose_">(r.output, 0, 1);
  return r;
}

}  // namespace mt
