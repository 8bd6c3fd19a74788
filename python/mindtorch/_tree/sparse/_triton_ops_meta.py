"""Parameters of torch's Triton kernels for products of block-sparse matrices: there are no such kernels."""

from .._absent_device import define_refusing_functions

__all__ = ["get_meta", "tune_bsr_dense_addmm", "tune__int_bsr_dense_addmm"]

_OPERANDS = "input, bsr, dense, *, beta=1, alpha=1"

define_refusing_functions(
    __name__,
    (
        "get_meta(op, key, device_name=None, version=None, exact=False): Looks a kernel's parameters up.",
        "update(op, device_name, version, key, value): Stores a kernel's parameters.",
        "minimize(target_func, initial_parameters, reference_parameters, step_func, max_step=2, verbose=False, "
        "all_values=None): Searches for the fastest parameters.",
        f"tune_bsr_dense_addmm({_OPERANDS}, left_alpha=None, right_alpha=None, out=None, store=False, verbose=False, "
        "force=False, opname=None): Measures parameters of a product and a sum.",
        f"tune__int_bsr_dense_addmm({_OPERANDS}, out=None, store=False, verbose=False, force=False): "
        "Measures parameters of a product of integers and a sum.",
    ),
    NotImplementedError,
    "torch.sparse._triton_ops_meta.{name}: there are no Triton kernels",
)
