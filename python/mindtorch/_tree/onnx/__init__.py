"""torch.onnx without its exporter: programs may query whether an export is in progress, which is never the case."""

import enum
import sys
from types import ModuleType

from .._absent_device import define_refusing_functions, make_refusing_class
from . import errors
from .errors import OnnxExporterError

__all__ = ["errors", "export", "is_in_onnx_export", "OnnxExporterError", "ONNXProgram"]

producer_name = "pytorch"
producer_version = "2.13.0"


class TrainingMode(enum.IntEnum):
    """The mode in which a model is exported: evaluation, its current mode, or training."""

    EVAL, PRESERVE, TRAINING = range(3)


class OperatorExportTypes(enum.IntEnum):
    """How to handle operators that ONNX lacks."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


class TensorProtoDataType(enum.Enum):
    """ONNX's numbers of dtypes."""

    (
        UNDEFINED, FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64,
        COMPLEX64, COMPLEX128, BFLOAT16, FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ,
    ) = range(21)  # fmt: skip

    def __int__(self):
        return self.value


def is_in_onnx_export() -> bool:
    """Returns whether a model is being exported.

    Returns:
        bool: False, as there is no exporter.
    """
    return False


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version) -> None:
    """Would describe how an operator is exported: does nothing, as there is no exporter.

    Args:
        symbolic_name (str): the operator, as "aten::relu".
        symbolic_fn (Callable): makes its nodes.
        opset_version (int): the version that it is for.
    """


def unregister_custom_op_symbolic(symbolic_name, opset_version) -> None:
    """Would take back register_custom_op_symbolic: does nothing, as there is no exporter.

    Args:
        symbolic_name (str): the operator.
        opset_version (int): the version.
    """


def _find_descriptions(version):
    """Returns the module with torch's operator descriptions for one version of ONNX: it exists, and is empty."""
    module = ModuleType(f"{__name__}.symbolic_opset{version}", f"Descriptions of operators for opset {version}: none.")
    sys.modules[module.__name__] = module
    return module


for _version in range(7, 21):
    globals()[f"symbolic_opset{_version}"] = _find_descriptions(_version)
del _version

_TEXT = "there is no exporter to ONNX"
ONNXProgram = make_refusing_class(
    __name__,
    "ONNXProgram(model, exported_program): A model as ONNX has it.",
    NotImplementedError,
    f"ONNXProgram: {_TEXT}",
)
define_refusing_functions(
    __name__,
    (
        "export(model, args=(), f=None, *, kwargs=None, verbose=None, input_names=None, output_names=None, "
        "opset_version=None, dynamo=True, external_data=True, dynamic_shapes=None, custom_translation_table=None, "
        "report=False, optimize=True, verify=False, profile=False, dump_exported_program=False, artifacts_dir='.', "
        "export_params=True, keep_initializers_as_inputs=False, dynamic_axes=None, training=0, "
        "operator_export_type=0, do_constant_folding=True, custom_opsets=None, "
        "export_modules_as_functions=False, autograd_inlining=True): Writes a model as an ONNX file.",
    ),
    NotImplementedError,
    f"torch.onnx.{{name}}: {_TEXT}",
)
