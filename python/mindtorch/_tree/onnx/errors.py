"""The errors of exports to ONNX."""

__all__ = ["OnnxExporterWarning", "UnsupportedOperatorError", "OnnxExporterError"]


class OnnxExporterWarning(UserWarning):
    """A warning that an export differs from the request."""


class OnnxExporterError(RuntimeError):
    """Raised if an export failed."""

    __module__ = "torch.onnx"


class UnsupportedOperatorError(OnnxExporterError):
    """Raised where ONNX has no such operator.

    Args:
        name (str): the operator.
        version (int): the requested version.
        supported_version (int or None): the first that has it.
    """

    def __init__(self, name: str, version: int, supported_version: int | None) -> None:
        if supported_version is not None:
            text = (
                f"Exporting the operator '{name}' to ONNX opset version {version} is not supported. "
                f"Support for this operator was added in version {supported_version}, try exporting with this version"
            )
        else:
            text = (
                f"ONNX export failed on an operator with unrecognized namespace {name}. If you are trying to export a "
                "custom operator, make sure you registered it with the right domain and version."
            )
        super().__init__(text)
