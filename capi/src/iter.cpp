// Loops over tensors for kernels written in C.
#include "convert.h"
#include "core/lazy_clone.h"
#include "cpu/copy/nest.h"
#include "cpu/threads/parallel.h"
#include "layers/conjugate.h"
#include "rules/form/rule.h"
#include "vmap/batched.h"

using namespace mt;
using namespace mt::capi;

mt_status* mt_iter_run(mt_tensor* const* tensors, int64_t n, int64_t grain, mt_iter_fn body, void* user) {
  return guard([&] {
    require_not_null(tensors, "tensors");
    require_not_null(reinterpret_cast<const void*>(body), "body");
    check(n >= 1 && n <= cpu::Nest::max_operands, ErrorKind::value, "mt_iter_run takes from 1 to {} tensors, got {}",
          int(cpu::Nest::max_operands), n);
    Tensor operands[cpu::Nest::max_operands];
    for (int64_t i = 0; i < n; ++i) {
      operands[i] = tensor_of(tensors[i], "a tensor");
      check_has_memory(*operands[i]);
      check(operands[i].device().is_cpu(), "mt_iter_run reads CPU tensors, got one on {}", operands[i].device());
      if (i) operands[i] = resolve_lazy_bits(operands[i]);
    }
    const Tensor& first = operands[0];
    check(!first.is_conj() && !first.is_neg(), "the first tensor of mt_iter_run must not be a conjugate or negative view");
    check_no_internal_overlap(first);
    copy_shared_bytes(*first->storage);
    cpu::Nest nest(first.sizes());
    nest.add(first.data(), first.itemsize(), first.strides());
    for (int64_t i = 1; i < n; ++i) {
      const Tensor& t = operands[i];
      check(broadcast_shapes(first.sizes(), t.sizes()) == first.sizes(), "a tensor of shape {} does not broadcast to {}", t.sizes(),
            first.sizes());
      nest.add_broadcast(t.data(), t.itemsize(), t.sizes(), t.strides());
    }
    if (first.numel() == 0) return;
    nest.finish();
    cpu::parallel_for(0, first.numel(), grain, [&](int64_t begin, int64_t end) {
      nest.runs(begin, end,
                [&](char* const* data, const int64_t* strides, int64_t count) { rethrow_status(body(user, data, strides, count)); });
    });
  });
}
