// _rnn_layer: one direction of one recurrent layer in one go, for calls without gradients.
#include "rules/rnn.h"
#include "rules/rows.h"

namespace mt {
namespace {

// `batch` says how many sequences each step holds; padded input comes as (steps, batch, width), packed as (rows,
// width).
constexpr auto kernel = [](const Tensor& input, IntList batch, const Tensor& hx, const Tensor& cx, const Tensor& w_ih,
                           const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh, int64_t mode,
                           bool reverse) -> Tensors<3> {
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
    .doc = "One direction of one recurrent layer: outputs and last states.",
    .cpu = kernel,
});

}  // namespace
}  // namespace mt
