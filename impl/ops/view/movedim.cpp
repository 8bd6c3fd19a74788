// movedim: moves dimensions to other positions.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto move_dims = [](const Tensor& self, IntList source, IntList destination) -> Tensor {
  check(source.size() == destination.size(),
        "movedim: Invalid source or destination dims: source ({} dims) should contain the same number of dims as destination ({} dims)",
        source, destination);
  int64_t n = self.dim();
  Dims order(n, -1), used(n ? n : 1, 0);
  for (int64_t dim : source) wrap_dim(dim, n);
  for (int64_t i = 0; i < source.size(); ++i) {
    int64_t from = wrap_dim(source[i], n), to = wrap_dim(destination[i], n);
    check(!used[from], "movedim: repeated dim in `source` ({})", source);
    check(n == 0 || order[to] < 0, "movedim: repeated dim in `destination` ({})", destination);
    used[from] = 1;
    if (n) order[to] = from;
  }
  if (n == 0) return op<"alias">(self);
  int64_t next = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (order[i] >= 0) continue;
    while (used[next]) ++next;
    order[i] = next++;
  }
  return op<"permute">(self, order);
};

MT_OP(OpDef{
    .schema = {"movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
               "movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view with the dimensions `source` moved to the positions `destination`.

The other dimensions keep their order.

Args:
    self (Tensor): tensor of any shape.
    source (int or tuple of int): dimensions to move; negative ones count from the last.
    destination (int or tuple of int): where each of them goes; as many.

Returns:
    Tensor: a view.

Raises:
    RuntimeError: when the numbers of dimensions differ or a dimension is repeated.

Example:
    >>> x = torch.zeros(2, 3, 4)
    >>> torch.movedim(x, 0, 2).shape, torch.movedim(x, (0, 1), (1, 2)).shape
    (torch.Size([3, 4, 2]), torch.Size([4, 2, 3])))",
    .aliases = "moveaxis",
    .composite = move_dims,
    .overloads = {overload("int", {.composite = [](const Tensor& self, int64_t from, int64_t to) -> Tensor {
                             return move_dims(self, {from}, {to});
                           }})},
});

}  // namespace
}  // namespace mt
