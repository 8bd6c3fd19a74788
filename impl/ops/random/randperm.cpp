// randperm: a random permutation of 0 ... n - 1.
#include "rules/random/random.h"

namespace mt {
namespace {

// The dtype must represent every integer up to n - 1.
void check_dtype_represents_indices(Dtype dtype, int64_t n) {
  check(dtype != Dtype::float16 || n <= (1 << 11) + 1, "n cannot be greater than 2049 for Half type.");
  check(dtype != Dtype::float32 || n <= (1 << 24) + 1, "n cannot be greater than 2^24+1 for Float type.");
  check(dtype != Dtype::float64 || n <= (int64_t(1) << 53) + 1, "n cannot be greater than 2^53+1 for Double type.");
  if (n > 0 && is_integral(dtype)) Scalar(n - 1).check_fits(dtype);
}

constexpr auto sample_permutation = [](int64_t n, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check(n >= 0, "Trying to create tensor with negative dimension {0}: [{0}]", n);
  const NewOptions o = dense_options(dtype, layout, device, pin, Dtype::int64);
  check_dtype_represents_indices(o.dtype, n);
  Tensor t = empty({n}, o.dtype, o.device);
  draw_into(t, generator, [&](cpu::RandomEngine& engine, const Tensor& to) {
    dispatch_real(to.dtype(), "randperm", [&]<class T>(Type<T>) { cpu::fill_randperm<T>(engine, to.data<T>(), n); });
  });
  return t;
};

constexpr auto sample_permutation_by_default_generator = [](int64_t n, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                                            std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return sample_permutation(n, nullptr, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"randperm(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns a random permutation of the integers from 0 to n - 1.

Every order has equal probability. The numbers come from the generator's stream, so a seed gives the
same ones on every run.

Args:
    n (int): how many; not negative.
    dtype (torch.dtype, optional): a dtype that holds n - 1. Default: int64.

Returns:
    Tensor: a vector of n elements.

Raises:
    RuntimeError: when `n` is negative, or n - 1 is beyond what the dtype counts to without gaps.

Example:
    >>> torch.randperm(4).sort().values
    tensor([0, 1, 2, 3]))",
    .traits = MT_OP_RANDOM,
    .cpu = sample_permutation_by_default_generator,
    .npu = {"Randperm"},
    .meta = sample_permutation_by_default_generator,
    .overloads = {overload("generator", {.cpu = sample_permutation, .npu = {"Randperm"}, .meta = sample_permutation})},
});

}  // namespace
}  // namespace mt
