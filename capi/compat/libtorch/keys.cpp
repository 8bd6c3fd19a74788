// Maps torch's names of dispatch keys to the library's.
#include "keys.h"

#include <string_view>

#include "support.h"

namespace mt::stable {
namespace {

constexpr std::string_view backends[] = {"CPU", "CUDA", "HIP",  "XLA",  "MPS",         "IPU",         "XPU",         "HPU",
                                         "VE",  "Lazy", "MTIA", "MAIA", "PrivateUse1", "PrivateUse2", "PrivateUse3", "Meta"};
constexpr std::string_view per_backend[] = {"", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd"};
constexpr std::string_view others[] = {"BackendSelect",
                                       "FuncTorchDynamicLayerBackMode",
                                       "Functionalize",
                                       "Named",
                                       "ZeroTensor",
                                       "AutogradNestedTensor",
                                       "Tracer",
                                       "AutocastXPU",
                                       "AutocastIPU",
                                       "AutocastHPU",
                                       "AutocastXLA",
                                       "AutocastMPS",
                                       "AutocastCUDA",
                                       "AutocastMTIA",
                                       "AutocastMAIA",
                                       "BatchedNestedTensor",
                                       "FuncTorchVmapMode",
                                       "Batched",
                                       "VmapMode",
                                       "DeferredInit",
                                       "PythonTLSSnapshot",
                                       "TESTING_ONLY_GenericWrapper",
                                       "TESTING_ONLY_GenericMode",
                                       "PreDispatch",
                                       "PythonDispatcher",
                                       "FuncTorchBatchedDecomposition",
                                       "CompositeImplicitAutogradNestedTensor"};

struct KeyMeaning {
  std::string_view name;
  int32_t key;
};
constexpr KeyMeaning direct[] = {{"CPU", MT_KEY_CPU},
                                 {"PrivateUse1", MT_KEY_NPU},
                                 {"Meta", MT_KEY_META},
                                 {"SparseCPU", MT_KEY_SPARSE},
                                 {"SparseCsrCPU", MT_KEY_SPARSE_COMPRESSED},
                                 {"Negative", MT_KEY_NEGATIVE},
                                 {"Conjugate", MT_KEY_CONJUGATE},
                                 {"Python", MT_KEY_PYTHON},
                                 {"ADInplaceOrView", MT_KEY_VIEW_AND_VERSION},
                                 {"AutogradCPU", MT_KEY_AUTOGRAD},
                                 {"AutogradPrivateUse1", MT_KEY_AUTOGRAD},
                                 {"AutogradMeta", MT_KEY_AUTOGRAD},
                                 {"AutogradFunctionality", MT_KEY_AUTOGRAD},
                                 {"AutogradOther", MT_KEY_AUTOGRAD},
                                 {"AutocastCPU", MT_KEY_AUTOCAST},
                                 {"AutocastPrivateUse1", MT_KEY_AUTOCAST},
                                 {"FuncTorchBatched", MT_KEY_TRANSFORMS},
                                 {"FuncTorchGradWrapper", MT_KEY_TRANSFORMS},
                                 {"FuncTorchDynamicLayerFrontMode", MT_KEY_TRANSFORMS}};

bool is_torch_key_name(std::string_view name) {
  for (std::string_view other : others)
    if (name == other) return true;
  for (std::string_view functionality : per_backend)
    for (std::string_view backend : backends)
      if (name.size() == functionality.size() + backend.size() && name.substr(0, functionality.size()) == functionality &&
          name.substr(functionality.size()) == backend)
        return true;
  return false;
}

}  // namespace

DispatchKey dispatch_key_named(const char* text) {
  const std::string_view name = text && *text ? text : "CompositeImplicitAutograd";
  for (const KeyMeaning& meaning : direct)
    if (name == meaning.name) return {{meaning.key}, MT_RANK_DIRECT};
  if (name == "Autograd") return {{MT_KEY_AUTOGRAD}, MT_RANK_ALIAS};
  if (name == "CompositeImplicitAutograd") return {{MT_KEY_COMPOSITE}, MT_RANK_ALIAS};
  if (name == "CompositeExplicitAutograd" || name == "CompositeExplicitAutogradNonFunctional")
    return {{MT_KEY_CPU, MT_KEY_NPU, MT_KEY_META}, MT_RANK_ALIAS};
  if (!is_torch_key_name(name)) fail("could not parse dispatch key: " + std::string(name));
  return {{}, MT_RANK_DIRECT};
}

}  // namespace mt::stable
