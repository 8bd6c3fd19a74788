"""torch.onnx without its exporter: programs may ask whether an export is under way, and it never is."""

import enum

from .._absent_device import refuse_all, refusing_class
from . import errors
from .errors import OnnxExporterError

__all__ = ["errors", "export", "is_in_onnx_export", "OnnxExporterError", "ONNXProgram"]

producer_name = "pytorch"
producer_version = "2.13.0"


class TrainingMode(enum.IntEnum):
    """How a model is exported: for evaluation, as it is, or for training."""

    EVAL, PRESERVE, TRAINING = range(3)


class OperatorExportTypes(enum.IntEnum):
    """What becomes of operators that ONNX lacks."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: False."""
    return False


_TEXT = "there is no exporter to ONNX"
ONNXProgram = refusing_class(
    __name__, "ONNXProgram(model, exported_program)", NotImplementedError, f"ONNXProgram: {_TEXT}"
)
refuse_all(
    __name__,
    (
        "export(model, args=(), f=None, *, kwargs=None, verbose=None, input_names=None, output_names=None, "
        "opset_version=None, dynamo=True, external_data=True, dynamic_shapes=None, custom_translation_table=None, "
        "report=False, optimize=True, verify=False, profile=False, dump_exported_program=False, artifacts_dir='.', "
        "export_params=True, keep_initializers_as_inputs=False, dynamic_axes=None, training=0, "
        "operator_export_type=0, do_constant_folding=True, custom_opsets=None, "
        "export_modules_as_functions=False, autograd_inlining=True)",
        "register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version)",
        "unregister_custom_op_symbolic(symbolic_name, opset_version)",
    ),
    NotImplementedError,
    f"torch.onnx.{{name}}: {_TEXT}",
)
