// one_hot: encodes class indices as rows of zeros with a single one.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"one_hot(Tensor self, int num_classes=-1) -> Tensor"},
    .forms = function,
    .doc = R"(Returns rows of zeros with a one at each class index.

Args:
    self (Tensor): int64 class indices in ``[0, num_classes)``; any shape ``(*)``.
    num_classes (int): number of classes; -1 takes the largest index plus one. Default: ``-1``.

Returns:
    Tensor: int64; shape ``(*, num_classes)``.

Raises:
    RuntimeError: when the dtype is not int64, an index is out of range, or the number of classes
        cannot be found because `self` is empty.

Example:
    >>> F.one_hot(torch.tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]]))",
    .module = "nn",
    .composite = [](const Tensor& self, int64_t classes) -> Tensor {
      check(self.dtype() == Dtype::int64, "one_hot is only applicable to index tensor of type LongTensor.");
      Dims sizes(self.sizes());
      if (self.numel() == 0) {
        check(classes > 0, "Can not infer total number of classes from empty tensor.");
        sizes.push_back(classes);
        return op<"empty">(sizes, self.dtype(), nullptr, self.device());
      }
      if (self.is_meta()) {
        check(classes != -1, messages::item_of_meta_tensor);
        check(classes >= 0, messages::bounds_inconsistent_with_step);
        sizes.push_back(classes);
        return op<"empty">(sizes, self.dtype(), nullptr, self.device());
      }
      const int64_t low = *on_host(op<"min">(self)).data<int64_t>(), high = *on_host(op<"max">(self)).data<int64_t>();
      check(low >= 0, "Class values must be non-negative.");
      if (classes == -1) classes = high + 1;
      check(classes > high, "Class values must be smaller than num_classes.");
      check(classes > 0, "num_classes should be positive");
      sizes.push_back(classes);
      const Tensor out = op<"empty">(sizes, self.dtype(), nullptr, self.device());
      op<"zero_">(out);
      return op<"scatter_.value">(out, -1, op<"unsqueeze">(self, -1), 1);
    },
    .grad = not_differentiable,
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
