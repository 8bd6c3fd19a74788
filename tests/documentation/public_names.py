"""Lists the public names of the package, and the missing parts of their documentation.

    python tests/documentation/public_names.py torch.nn torch.optim     missing parts, one line per name
    python tests/documentation/public_names.py --count                  a table by module
    python tests/documentation/public_names.py --write                  rewrites tests/data/documentation-short.txt

A name is documented where a user can work from help() alone: a summary, every parameter, the result, and an example.
"""

import argparse
import importlib
import inspect
import re
import sys
import types
import warnings
from collections import Counter
from pathlib import Path

LEDGER = Path(__file__).parents[1] / "data" / "documentation-short.txt"
MODULES = """torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.parametrize
torch.nn.utils.parametrizations torch.nn.utils.prune torch.nn.utils.rnn torch.nn.utils.stateless
torch.nn.attention torch.nn.parallel torch.nn.parameter torch.optim torch.optim.lr_scheduler
torch.optim.swa_utils torch.autograd torch.autograd.functional torch.autograd.graph torch.autograd.forward_ad
torch.autograd.profiler torch.autograd.function torch.func torch.linalg torch.fft torch.special torch.sparse
torch.masked torch.random torch.distributions torch.distributions.constraints torch.distributions.transforms
torch.distributions.kl torch.utils torch.utils.data torch.utils.checkpoint torch.utils.dlpack torch.utils.hooks
torch.utils.benchmark torch.utils.tensorboard torch.utils.flop_counter torch.utils.deterministic torch.overrides
torch.library torch.serialization torch.storage torch.types torch.testing torch.amp torch.cuda torch.cuda.amp
torch.cpu torch.backends torch.backends.cuda torch.backends.cudnn torch.backends.mkl torch.backends.mps
torch.futures torch.hub torch.jit torch.compiler torch.profiler torch.signal.windows torch.accelerator torch.mps
torch.xpu torch.npu torch.multiprocessing torch.distributed torch.distributed.nn torch.distributed.optim
torch.distributed.device_mesh torch.distributed.tensor torch.distributed.tensor.parallel
torch.distributed.tensor.experimental torch.export torch.fx torch.ao.quantization""".split()
# Names whose examples cannot run here, because they need another device, a second process or a terminal.
WITHOUT_EXAMPLES = tuple(
    """torch.cuda torch.npu torch.mps torch.xpu torch.mtia torch.distributed torch.backends
    torch.multiprocessing torch.hub torch.accelerator torch.export torch.onnx""".split()
)
# Helpers of the package that modules without __all__ import for their own use.
BORROWED_FROM = ("torch._jit_internal", "torch.overrides", "torch._overridable", "torch._C")
SECTION = re.compile(r"^(Args|Shape|Attributes|Returns|Yields|Raises|Example|Examples|Note):", re.MULTILINE)
ENTRY = re.compile(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \(.*?\))?:", re.MULTILINE)
SIGNATURE = re.compile(r"(torch|Tensor)\.[\w.]+\(.*\) -> .*|--")


def get_by_path(path):
    value = sys.modules["torch"]
    for part in path.split(".")[1:]:
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(f"{value.__name__}.{part}")
    return value


def module_name_of(value):
    return str(getattr(value, "__module__", None) or "torch")


def is_defined_in_mindtorch(value):
    return module_name_of(value).split(".")[0] in ("torch", "mindtorch", "torch_npu")


def yield_public_callables(space):
    """Yields the public callables of a module, in order; those of a class follow the class."""
    listed = getattr(space, "__all__", None)
    for name in sorted(set(listed if listed is not None else dir(space))):
        if name.startswith("_"):
            continue
        value = getattr(space, name, None)
        if (
            value is None
            or isinstance(value, types.ModuleType)
            or not callable(value)
            or not is_defined_in_mindtorch(value)
        ):
            continue
        is_function = isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType))
        is_borrowed = is_function and module_name_of(value) in BORROWED_FROM
        if listed is None and is_borrowed:
            continue
        yield name, value


def yield_public_methods(cls):
    """Returns the public methods that the class itself defines."""
    for name, value in sorted(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, (types.FunctionType, types.MethodDescriptorType, types.BuiltinFunctionType)):
            yield name, value


def parameter_names_of(value):
    """Returns the names of the parameters; None if Python does not know them."""
    try:
        signature = inspect.signature(value)
    except (ValueError, TypeError):
        return None
    return [name for name in signature.parameters if name not in ("self", "cls", "_self")]


def split_into_sections(text):
    pieces = SECTION.split(text)
    return {pieces[i]: pieces[i + 1] for i in range(1, len(pieces) - 1, 2)}


def find_documented_parameters(text):
    names = set()
    for body in (split_into_sections(text).get("Args", ""),):
        for found in ENTRY.findall(body):
            names |= {name.strip(" *") for name in found.split(",")}
    return names


def documentation_without_signatures(value):
    """Removes the signature lines from the documentation."""
    text = inspect.getdoc(value) or ""
    lines = text.split("\n")
    while lines and (SIGNATURE.fullmatch(lines[0]) or not lines[0]):
        lines.pop(0)
    return "\n".join(lines)


def returns_something(value):
    if isinstance(value, type):
        return False
    if not isinstance(value, types.FunctionType):
        return not (inspect.getdoc(value) or "").partition("\n")[0].endswith("-> None")
    if inspect.isgeneratorfunction(value):
        return True
    result = value.__annotations__.get("return", inspect.Parameter.empty)
    return result not in (None, "None", "NoReturn", "typing.NoReturn")


def is_exception_or_enum(value):
    import enum

    return isinstance(value, type) and issubclass(value, (BaseException, enum.Enum))


def list_missing_documentation(path, value, owner=None):
    """Lists the missing parts of the documentation of a function, class or method."""
    text = documentation_without_signatures(value)
    if not text.strip():
        return ["everything"]
    if isinstance(value, type) and not has_own_docstring(value):
        return ["everything"]
    missing = []
    summary = text.split("\n")[0]
    if not summary.endswith((".", ":")):
        missing.append("a summary line")
    names = [n for n in parameter_names_of(value) or [] if n not in ("args", "kwargs")]
    if owner is None:
        said = find_documented_parameters(text)
        short = [n for n in names if n not in said]
        if short and not is_exception_or_enum(value):
            missing.append(f"Args of {', '.join(short)}")
        is_getter = not names and summary.startswith("Returns ")
        if returns_something(value) and not is_getter and not {"Returns", "Yields"} & set(split_into_sections(text)):
            missing.append("Returns")
        if ">>>" not in text and names and not path.startswith(WITHOUT_EXAMPLES) and not is_exception_or_enum(value):
            missing.append("Example")
    else:
        short = [n for n in names if not re.search(rf"\b{re.escape(n)}\b", text)]
        if short:
            missing.append(f"a word about {', '.join(short)}")
    return missing


def has_own_docstring(cls):
    """Whether the class has its own docstring, not one that it inherits."""
    return bool(vars(cls).get("__doc__"))


def is_documented_by_base(cls, name, value):
    """Whether help() of a method without a docstring shows that of a documented base with the same parameters."""
    if value.__doc__:
        return False
    for base in cls.__mro__[1:]:
        other = vars(base).get(name)
        other = getattr(other, "__func__", other)
        if other is not None and getattr(other, "__doc__", None):
            return parameter_names_of(other) == parameter_names_of(value) or name == "forward"
    return False


def list_underdocumented_names(paths):
    """Returns each public name below the given modules with its missing parts; each object once."""
    seen = set()
    for path in paths:
        space = get_by_path(path)
        if isinstance(space, type):
            yield from list_underdocumented_methods(path, space, seen)
            continue
        for name, value in yield_public_callables(space):
            if id(value) in seen:
                continue
            seen.add(id(value))
            missing = list_missing_documentation(f"{path}.{name}", value)
            if missing:
                yield f"{path}.{name}", missing
            if isinstance(value, type) and value is not get_by_path("torch.Tensor"):
                yield from list_underdocumented_methods(f"{path}.{name}", value, seen)


def list_underdocumented_methods(path, cls, seen):
    classes = (
        [c for c in cls.__mro__ if is_defined_in_mindtorch(c) and c is not object] if path == "torch.Tensor" else [cls]
    )
    done = set()
    for each in classes:
        for name, value in yield_public_methods(each):
            if name in done or (id(value) in seen and path != "torch.Tensor"):
                continue
            done.add(name)
            if is_documented_by_base(each, name, value):
                continue
            missing = list_missing_documentation(f"{path}.{name}", value, owner=each)
            if missing:
                yield f"{path}.{name}", missing


def import_mindtorch_as_torch():
    import mindtorch

    mindtorch.install()
    warnings.simplefilter("ignore")
    import torch  # noqa: F401


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="modules to look at (default: all)")
    parser.add_argument("--count", action="store_true", help="print a table by module")
    parser.add_argument("--write", action="store_true", help="renew the list of names that are short")
    options = parser.parse_args()
    import_mindtorch_as_torch()
    found = list(list_underdocumented_names(options.modules or MODULES))
    if options.write:
        LEDGER.write_text("".join(f"{name}\n" for name, _ in sorted(found)))
    elif options.count:
        counts = Counter(max((m for m in MODULES if name.startswith(m + ".")), key=len) for name, _ in found)
        for module in MODULES:
            print(f"{counts[module]:6}  {module}")
        print(f"{len(found):6}  short in all")
    else:
        for name, missing in found:
            print(f"{name}: {'; '.join(missing)}")
        print(f"{len(found)} names are short")


if __name__ == "__main__":
    main()
