"""Every public function and class has a docstring."""

import inspect
from importlib import import_module
from pathlib import Path

import mindtorch
import pytest
from mindtorch import _proxy

TREE = Path(_proxy.TREE)


def list_public_modules():
    """Lists the dotted names, below the root, of all modules without a component that begins with an underscore."""
    found = set()
    for file in TREE.rglob("*.py"):
        parts = file.relative_to(TREE).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in parts):
            found.add(".".join(parts))
    return sorted(found)


def belongs_to_the_package(value):
    """Bound methods of the extension's types have no module name."""
    return (value.__module__ or "_C").partition(".")[0] in ("torch", "mindtorch", "_C")


def list_public_functions_and_classes(module):
    """Yields the names in `__all__`, or else names without an underscore, with their values."""
    for name in getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]:
        value = getattr(module, name)
        if (inspect.isroutine(value) or inspect.isclass(value)) and belongs_to_the_package(value):
            yield name, value


def is_documented(value):
    """A class needs its own docstring: an inherited one, or a signature written by dataclass or namedtuple, does not
    count."""
    is_class = inspect.isclass(value)
    text = (vars(value).get("__doc__") if is_class else value.__doc__) or ""
    return bool(text.strip()) and not (is_class and text.startswith(f"{value.__name__}("))


@pytest.mark.parametrize("name", list_public_modules())
def test_public_functions_and_classes_have_a_docstring(name):
    module = import_module(f"mindtorch.{name}") if name else mindtorch
    bare = [name for name, value in list_public_functions_and_classes(module) if not is_documented(value)]
    assert not bare, f"without a docstring: {', '.join(sorted(bare))}"
