"""torch.testing._internal.logging_tensor: tensors and a mode that log the operators that run on them."""

import contextlib
import logging
import operator
import sys

from ..._root import torch
from ...utils._dtype_abbrs import dtype_abbrs
from ...utils._python_dispatch import TorchDispatchMode
from ...utils._pytree import tree_map, tree_map_only
from ...utils.weak import WeakTensorKeyDictionary
from ._wrapper_tensor import make_wrapper

_LOGGER = "LoggingTensor"


def _log_call(name, args, kwargs, result):
    logging.getLogger(_LOGGER).info(name, args, kwargs, result)


class LoggingTensor(torch.Tensor):
    """Wraps a tensor, and logs each operator that gets the wrapper.

    Args:
        elem (Tensor): what is wrapped.
        requires_grad (bool, optional): whether the wrapper needs a gradient. Default: ``False``.
    """

    elem: torch.Tensor
    __slots__ = ["elem"]
    context = contextlib.nullcontext

    @staticmethod
    def __new__(cls, elem, *args, **kwargs):
        wrapper = make_wrapper(cls, elem, requires_grad=kwargs.get("requires_grad", False))
        wrapper.elem = elem.detach() if wrapper.requires_grad else elem
        return wrapper

    def __repr__(self):
        return super().__repr__(tensor_contents=f"{self.elem}")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        with cls.context():
            elems = tree_map_only(cls, operator.attrgetter("elem"), (args, kwargs))
            result = tree_map_only(torch.Tensor, cls, func(*elems[0], **elems[1]))
        _log_call(f"{func.__module__}.{func.__name__}", args, kwargs, result)
        return result


class LoggingTensorMode(TorchDispatchMode):
    """Logs every operator that runs while it is active."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        _log_call(f"{func.__module__}.{func.__name__}", args, kwargs, result)
        return result


class LoggingTensorReentrant(LoggingTensor):
    """A LoggingTensor that also logs the operators of which a composite operator consists."""

    context = torch.overrides.enable_reentrant_dispatch


class LoggingTensorHandler(logging.Handler):
    """Appends a line for each logged operator to a list; tensors have short numbers in it.

    Args:
        log_list (list of str): what is appended to.
        use_shortid_for_all_tensors (bool): numbers plain tensors, too.
        with_type (bool): whether results have their dtypes and shapes.
        tracebacks_list (list, optional): gets the stack of each operator.
    """

    def __init__(self, log_list, use_shortid_for_all_tensors, with_type, tracebacks_list):
        super().__init__()
        self.log_list = log_list
        self.use_shortid_for_all_tensors = use_shortid_for_all_tensors
        self.tracebacks_list = tracebacks_list
        self.memo = WeakTensorKeyDictionary()
        self.next_id = 0
        self.with_type = with_type

    def _shortid(self, tensor):
        if tensor not in self.memo:
            self.memo[tensor] = self.next_id
            self.next_id += 1
        return self.memo[tensor]

    def _fmt(self, value, with_type=False):
        is_numbered = torch.Tensor if self.use_shortid_for_all_tensors else LoggingTensor
        if not isinstance(value, is_numbered):
            return repr(value)
        shape = ", ".join(map(str, value.shape))
        suffix = f": {dtype_abbrs[value.dtype]}[{shape}]" if with_type and self.with_type else ""
        return f"${self._shortid(value)}{suffix}"

    def emit(self, record):
        args, kwargs, result = record.args
        texts = [str(tree_map(self._fmt, value)) for value in args]
        texts += [f"{name}={tree_map(self._fmt, value)}" for name, value in kwargs.items()]
        results = tree_map(lambda value: self._fmt(value, with_type=True), result)
        self.log_list.append(f"{results} = {record.msg}({', '.join(texts)})")
        if self.tracebacks_list is not None:
            self.tracebacks_list.append(record.traceback)


def log_input(name: str, var: object) -> None:
    """Logs an argument of the program, so that later lines can refer to it.

    Args:
        name (str): what the log calls it.
        var (object): usually a LoggingTensor.
    """
    _log_call("input", (name,), {}, var)


class GatherTraceback(logging.Filter):
    """Gives each log record the stack of the call, innermost first.

    Args:
        python (bool): whether to include frames of Python; frames of TorchScript and C++ (`script`, `cpp`) are never
            included.
    """

    def __init__(self, python=True, script=True, cpp=False):
        super().__init__()
        self.python, self.script, self.cpp = python, script, cpp

    def filter(self, record):
        """Keeps every record."""
        record.traceback = []
        frame = sys._getframe(1) if self.python else None
        while frame is not None:
            code = frame.f_code
            record.traceback.append({"name": code.co_name, "filename": code.co_filename, "line": frame.f_lineno})
            frame = frame.f_back
        return True


@contextlib.contextmanager
def capture_logs(is_mode=False, python_tb=False, script_tb=False, cpp_tb=False):
    """Collects what LoggingTensor and LoggingTensorMode log.

    Args:
        is_mode (bool): numbers plain tensors, too, as LoggingTensorMode needs it.
        python_tb (bool), script_tb (bool), cpp_tb (bool): collects stacks as well.

    Returns:
        context manager: of the list of lines; with stacks of a pair of lists.
    """
    logger = logging.getLogger(_LOGGER)
    lines: list[str] = []
    with_stacks = python_tb or script_tb or cpp_tb
    stacks: "list | None" = [] if with_stacks else None
    handler = LoggingTensorHandler(lines, is_mode, True, stacks)
    gather = GatherTraceback(python=python_tb, script=script_tb, cpp=cpp_tb)
    logger.addHandler(handler)
    if with_stacks:
        logger.addFilter(gather)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield (lines, stacks) if with_stacks else lines
    finally:
        logger.removeHandler(handler)
        logger.removeFilter(gather)


@contextlib.contextmanager
def capture_logs_with_logging_tensor_mode(python_tb=False, script_tb=False, cpp_tb=False):
    """Collects the operators that run inside; the arguments and the value are those of capture_logs."""
    with LoggingTensorMode(), capture_logs(True, python_tb, script_tb, cpp_tb) as logs:
        yield logs
