// affine_grid_generator: the image of a regular grid under an affine map; with its backward.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

// The centre of each element of a dimension in [-1, 1]; with align_corners the outermost centres are the ends.
Tensor list_pixel_centres(const Tensor& theta, int64_t n, bool align_corners) {
  if (n <= 1) return op<"zeros">(IntList{n}, theta.dtype(), nullptr, theta.device());
  const Tensor ends = op<"linspace">(-1, 1, n, theta.dtype(), nullptr, theta.device());
  return align_corners ? ends : ends * double(n - 1) / double(n);
}
// (N, points, rank + 1): x first, then y (and z), then 1.
Tensor base_grid(const Tensor& theta, IntList size, bool align_corners) {
  const int64_t rank = size.size() - 2;
  Dims sizes{size[0]};
  for (int64_t d = 0; d < rank; ++d) sizes.push_back(size[2 + d]);
  sizes.push_back(rank + 1);
  for (int64_t s : sizes) check(s >= 0, messages::negative_size_in, s, sizes);
  const Tensor base = op<"empty.memory_format">(sizes, theta.dtype(), nullptr, theta.device());
  for (int64_t d = 0; d < rank; ++d) {
    Dims along(rank, 1);
    along[rank - 1 - d] = size[1 + rank - d];
    op<"copy_">(op<"select.int">(base, -1, d), op<"view">(list_pixel_centres(theta, size[1 + rank - d], align_corners), along));
  }
  op<"fill_">(op<"select.int">(base, -1, rank), 1);
  int64_t points = 1;
  for (int64_t d = 0; d < rank; ++d) points *= size[2 + d];
  return op<"view">(base, IntList{size[0], points, rank + 1});
}
void check_size(IntList size) {
  check(size.size() == 4 || size.size() == 5, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
}

constexpr auto compute_affine_grid_generator = [](const Tensor& theta, IntList size, bool align_corners) -> Tensor {
  BelowAutograd guard;
  check_size(size);
  Dims sizes{size[0]};
  for (int64_t d = 2; d < size.size(); ++d) sizes.push_back(size[d]);
  sizes.push_back(size.size() - 2);
  const Tensor base = base_grid(theta, size, align_corners);
  return op<"view">(op<"bmm">(base, op<"transpose.int">(theta, 1, 2)), sizes);
};

MT_OP(OpDef{
    .schema = {"affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor"},
    .forms = function,
    .doc =
        R"(Returns the points that affine maps send the elements of a regular grid to.

The grid holds the centres of the elements of an image or a volume of `size`; coordinates run from
-1 to 1 and come in the order x, y (z). ``torch.nn.functional.affine_grid`` calls it;
``grid_sample`` reads images at the points (Jaderberg et al., "Spatial transformer networks",
NeurIPS 2015).

Args:
    theta (Tensor): matrices; shape ``(N, 2, 3)``, for volumes ``(N, 3, 4)``.
    size (tuple of int): ``(N, C, H, W)`` or ``(N, C, D, H, W)`` of the wanted output.
    align_corners (bool): whether -1 and 1 are the centres of the outermost elements, otherwise
        their outer edges.

Returns:
    Tensor: shape ``(N, H, W, 2)`` or ``(N, D, H, W, 3)``.

Raises:
    RuntimeError: when `size` has another length or does not fit `theta`.

Example:
    >>> theta = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> torch.affine_grid_generator(theta, (1, 1, 1, 2), False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]]))",
    .cpu = compute_affine_grid_generator,
    .npu = {"AffineGrid"},
    .meta = compute_affine_grid_generator,
    .grad = {wrt("theta", [](Grad g, In<"size", IntList> size,
                             In<"align_corners", bool> align) { return op<"affine_grid_generator_backward">(g, *size, *align); })},
});

MT_OP(OpDef{
    .schema = {"affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``affine_grid_generator`` for the matrices.",
    .composite = [](const Tensor& grad, IntList size, bool align_corners) -> Tensor {
      check_size(size);
      const Tensor base = base_grid(grad, size, align_corners);
      const Tensor points = op<"reshape">(grad, IntList{size[0], base.size(1), size.size() - 2});
      return op<"transpose.int">(op<"bmm">(op<"transpose.int">(base, 1, 2), points), 1, 2);
    },
});

}  // namespace
}  // namespace mt
