// lstm_cell: one step of long short-term memory.
#include "dispatch/autocast.h"
#include "rules/rnn.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) "
               "-> (Tensor, Tensor)"},
    .forms = function,
    .doc = "One step of long short-term memory: hidden and cell state after it.",
    .composite = [](const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                    const Tensor& b_hh) -> Tensors<2> {
      check(hx.size() == 2, "lstm_cell expects two hidden states");
      check_cell(Cell::lstm, input, hx, w_ih, w_hh);
      RnnState s = run_cell(Cell::lstm, input, {hx[0], hx[1]}, {w_ih, w_hh, b_ih, b_hh, Tensor()});
      return {{s.h, s.c}};
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
