// The grid samplers: checks, memory formats and dtypes, and calls of the loops in cpu/resample/grid_sample.h.
#include "rules/resample/grid_sample.h"

#include "core/messages.h"
#include "rules/conv/layouts.h"
#include "rules/factory/factory.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

cpu::GridShape shape_of(const Tensor& input, const Tensor& grid) {
  const int rank = int(input.dim()) - 2;
  cpu::GridShape shape{
      .rank = rank, .batch = input.size(0), .channels = input.size(1), .in = {}, .plane = 1, .rows = 1, .width = grid.size(rank)};
  for (int d = 0; d < rank; ++d) shape.in[d] = input.size(2 + d), shape.plane *= shape.in[d];
  for (int d = 1; d < rank; ++d) shape.rows *= grid.size(d);
  return shape;
}

void check_gradient(const Tensor& grad, const cpu::GridShape& shape) {
  check(grad.numel() == shape.batch * shape.channels * shape.rows * shape.width, "grid_sampler backward: the gradient has {} elements",
        grad.numel());
}

}  // namespace

void check_grid_device(const Tensor& input, const Tensor& grid) {
  check(input.device() == grid.device(),
        "grid_sampler(): expected input and grid to be on same device, but input is on {} and grid is on {}", input.device(),
        grid.device());
}
void refuse_grid_elsewhere(const Call& call) { check_grid_device(Unbox<Tensor>::from(call.args[0]), Unbox<Tensor>::from(call.args[1])); }

void check_grid(const Tensor& input, const Tensor& grid, int rank, const Sampling& s) {
  for (const Tensor* t : {&input, &grid}) check(t->dim() > 0, ErrorKind::index, messages::dimension_specified_as_0);
  check(input.size(0) == grid.size(0),
        "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {} and grid with "
        "sizes {}",
        input.sizes(), grid.sizes());
  check(grid.size(-1) == input.dim() - 2, "grid_sampler(): expected grid to have size {} in last dimension, but got grid with sizes {}",
        input.dim() - 2, grid.sizes());
  for (int64_t d = 2; d < input.dim(); ++d)
    check(input.size(d) > 0,
          "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {} with dimension "
          "{} being empty",
          input.sizes(), d);
  const bool fits = rank ? input.dim() == rank + 2 && grid.dim() == rank + 2
                         : (input.dim() == 4 || input.dim() == 5) && grid.dim() == input.dim();
  check(fits,
        rank == 2   ? "grid_sampler(): expected 4D input and grid with same number of dimensions, but got input with "
                      "sizes {} and grid with sizes {}"
        : rank == 3 ? "grid_sampler(): expected 5D input and grid with same number of dimensions, but got input with "
                      "sizes {} and grid with sizes {}"
                    : "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input "
                      "with sizes {} and grid with sizes {}",
        input.sizes(), grid.sizes());
  check(input.dim() == 4 || s.mode != 2, "grid_sampler(): bicubic interpolation only supports 4D input");
}

Tensor sample_grid(const Tensor& given, const Tensor& points, const Sampling& s, const char* name) {
  Dims sizes{given.size(0), given.size(1)};
  for (int64_t d = 1; d + 1 < points.dim(); ++d) sizes.push_back(points.size(d));
  const Tensor out = empty(sizes, given.dtype(), given.device());
  if (out.is_meta()) return out;
  dispatch_floating(given.dtype(), name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    check(points.dtype() == given.dtype(), messages::expected_scalar_type, given.dtype(), points.dtype());
    if (out.numel() == 0) return;
    const Tensor grid = dense(points);
    const cpu::GridShape shape = shape_of(given, grid);
    // Pixels with contiguous channels are read in vectors: planes are transposed to channels-last if at least as many points are sampled,
    // each from several pixels.
    constexpr bool has_tiles = std::is_same_v<T, C>;
    const MemoryFormat together = shape.rank == 2 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
    const bool fills = shape.channels % cpu::pixel_lanes<C> == 0, is_channels_last = fills && is_stored_channels_last(given, together);
    const bool transposes = !is_channels_last && shape.channels >= 3 && s.mode != 1 && shape.rows * shape.width >= shape.plane;
    const bool by_channels = has_tiles && (is_channels_last || transposes) && shape.plane < cpu::most_tiled_pixels;
    const bool gathers = by_channels && transposes && !fills;
    const Tensor input = !by_channels || gathers ? make_planar(given)
                         : is_channels_last      ? given
                                                 : copy_into_format(make_planar(given), together);
    cpu::sample_grid<T>(shape, s, {by_channels, gathers}, input.data<T>(), grid.data<T>(), out.data<T>());
  });
  return out;
}

Tensors<2> sample_grid_backward(const Tensor& grad, const Tensor& given, const Tensor& points, const Sampling& s, bool want_input,
                                const char* name) {
  Tensors<2> result;
  if (want_input) result[0] = empty(given.sizes(), given.dtype(), given.device());
  result[1] = empty(points.sizes(), points.dtype(), points.device());
  if (given.is_meta()) return result;
  dispatch_floating(given.dtype(), name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    check(points.dtype() == given.dtype() && grad.dtype() == given.dtype(), messages::expected_scalar_type, given.dtype(),
          points.dtype() == given.dtype() ? grad.dtype() : points.dtype());
    const Dtype wide = compute_dtype(given.dtype());
    const Tensor input = dense_as(given, wide), grid = dense_as(points, wide), g = dense_as(grad, wide);
    const cpu::GridShape shape = shape_of(input, grid);
    check_gradient(g, shape);
    const Tensor dx = want_input && std::is_same_v<T, C> ? result[0] : empty(want_input ? given.sizes() : IntList{0}, wide);
    const Tensor dgrid = std::is_same_v<T, C> ? result[1] : empty(points.sizes(), wide);
    fill_with(dx, 0);
    cpu::sample_grid_backward<C>(shape, s, g.template data<C>(), input.data<C>(), grid.data<C>(), want_input ? dx.data<C>() : nullptr,
                                 dgrid.data<C>());
    if (want_input && dx.get() != result[0].get()) copy_into(result[0], dx);
    if (dgrid.get() != result[1].get()) copy_into(result[1], dgrid);
  });
  return result;
}

Tensors<3> sample_grid_second_backward(const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& given, const Tensor& points,
                                       const Sampling& s) {
  Tensors<3> result;
  check_grid(given, points, 0, s);
  for (auto [gradient, of] : {std::pair{&ggx, &given}, std::pair{&ggg, &points}})
    if (gradient->defined())
      check(gradient->sizes() == of->sizes(), "grid_sampler backward: a gradient of sizes {} for sizes {}", gradient->sizes(), of->sizes());
  dispatch_floating(given.dtype(), "grid_sampler_second_backward", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(given.dtype());
    auto zeros = [&](IntList sizes) {
      const Tensor t = empty(sizes, wide);
      fill_with(t, 0);
      return t;
    };
    const Tensor x = dense_as(given, wide), grid = dense_as(points, wide), g = dense_as(grad, wide);
    const Tensor in = ggx.defined() ? dense_as(ggx, wide) : zeros(given.sizes());
    const Tensor along = ggg.defined() ? dense_as(ggg, wide) : zeros(points.sizes());
    const Tensor dg = zeros(grad.sizes()), dx = zeros(given.sizes()), dgrid = zeros(points.sizes());
    const cpu::GridShape shape = shape_of(x, grid);
    check_gradient(g, shape);
    cpu::sample_grid_second_backward<C>(shape, s,
                                        {.grad = g.template data<C>(),
                                         .input = x.data<C>(),
                                         .grid = grid.data<C>(),
                                         .along_input = in.data<C>(),
                                         .along_grid = along.data<C>(),
                                         .of_grad = dg.data<C>(),
                                         .of_input = dx.data<C>(),
                                         .of_grid = dgrid.data<C>()});
    // With nearest sampling the results of the backward function do not depend on the input, so there is no gradient with respect to it.
    const Tensor input_gradient = s.mode == 1 ? Tensor() : dense_as(dx, given.dtype());
    result = {{dense_as(dg, grad.dtype()), input_gradient, dense_as(dgrid, points.dtype())}};
  });
  return result;
}

}  // namespace mt
