"""The errors of a graph compiler, for programs that catch them; nothing here raises them."""


class TorchDynamoException(RuntimeError):
    """The base of the compiler's errors."""


class InternalTorchDynamoError(TorchDynamoException):
    """The compiler failed."""


class RestartAnalysis(TorchDynamoException):
    """The compiler starts again with a function."""

    def __init__(self, *args, restart_reason=None):
        self.restart_reason = restart_reason
        super().__init__(*args)


class SpeculationRestartAnalysis(RestartAnalysis):
    """A guess of the compiler failed."""


class UnspecializeRestartAnalysis(RestartAnalysis):
    """A number that was a constant varies."""


class CompileCollectiveRestartAnalysis(RestartAnalysis):
    """The ranks agreed on other sizes."""


class TensorifyScalarRestartAnalysis(RestartAnalysis):
    """Numbers become tensors."""


class SkipFrame(TorchDynamoException):
    """A function is not compiled."""


class TorchRuntimeError(TorchDynamoException):
    """An operator failed while it was compiled."""


class InvalidBackend(TorchDynamoException):
    """There is no compiler of a name."""

    def __init__(self, name):
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class ResetRequired(TorchDynamoException):
    """The compiler has to be reset first."""


class BackendCompilerFailed(TorchDynamoException):
    """A compiler of graphs failed."""


class Unsupported(TorchDynamoException):
    """A function cannot be compiled."""


class RecompileError(TorchDynamoException):
    """A function would have to be compiled again."""


class UncapturedHigherOrderOpError(TorchDynamoException):
    """The function of a higher-order operator cannot be compiled."""


class FailOnRecompileLimitHit(Exception):
    """A function was compiled too often."""
