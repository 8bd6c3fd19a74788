// take: picks elements by their indices in the flattened tensor.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"take(Tensor self, Tensor index) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns the elements at flat positions, in the shape of `index`.

Positions count the elements in order, last dimension fastest, whatever the strides. The gradient
adds what all positions that read an element bring to it.

Args:
    self (Tensor): tensor to read.
    index (Tensor): int64 positions in ``[-n, n)`` for ``n`` elements.

Returns:
    Tensor: shape of `index`, dtype of `self`.

Raises:
    IndexError: when a position is out of range.
    RuntimeError: when `index` is not int64.

Example:
    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, -1]))
    tensor([1, 4]))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, const Tensor& index) {
          check(index.dtype() == Dtype::int64, "take(): Expected a long tensor for index, but got {}", index.dtype());
          check(self.numel() != 0 || index.numel() == 0, ErrorKind::index, "take(): tried to take from an empty tensor");
          out.add(index.sizes(), self.dtype());
        },
        {.dtype_text = "take(): self and out expected to have the same dtype, but got self.dtype = {} and out.dtype = {}",
         .refuses_overlap = true}),
    .cpu =
        [](const Tensor& self, const Tensor& index, Tensor& out) {
          const Tensor flat = dense(self), places = dense(index);
          const int64_t n = self.numel();
          const int64_t* p = places.data<int64_t>();
          dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
            const T* from = flat.data<T>();
            T* to = out.data<T>();
            cpu::parallel_for(0, out.numel(), 16384, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                check(p[i] >= -n && p[i] < n, ErrorKind::index, messages::take_index_out_of_range, p[i], n);
                to[i] = from[p[i] < 0 ? p[i] + n : p[i]];
              }
            });
          });
        },
    .npu = {"Take"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"index"> index) { return op<"put">(op<"new_zeros">(g, self.sizes), index, g, true); })},
});

}  // namespace
}  // namespace mt
