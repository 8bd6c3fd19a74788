"""torch's names of dispatch keys, and which of them this library's dispatcher has."""

from .. import _C

_BACKENDS = (
    "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta".split()
)
_FUNCTIONALITIES = ("", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd")
_OTHERS = (
    "Undefined Dense Quantized Sparse SparseCsr NestedTensor BackendSelect Python PythonTLSSnapshot PythonDispatcher "
    "PreDispatch Functionalize Conjugate Negative ZeroTensor ADInplaceOrView AutogradOther AutogradFunctionality "
    "AutogradNestedTensor Autograd AutocastCPU AutocastMPS AutocastXPU AutocastHPU AutocastIPU AutocastCUDA "
    "AutocastPrivateUse1 FuncTorchDynamicLayerFrontMode FuncTorchDynamicLayerBackMode FuncTorchBatched "
    "FuncTorchBatchedDecomposition FuncTorchVmapMode FuncTorchGradWrapper CompositeImplicitAutograd "
    "CompositeImplicitAutogradNestedTensor CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional"
).split()
NAMES = frozenset((*_OTHERS, *(prefix + backend for prefix in _FUNCTIONALITIES for backend in _BACKENDS)))
# One Autograd serves all devices; the explicit composite is a kernel for each.
_SAME = {
    "AutogradCPU": ("Autograd",),
    "AutogradPrivateUse1": ("Autograd",),
    "AutogradMeta": ("Autograd",),
    "CompositeExplicitAutograd": ("CPU", "PrivateUse1", "Meta"),
    "CompositeExplicitAutogradNonFunctional": ("CPU", "PrivateUse1", "Meta"),
}


def slots(name):
    """The dispatcher's own numbers for a key: none where no tensor here can reach it. RuntimeError for no key."""
    if name not in NAMES:
        raise RuntimeError(f"could not parse dispatch key: {name}")
    members = _C.DispatchKey.__members__
    return [members[own].value for own in _SAME.get(name, (name,)) if own in members]


def of_device(kind):
    """The key of a device type: "CPU" for "cpu". RuntimeError, with torch.device's text, for no device type."""
    from .._root import torch

    kind = torch.device(kind).type
    special = {"npu": "PrivateUse1", "privateuseone": "PrivateUse1", "meta": "Meta", "lazy": "Lazy"}
    return special.get(kind, kind.upper())
