// _make_dual, _unpack_dual, _fw_primal: combine a tensor with a forward-mode tangent, and take the two apart.
#include "autograd/forward.h"
#include "rules/form/algebra.h"
#include "rules/form/overlap.h"
#include "vmap/rule.h"

namespace mt {
namespace {

int64_t count_stored_elements(const Tensor& t) { return t->storage->nbytes / t.itemsize(); }

// Returns the tangent itself if it has the strides of the primal, and a storage of as many elements; otherwise a copy with these strides. A
// primal that vmap expanded overlaps itself, so its strides cannot be copied.
Tensor copy_tangent_to_layout(const Tensor& primal, const Tensor& tangent) {
  if (!primal->storage || !tangent->storage || overlaps_itself(primal)) return tangent;
  if (primal.strides() == tangent.strides() && primal.is_conj() == tangent.is_conj() && primal.is_neg() == tangent.is_neg() &&
      count_stored_elements(primal) == count_stored_elements(tangent))
    return tangent;
  Tensor copy = op<"new_zeros">(tangent, IntList{count_stored_elements(primal)});
  copy = op<"as_strided">(copy, primal.sizes(), primal.strides(), primal.storage_offset());
  if (primal.is_conj()) copy = op<"_conj">(copy);
  if (primal.is_neg()) copy = op<"_neg_view">(copy);
  return op<"copy_">(copy, tangent);
}

// vmap: a tangent is attached to the tensor inside vmap's wrapper, not to the wrapper.
void batch_make_dual(const BatchCall& c) { c.set_result(0, op<"_make_dual">(c.expanded(0), c.expanded(1), c.args[2])); }
void batch_unpack_dual(const BatchCall& c) {
  Tensors<2> both = op<"_unpack_dual", Tensors<2>>(c.front(0), c.args[1]);
  c.set_result(0, both[0]);
  c.set_result(1, both[1]);
}

MT_OP(OpDef{
    .schema = {"_make_dual(Tensor(a) primal, Tensor tangent, int level) -> Tensor(a)"},
    .forms = function,
    .doc = R"(Returns a view of `primal` whose derivative at `level` of forward mode is `tangent`.

``torch.autograd.forward_ad.make_dual`` calls it. Both tensors must have the same shape.)",
    .composite = [](const Tensor& primal, const Tensor& tangent, int64_t level) -> Tensor {
      check(level >= 0, "Dual level must be a positive number.");
      check(!tangent_of(primal, level).defined(),
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level {} is not supported.", level);
      check(!tangent_of(tangent, level).defined(),
            "Setting a forward grad that itself has a forward gradient at the same level{} is not supported.", level);
      check(primal.sizes() == tangent.sizes(),
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor is "
            "of size {} while the given forward gradient is of size {}.",
            primal.sizes(), tangent.sizes());
      Tensor dual = op<"view">(primal, primal.sizes());
      set_tangent(dual, level, copy_tangent_to_layout(primal, tangent));
      return dual;
    },
    .batch = batch_make_dual,
});

MT_OP(OpDef{
    .schema = {"_fw_primal(Tensor(a) self, int level) -> Tensor(a)"},
    .forms = internal,
    .doc = "Returns a view of the whole tensor that hides its tangent at `level`; part of ``_unpack_dual``.",
    .view = [](const Tensor& self, int64_t) -> Tensor { return alias(self, true); },
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
    .batch = batch_leading,
});

MT_OP(OpDef{
    .schema = {"_unpack_dual(Tensor(a) dual, int level) -> (Tensor(a) primal, Tensor tangent)"},
    .forms = function,
    .doc = R"(Returns a view of `dual` without its tangent at `level`, and that tangent.

The tangent is undefined where there is none. ``torch.autograd.forward_ad.unpack_dual`` calls it.)",
    .composite = [](const Tensor& dual, int64_t level) -> Tensors<2> {
      HideLevelsFrom primal_only(level);
      return {op<"_fw_primal">(dual, level), tangent_of(dual, level)};
    },
    .batch = batch_unpack_dual,
});

}  // namespace
}  // namespace mt
