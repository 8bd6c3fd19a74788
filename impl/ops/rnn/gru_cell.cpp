// gru_cell: one step of a gated recurrent unit.
#include "dispatch/autocast.h"
#include "rules/rnn.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema =
        {"gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor"},
    .forms = function,
    .doc = "One step of a gated recurrent unit: the state after it.",
    .composite = [](const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                    const Tensor& b_hh) -> Tensor {
      check_cell(Cell::gru, input, TensorList(&hx, 1), w_ih, w_hh);
      return run_cell(Cell::gru, input, {hx, Tensor()}, {w_ih, w_hh, b_ih, b_hh, Tensor()}).h;
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
