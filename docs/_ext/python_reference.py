"""Writes the reference of the Python package: pages for its public modules, with a summary table and every docstring.

Names are those of a module's `__all__`, or what it defines itself under a name without an underscore. Each object has
one entry, at the first of the modules below that has it.
"""

import importlib
import inspect
import pkgutil
import re
import types
from dataclasses import dataclass, field
from pathlib import Path

from plain_docs import convert_to_rst, extract_summary, indent_lines, split_signatures

# An object of several modules is documented in the first of these that has it, or else in the first by name.
FIRST = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.attention torch.optim torch.optim.lr_scheduler
torch.optim.swa_utils torch.autograd torch.autograd.functional torch.autograd.graph torch.autograd.forward_ad torch.func
torch.linalg torch.fft torch.special torch.sparse torch.masked torch.signal.windows torch.distributions
torch.distributions.transforms torch.distributions.constraints torch.utils.data torch.utils.checkpoint torch.amp
torch.random torch.serialization torch.library torch.overrides torch.testing torch.profiler torch.fx torch.distributed
torch.multiprocessing torch.futures torch.jit torch.compiler torch.hub torch.cpu torch.npu torch.cuda torch.backends
""".split()
LEFT_OUT = re.compile(
    r"(^|\.)(_|testing\._internal|utils\.tensorboard\._)|\.__main__$|^torch\.types$|^torch\.(VF|_VF)$"
)
# A page with more entries is split into pages by first letter, or by the file that defines a layer.
MOST = 130
LAYERS = {
    "activation": "Activations",
    "adaptive": "Adaptive softmax",
    "batchnorm": "Batch normalisation",
    "channelshuffle": "Channel shuffle",
    "container": "Containers",
    "conv": "Convolutions",
    "distance": "Distances",
    "dropout": "Dropout",
    "flatten": "Flattening",
    "fold": "Fold and unfold",
    "instancenorm": "Instance normalisation",
    "lazy": "Lazy layers",
    "linear": "Linear layers",
    "loss": "Losses",
    "module": "Module",
    "normalization": "Normalisation",
    "padding": "Padding",
    "pixelshuffle": "Pixel shuffle",
    "pooling": "Pooling",
    "rnn": "Recurrent layers",
    "sparse": "Embeddings",
    "transformer": "Transformers",
    "upsampling": "Upsampling",
}


@dataclass
class Page:
    title: str
    words: str = ""
    entries: list[tuple[str, str, object]] = field(default_factory=list)  # (module, name, object)


def list_modules() -> list[str]:
    import torch

    found = {"torch"}
    for info in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        if not LEFT_OUT.search(info.name.removeprefix("torch.")) and not LEFT_OUT.search(info.name):
            found.add(info.name)
    unknown = [name for name in FIRST if name not in found]
    if unknown:
        raise ValueError(f"docs/_ext/python_reference.py names modules that are not there: {', '.join(unknown)}")
    return [*FIRST, *sorted(found - set(FIRST))]


def import_if_present(name: str):
    try:
        return importlib.import_module(name)
    except (ImportError, NotImplementedError):
        return None  # of another library, or absent as torch's is


def is_documentable(value) -> bool:
    return callable(value) and not isinstance(value, types.ModuleType) and hasattr(value, "__doc__")


def belongs_to_module(value, module: str) -> bool:
    """Whether a name without `__all__` is the module's own and not one that it imported."""
    where = getattr(value, "__module__", None) or ""
    if module == "torch":
        return isinstance(value, types.BuiltinFunctionType) or where.startswith("torch")
    return where == module or where.startswith((f"{module}.", "torch._C"))


def list_public_names(module) -> list[str]:
    listed = list(getattr(module, "__all__", []))
    if not listed or module.__name__ == "torch":
        listed += [
            n
            for n in dir(module)
            if n not in listed
            and not n.startswith("_")
            and belongs_to_module(getattr(module, n, None), module.__name__)
        ]
    return [name for name in dict.fromkeys(listed) if is_documentable(getattr(module, name, None))]


def collect_entries() -> tuple[dict[str, list[tuple[str, object]]], dict[int, str]]:
    """Module -> what it offers, and object -> the full name under which it has its entry."""
    entries: dict[str, list[tuple[str, object]]] = {}
    home: dict[int, str] = {}
    for name in list_modules():
        module = import_if_present(name)
        if module is None:
            continue
        own = []
        for attribute in sorted(list_public_names(module), key=str.lower):
            value = getattr(module, attribute)
            where = getattr(value, "__module__", None) or ""
            if where and not where.startswith(("torch", "builtins")):
                continue
            home.setdefault(id(value), f"{name}.{attribute}")
            own.append((attribute, value))
        entries[name] = own
    return entries, home


def list_signatures(value, docs: list[str]) -> list[str]:
    """What stands behind the name: of inspect, or of the docstring's first lines."""
    if docs:
        return [line[line.index("(") :] for line in docs]
    try:
        found = inspect.signature(value)
        result = found.replace(parameters=[shorten_default(p) for p in found.parameters.values()])
    except (ValueError, TypeError):
        return ["(...)"]  # written in C, without a signature that Python could have
    if isinstance(value, type):
        result = result.replace(return_annotation=inspect.Signature.empty)
    return [re.sub(r"'([^']*)'", lambda m: m[1] if m[1] in list_text_annotations(found) else m[0], str(result))]


def list_text_annotations(found: inspect.Signature) -> set[str]:
    """Annotations that are text, which str() would put into quotes."""
    each = [p.annotation for p in found.parameters.values()] + [found.return_annotation]
    return {text for text in each if isinstance(text, str)}


class Shown:
    """A default whose repr is an address or a page long."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shorten_default(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is inspect.Parameter.empty or isinstance(
        default, (int, float, str, bool, tuple, list, dict, type(None))
    ):
        return parameter
    name = getattr(default, "__qualname__", None)
    return parameter.replace(default=Shown(name if name else "..." if " at 0x" in repr(default) else repr(default)))


def list_members(cls: type, home: dict[int, str]) -> list[tuple[str, str, object]]:
    """The public methods and properties of a class, with their kind: its own, and those of bases that have no entry."""
    found, own = [], {}
    for base in reversed(cls.__mro__):
        if base is cls or (id(base) not in home and base.__module__.startswith("torch")):
            own |= vars(base)
    for name, value in sorted(own.items()):
        if name.startswith("_"):
            continue
        if isinstance(value, staticmethod):
            found.append((name, "staticmethod", value.__func__))
        elif isinstance(value, classmethod):
            found.append((name, "classmethod", value.__func__))
        elif isinstance(value, property):
            found.append((name, "property", value))
        elif inspect.isroutine(value) and not isinstance(value, type):
            found.append((name, "method", value))
    return found


def write_directive(
    kind: str, name: str, forms: list[str], body: list[str], options: tuple[str, ...] = ()
) -> list[str]:
    first, *rest = [f"{name}{form}" for form in forms] or [name]
    start = f".. py:{kind}:: "
    lines = [start + first, *(" " * len(start) + each for each in rest)]
    lines += [f"   {option}" for option in options]
    return [*lines, "", *indent_lines(body, 3), ""]


def inherits_doc(cls: type, name: str, text: str | None, home: dict[int, str]) -> bool:
    """Whether a method says nothing of its own: the entry of a base says it."""
    bases = (base for base in cls.__mro__[1:] if id(base) in home)
    return not text or any(getattr(vars(base).get(name), "__doc__", None) == text for base in bases)


def write_entry(module: str, name: str, value, home: dict[int, str]) -> list[str]:
    full = f"{module}.{name}"
    docs, text = split_signatures((value.__doc__ if isinstance(value, type) else inspect.getdoc(value)) or "")
    if not isinstance(value, type):
        return write_directive("function", full, list_signatures(value, docs), convert_to_rst(text))
    init = value.__init__
    body = convert_to_rst(text) or convert_to_rst(init.__doc__ if inspect.isfunction(init) else "")
    bases = [home.get(id(base)) for base in value.__bases__]
    if any(bases):
        body = ["Bases: " + ", ".join(f":py:class:`{base}`" for base in bases if base), "", *body]
    for method, kind, function in list_members(value, home):
        said = inspect.getdoc(function)
        if kind != "property" and inherits_doc(value, method, getattr(function, "__doc__", None), home):
            continue
        lines, rest = split_signatures(said or "")
        if kind == "property":
            body += write_directive("property", method, [], convert_to_rst(rest))
        else:
            body += write_directive(
                "method",
                method,
                remove_self(list_signatures(function, lines), kind),
                convert_to_rst(rest),
                list_options_of_kind(kind),
            )
    return write_directive(
        "class", full, list_signatures(value, docs) if not issubclass(value, BaseException) else [], body
    )


def list_options_of_kind(kind: str) -> tuple[str, ...]:
    return (f":{kind}:",) if kind in ("staticmethod", "classmethod") else ()


def remove_self(forms: list[str], kind: str) -> list[str]:
    return forms if kind == "staticmethod" else [re.sub(r"^\((self|cls)(, /)?(, )?", "(", form) for form in forms]


def write_table(entries: list[tuple[str, str, object]], home: dict[int, str]) -> list[str]:
    lines = [".. list-table::", "   :widths: 30 70", "   :class: summary", ""]
    for _, name, value in entries:
        role = "class" if isinstance(value, type) else "func"
        text = extract_summary(value.__doc__ if isinstance(value, type) else inspect.getdoc(value))
        lines += [f"   * - :py:{role}:`{name} <{home[id(value)]}>`", f"     - {text}"]
    return [*lines, ""]


def write_page(page: Page, home: dict[int, str], children: list[str] = ()) -> str:
    lines = [page.title, "=" * len(page.title), "", *convert_to_rst(page.words)]
    if children:
        lines += [".. toctree::", "   :maxdepth: 1", "", *indent_lines(list(children), 3), ""]
    if page.entries:
        lines += write_table(page.entries, home)
        for module, name, value in page.entries:
            if home[id(value)] == f"{module}.{name}":
                lines += write_entry(module, name, value, home)
    return "\n".join(lines) + "\n"


def find_group(module: str, name: str, value) -> str:
    if module == "torch.nn" and isinstance(value, type):
        file = (value.__module__ or "").rsplit(".", 1)[-1]
        return LAYERS.get(file, "Other")
    first = name[0].upper()
    for letters in ("AB", "CD", "EFGH", "IJKL", "MN", "OPQ", "R", "S", "TUVWXYZ"):
        if first in letters:
            return letters[0] if len(letters) == 1 else f"{letters[0]} to {letters[-1]}"
    return "Other"


def make_slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def write_tensor_pages(home: dict[int, str]) -> tuple[str, dict[str, str]]:
    """torch.Tensor has more methods than a page holds."""
    import torch

    cls = torch.Tensor
    own = {}
    for base in reversed([base for base in cls.__mro__ if base is not object]):
        own |= {name: (kind, function) for name, kind, function in list_members(base, home)}
        own |= {
            name: ("property", value)
            for name, value in vars(base).items()
            if not name.startswith("_") and isinstance(value, types.GetSetDescriptorType)
        }
    groups: dict[str, list[str]] = {}
    for name in sorted(own, key=str.lower):
        groups.setdefault(find_group("torch.Tensor", name, None), []).append(name)
    made = {}
    for title, names in groups.items():
        heading = f"torch.Tensor: {title}"
        lines = [heading, "=" * len(heading), ""]
        for name in names:
            kind, function = own[name]
            docs, text = split_signatures(inspect.getdoc(function) or "")
            full = f"torch.Tensor.{name}"
            if kind == "property":
                lines += write_directive("attribute", full, [], convert_to_rst(text))
            else:
                lines += write_directive(
                    "method",
                    full,
                    remove_self(list_signatures(function, docs), kind),
                    convert_to_rst(text),
                    list_options_of_kind(kind),
                )
        made[f"tensor-{make_slug(title)}.rst"] = "\n".join(lines) + "\n"
    children = "\n".join(f"   {name.removesuffix('.rst')}" for name in made)
    words = "\n".join(convert_to_rst(cls.__doc__))
    heading = "torch.Tensor\n============\n\n.. py:class:: torch.Tensor\n\n"
    return f"{heading}{words}\n\n.. toctree::\n   :maxdepth: 1\n\n{children}\n", made


def write_pages(root: Path) -> dict[str, str]:
    import mindtorch

    mindtorch.install()
    import torch

    entries, home = collect_entries()
    made: dict[str, str] = {}
    top = []
    for module, own in entries.items():
        own = [(module, name, value) for name, value in own if value is not torch.Tensor]
        if not any(home[id(value)] == f"{module}.{name}" for module, name, value in own):
            continue  # all of it has its entry elsewhere
        words = (inspect.getdoc(importlib.import_module(module)) or "").split("\n\n")[0]
        name = module.replace(".", "-")
        top.append(name)
        if len(own) <= MOST and module != "torch.nn":
            made[f"{name}.rst"] = write_page(Page(module, words, own), home)
            continue
        groups: dict[str, Page] = {}
        for each in own:
            title = find_group(*each)
            groups.setdefault(title, Page(f"{module}: {title}")).entries.append(each)
        children = []
        for title, page in sorted(groups.items()):
            children.append(f"{name}-{make_slug(title)}")
            made[f"{children[-1]}.rst"] = write_page(page, home)
        made[f"{name}.rst"] = write_page(Page(module, words), home, children)
    made["tensor.rst"], more = write_tensor_pages(home)
    made |= more
    made["index.rst"] = write_index(["torch", "tensor", *top[1:]], len(home))
    return made


def write_index(names: list[str], count: int) -> str:
    main = {"tensor", *(module.replace(".", "-") for module in FIRST)}
    often = "\n".join(f"   {name}" for name in names if name in main)
    seldom = "\n".join(f"   {name}" for name in names if name not in main)
    return f"""\
Python
======

Every public name of the package: {count:,} functions and classes, and the methods of ``torch.Tensor``. The texts are
the docstrings, as ``help()`` shows them.

.. toctree::
   :maxdepth: 1

{often}

More modules
------------

.. toctree::
   :maxdepth: 1

{seldom}
"""
