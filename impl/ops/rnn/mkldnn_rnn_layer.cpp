// mkldnn_rnn_layer: one direction of one LSTM layer that saves values for its backward, under torch's name.
#include "core/messages.h"
#include "rules/reduction/rows.h"
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

void check_product(const Tensor& x, int64_t rows, int64_t width, const Tensor& w) {
  check(w.dim() == 2 && x.dtype() == w.dtype(), messages::mat1_and_mat2_dtypes_differ, x.dtype(), w.dtype());
  check(width == w.size(1), messages::matrix_shapes_cannot_be_multiplied, rows, width, w.size(1), w.size(0));
}
void check_arguments(const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& hx, const Tensor& cx, int64_t mode,
                     IntList batch_sizes) {
  check(Cell(mode) == Cell::lstm, ErrorKind::not_implemented, "mkldnn_rnn_layer: mode {} is not supported", mode);
  check(batch_sizes.empty(), ErrorKind::not_implemented, "mkldnn_rnn_layer: packed sequences are not supported");
  check(input.dim() == 3, "mkldnn_rnn_layer: expected a 3D input, but got {}D", input.dim());
  check(hx.numel() == cx.numel() && hx.dim() >= 2 && hx.numel() == input.size(1) * hx.size(-1),
        "Expected hidden and cell states of {} sequences, but got {} and {}", input.size(1), hx.sizes(), cx.sizes());
  check_product(input, input.size(0) * input.size(1), input.size(2), w_ih);
  check_product(hx, input.size(1), hx.size(-1), w_hh);
  check(w_ih.size(0) == 4 * hx.size(-1) && w_hh.size(0) == w_ih.size(0),
        "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension 1", w_hh.size(0), w_ih.size(0));
}
// Reshapes to (rows, columns), as float for the half types.
Tensor view_as_matrix(const Tensor& t, int64_t columns, Dtype wide) {
  const Tensor d = dense_as(t, wide);
  return d.defined() ? alias(d, {columns ? d.numel() / columns : 0, columns}, {columns, 1}, d.storage_offset()) : d;
}
Tensor reshape_in_dtype(const Tensor& t, IntList sizes, Dtype dtype) {
  const Tensor d = dense_as(t, dtype);
  return alias(d, sizes, contiguous_strides(sizes), d.storage_offset());
}
RnnLayer make_rnn_layer(const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh,
                        const Tensor& hx, const Tensor& cx, bool has_biases, bool reverse) {
  const Dtype wide = compute_dtype(input.dtype());
  const int64_t hidden = hx.size(-1);
  return {Cell::lstm,
          view_as_matrix(input, input.size(2), wide),
          view_as_matrix(hx, hidden, wide),
          view_as_matrix(cx, hidden, wide),
          dense_as(w_ih, wide),
          dense_as(w_hh, wide),
          has_biases ? dense_as(b_ih, wide) : Tensor(),
          has_biases ? dense_as(b_hh, wide) : Tensor(),
          reverse};
}

constexpr auto compute_mkldnn_rnn_layer = [](const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                                             const Tensor& b_hh, const Tensor& hx, const Tensor& cx, bool reverse, IntList batch_sizes,
                                             int64_t mode, int64_t, int64_t, bool has_biases, bool, bool, bool train) -> Tensors<4> {
  check_arguments(input, w_ih, w_hh, hx, cx, mode, batch_sizes);
  check(!has_biases || (b_ih.numel() == w_ih.size(0) && b_hh.numel() == w_hh.size(0)), "Expected biases of {} elements", w_ih.size(0));
  const Dtype wide = compute_dtype(input.dtype());
  const int64_t steps = input.size(0), n = input.size(1), hidden = hx.size(-1);
  const RnnLayer layer = make_rnn_layer(input, w_ih, w_hh, b_ih, b_hh, hx, cx, has_biases, reverse);
  const Tensor out = empty({steps, n, hidden}, wide), hy = empty({n, hidden}, wide), cy = empty({n, hidden}, wide);
  const Tensor workspace = train || thread_state.grad_mode ? empty({steps * n, 5 * hidden}, wide) : Tensor();
  rnn_layer_forward(layer, Dims(steps, n), out, hy, cy, workspace);
  return {{dense_as(out, input.dtype()), reshape_in_dtype(hy, hx.sizes(), input.dtype()), reshape_in_dtype(cy, cx.sizes(), input.dtype()),
           workspace.defined() ? workspace : empty({0}, wide)}};
};

constexpr auto compute_mkldnn_rnn_layer_backward = [](const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                                                      const Tensor& b_hh, const Tensor& hx, const Tensor& cx, const Tensor& output,
                                                      const Tensor&, const Tensor&, const Tensor& grad_output, const Tensor& grad_hy,
                                                      const Tensor& grad_cy, bool reverse, int64_t mode, int64_t, int64_t, bool has_biases,
                                                      bool, bool, IntList batch_sizes, bool, const Tensor& workspace) -> Tensors<7> {
  check_arguments(input, w_ih, w_hh, hx, cx, mode, batch_sizes);
  const Dtype dtype = input.dtype(), wide = compute_dtype(dtype);
  const int64_t steps = input.size(0), n = input.size(1), hidden = hx.size(-1);
  check(workspace.numel() == steps * n * 5 * hidden && workspace.dtype() == wide && workspace.is_contiguous(),
        "mkldnn_rnn_layer_backward: the workspace is not the forward's");
  check(output.numel() == steps * n * hidden, "mkldnn_rnn_layer_backward: the output is not the forward's");
  const RnnLayer layer = make_rnn_layer(input, w_ih, w_hh, b_ih, b_hh, hx, cx, has_biases, reverse);
  const RnnLayerGradients d = lstm_layer_backward(layer, steps, view_as_matrix(output, hidden, wide), workspace,
                                                  view_as_matrix(grad_output, hidden, wide), view_as_matrix(grad_hy, hidden, wide),
                                                  view_as_matrix(grad_cy, hidden, wide));
  const Tensor bias = has_biases ? dense_as(d.bias, dtype) : Tensor(), other = has_biases ? empty({4 * hidden}, dtype) : Tensor();
  if (has_biases) copy_into(other, bias);
  return {{reshape_in_dtype(d.input, input.sizes(), dtype), dense_as(d.w_ih, dtype), dense_as(d.w_hh, dtype), bias, other,
           reshape_in_dtype(d.h0, hx.sizes(), dtype), reshape_in_dtype(d.c0, cx.sizes(), dtype)}};
};

MT_OP(OpDef{
    .schema = {"mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor "
               "hx_, Tensor cx_, bool reverse, int[] "
               "batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool "
               "batch_first, bool train) -> (Tensor, Tensor, "
               "Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes one direction of one LSTM layer, with a workspace for its gradient.

``torch.lstm`` is the usual way to compute it; the formulas are there.

Args:
    input (Tensor): shape ``(T, N, I)``.
    weight0 (Tensor): W; shape ``(4 H, I)``.
    weight1 (Tensor): V; shape ``(4 H, H)``.
    weight2 (Tensor): b; shape ``(4 H,)``.
    weight3 (Tensor): d; shape ``(4 H,)``.
    hx_ (Tensor): first hidden state; shape ``(N, H)``.
    cx_ (Tensor): first cell state; shape ``(N, H)``.
    reverse (bool): whether to read backwards.
    batch_sizes (tuple of int): must be empty: packed sequences are refused.
    mode (int): kind of the cell; only 2, an LSTM.
    hidden_size (int): H.
    num_layers (int): number of layers; has no effect.
    has_biases (bool): whether biases are added.
    bidirectional (bool): has no effect.
    batch_first (bool): has no effect.
    train (bool): whether the workspace is filled.

Returns:
    (Tensor, Tensor, Tensor, Tensor): outputs, last hidden state, last cell state and the workspace.

Raises:
    NotImplementedError: when `mode` is another cell or `batch_sizes` is not empty.
    RuntimeError: when shapes or dtypes do not fit.

Example:
    >>> x, h = torch.ones(3, 2, 1), torch.zeros(2, 1)
    >>> w, b = torch.zeros(4, 1), torch.zeros(4)
    >>> out = torch.mkldnn_rnn_layer(
    ...     x, w, w, b, b, h, h, False, (), 2, 1, 1, True, False, False, False
    ... )
    >>> out[0].shape
    torch.Size([3, 2, 1]))",
    .cpu = compute_mkldnn_rnn_layer,
    .grad = {wrt({"input", "weight0", "weight1", "weight2", "weight3", "hx_", "cx_"},
                 [](GradOf<0> g, GradOf<1> gh, GradOf<2> gc, In<"input"> x, In<"weight0"> w0, In<"weight1"> w1, In<"weight2"> w2,
                    In<"weight3"> w3, In<"hx_"> hx, In<"cx_"> cx, Out<"result0"> out, Out<"result1"> hy, Out<"result2"> cy,
                    In<"reverse", bool> reverse, In<"mode", int64_t> mode, In<"hidden_size", int64_t> hidden,
                    In<"num_layers", int64_t> layers, In<"has_biases", bool> biases, In<"train", bool> train,
                    In<"bidirectional", bool> both, In<"batch_sizes", IntList> sizes, In<"batch_first", bool> first,
                    Out<"result3"> workspace) {
                   return op<"mkldnn_rnn_layer_backward", Tensors<7>>(x, w0, w1, w2, w3, hx, cx, out, hy, cy, g, gh, gc, *reverse, *mode,
                                                                      *hidden, *layers, *biases, *train, *both, *sizes, *first, workspace);
                 })},
});
MT_OP(OpDef{
    .schema = {"mkldnn_rnn_layer_backward(Tensor input, Tensor weight1, Tensor weight2, Tensor weight3, Tensor "
               "weight4, Tensor hx_, Tensor cx_tmp, Tensor output, "
               "Tensor hy_, Tensor cy_, Tensor? grad_output, Tensor? grad_hy, Tensor? grad_cy, bool reverse, int mode, "
               "int hidden_size, int num_layers, bool "
               "has_biases, bool train, bool bidirectional, int[] batch_sizes, bool batch_first, Tensor workspace) -> "
               "(Tensor, Tensor, Tensor, Tensor, Tensor, "
               "Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of ``mkldnn_rnn_layer`` for input, weights, biases and states.",
    .cpu = compute_mkldnn_rnn_layer_backward,
});

}  // namespace
}  // namespace mt
