// _rnn_layer: one direction of one recurrent layer in a single call, without gradients.
#include "rules/reduction/rows.h"
#include "rules/rnn/rnn.h"

namespace mt {
namespace {

void check_arguments(const Tensor& input, IntList batch, const Tensor& hx, const Tensor& cx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh, int64_t mode) {
  check(mode >= 0 && mode <= 3, ErrorKind::value, "_rnn_layer: there is no cell {}", mode);
  check(is_floating(input.dtype()), "_rnn_layer: expected floating input, but got {}", input.dtype());
  check(input.dim() >= 2 && hx.dim() == 2, "_rnn_layer: expected input of at least 2D and a 2D state, but got {}D and {}D", input.dim(),
        hx.dim());
  const int64_t hidden = hx.size(1), gates = gates_of(Cell(mode)) * hidden;
  check((Cell(mode) == Cell::lstm) == cx.defined() && (!cx.defined() || cx.sizes() == hx.sizes()),
        "_rnn_layer: the cell's state does not fit the hidden state of sizes {}", hx.sizes());
  check(w_ih.sizes() == IntList({gates, input.size(-1)}) && w_hh.sizes() == IntList({gates, hidden}),
        "_rnn_layer: weights of sizes {} and {} do not fit", w_ih.sizes(), w_hh.sizes());
  for (const Tensor* bias : {&b_ih, &b_hh})
    check(!bias->defined() || bias->sizes() == IntList({gates}), "_rnn_layer: expected biases of {} elements", gates);
  int64_t rows = 0, most = hx.size(0);
  for (int64_t n : batch) {
    check(n >= 0 && n <= most, ErrorKind::value, "_rnn_layer: batch sizes must not grow beyond the state's, got {}", batch);
    rows += n;
    most = n;
  }
  check(input.size(-1) == 0 || rows == input.numel() / input.size(-1), "_rnn_layer: {} rows for batch sizes {}",
        input.numel() / std::max<int64_t>(1, input.size(-1)), batch);
}

// `batch` is the number of sequences in each step; padded input has shape (steps, batch, width), packed input (rows,
// width).
constexpr auto compute_rnn_layer = [](const Tensor& input, IntList batch, const Tensor& hx, const Tensor& cx, const Tensor& w_ih,
                                      const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh, int64_t mode,
                                      bool reverse) -> Tensors<3> {
  check_arguments(input, batch, hx, cx, w_ih, w_hh, b_ih, b_hh, mode);
  const Cell cell = Cell(mode);
  const Dtype wide = compute_dtype(input.dtype());
  Dims sizes(input.sizes());
  sizes[sizes.size() - 1] = hx.size(1);
  const int64_t width = input.size(-1), rows = width ? input.numel() / width : 0;
  Tensor x = dense_as(input, wide);
  x = alias(x, {rows, width}, {width, 1}, x.storage_offset());
  const RnnLayer layer{cell,
                       x,
                       dense_as(hx, wide),
                       dense_as(cx, wide),
                       dense_as(w_ih, wide),
                       dense_as(w_hh, wide),
                       dense_as(b_ih, wide),
                       dense_as(b_hh, wide),
                       reverse};
  Tensor out = empty(sizes, wide), hy = empty(hx.sizes(), wide), cy = cx.defined() ? empty(cx.sizes(), wide) : Tensor();
  rnn_layer_forward(layer, batch, out, hy, cy, Tensor());
  return {{dense_as(out, input.dtype()), dense_as(hy, input.dtype()), dense_as(cy, input.dtype())}};
};

MT_OP(OpDef{
    .schema = {"_rnn_layer(Tensor input, int[] batch_sizes, Tensor hx, Tensor? cx, Tensor w_ih, Tensor w_hh, Tensor? "
               "b_ih, Tensor? b_hh, int mode, bool reverse) "
               "-> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = R"(Computes one direction of one recurrent layer at once: outputs and last states.

The recurrent operators call it where no gradient is wanted.)",
    .cpu = compute_rnn_layer,
});

}  // namespace
}  // namespace mt
