"""What is measured: groups of cases, each a function that prepares its arguments and returns the call to time."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

# Files of cases, in the order of the report. The bench runs only the files that are listed here.
FILES = (
    "start", "calls", "calls_from_c", "gradients", "pointwise", "reductions", "products", "attention", "random_numbers",
    "movement", "convolution", "optimizers", "models", "generation", "memory", "files",
)  # fmt: skip

# The other libraries that a case may measure, and the module that is passed to the case's `prepare`. "floor" is
# mindtorch with stubbed operators: the time of everything else.
BESIDE = {"NumPy": "numpy", "onnxruntime": "onnxruntime", "floor": "torch"}


@dataclass(frozen=True)
class Case:
    """One line of the report.

    prepare(torch) runs once on either side, after manual_seed(0), and returns a function without arguments; its time
    is measured, and its first result (tensors in any nesting, numbers, None) must be equal on both sides up to
    `tolerance` of the largest. A string is a program for a fresh process that prints one number in `unit`.
    With `native`, our side is that benchmark of `mindtorch_bench` instead. `beside` holds the prepare(module) of others
    that do the same work, by their names in BESIDE.
    """

    group: str
    name: str
    prepare: Callable | str
    at_most: float | None  # the ratio (ours / torch's) that the project promises
    tolerance: float = 1e-4
    unit: str = "s"
    beside: dict[str, Callable] | None = None
    native: str | None = None

    @property
    def key(self):
        return f"{self.group}/{self.name}"


class Group:
    def __init__(self, name, at_most, **defaults):
        self.name, self.at_most, self.defaults, self.cases = name, at_most, defaults, []

    def add_case(self, name, prepare, at_most=None, **fields):
        self.cases.append(Case(self.name, name, prepare, at_most or self.at_most, **{**self.defaults, **fields}))

    def register_case(self, name, **fields):
        """Decorates a function prepare(torch)."""
        return lambda prepare: self.add_case(name, prepare, **fields) or prepare


def list_groups():
    """All groups; a file holds one `group` or a tuple `groups`."""
    found = []
    for file in FILES:
        module = importlib.import_module(f"{__name__}.{file}")
        found.extend(getattr(module, "groups", None) or (module.group,))
    return found


def select_cases(prefixes=()):
    """The cases whose group or "group/name" begins with one of the words; all of them without words."""
    every = [case for group in list_groups() for case in group.cases]
    return [case for case in every if not prefixes or any(case.key.startswith(word) for word in prefixes)]
