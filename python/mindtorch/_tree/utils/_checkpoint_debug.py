"""checkpoint(debug=True): records both runs of a region, to show where they differ."""

import contextlib
import traceback

from .._root import torch
from ._checkpoint_recompute import CheckpointError
from ._dtype_abbrs import dtype_abbrs
from ._python_dispatch import TorchDispatchMode
from ._pytree import tree_map


def _print_value(value):
    if not isinstance(value, torch.Tensor):
        return value
    return f"{dtype_abbrs.get(value.dtype, value.dtype)}[{', '.join(map(str, value.shape))}]"


class _Recorder(TorchDispatchMode):
    """Records each operator with its source location in the program."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[str] = []
        self.stacks: list[list[str]] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        shown = ", ".join(str(value) for value in tree_map(_print_value, list(args)))
        self.operators.append(f"{tree_map(_print_value, result)} = {func}({shown})")
        frames = traceback.extract_stack()[:-1]
        self.stacks.append([f"{frame.filename}:{frame.lineno}:{frame.name}" for frame in reversed(frames)])
        return result

    def format_traces(self, label) -> str:
        count = len(self.operators)
        entries = zip(self.operators, self.stacks, strict=True)
        return "".join(
            f"{operator}   ({number} of {count} in {label})\n\n" + "\n".join(stack) + "\n\n\n"
            for number, (operator, stack) in enumerate(entries, 1)
        )


def _report_difference(first: _Recorder, second: _Recorder) -> str:
    sections = (
        ("1. Stack traces of the operators that ran in the original forward", first.format_traces("original")),
        ("2. Stack traces of the operators that ran during recomputation", second.format_traces("recompute")),
        (
            "3. Log of operators in the original forward and recomputation",
            "Operations executed during the original forward:\n\n"
            + "\n".join(first.operators)
            + "\n\nOperations executed during recomputation:\n\n"
            + "\n".join(second.operators),
        ),
    )
    text = " An error happened while unpacking tensors; dumping logs of latest computation\n"
    text += "because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.\n"
    for title, body in sections:
        text += f"\n{'-' * 80}\n{title}\n{'-' * 80}\n\n{body}\n"
    return (
        text + "\nERROR: Detected non-determinism while running activation checkpointing\n\n"
        "You are seeing this error because you passed `debug=True` to checkpoint, and recomputation saved other "
        "tensors than the original forward.\nFind the first difference between the two lists of section 3; sections 1 "
        "and 2 show where each operator was called.\n"
    )


def debug_contexts():
    """Returns context_fn, and a function that handles a CheckpointError."""
    first, second = _Recorder(), _Recorder()

    @contextlib.contextmanager
    def start_recording(recorder):
        recorder.operators.clear()
        recorder.stacks.clear()
        with recorder:
            yield

    def explain_checkpoint_error(error: CheckpointError):
        raise CheckpointError(_report_difference(first, second)) from error

    return (lambda: (start_recording(first), start_recording(second))), explain_checkpoint_error
