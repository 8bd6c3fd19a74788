"""The proxy: decides once per process whether the tree is loaded as `torch` or `mindtorch`, and finds its modules."""

import sys
from _thread import RLock, get_ident
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from os import path as _path

PACKAGE = _path.dirname(_path.abspath(__file__))
TREE = _path.join(PACKAGE, "_tree")
STUB = __package__
ALIASES = (STUB, "mindtorch_v2")
TORCH_NPU = _path.join(PACKAGE, "_torch_npu")  # the content of `torch_npu`
FUNCTORCH = _path.join(PACKAGE, "_functorch_package")  # that of `functorch`, which comes with torch
OWN_MODULES = (  # belong to the stub under either root
    "_proxy", "__main__", "_environment", "_pip_settings", "_shim_wheel", "_doctor", "version", "capi", "_capi",
    "streaming", "files",
)  # fmt: skip

# When `import torch` imports mindtorch: the values of the setting.
NOT_ASKED = "not asked"  # never
FALLBACK = "fallback"  # if no real torch can be imported (an enabled environment)
ASKED = "asked"  # always (install(), python -m mindtorch, MINDTORCH_AS_TORCH=1)


class _State:
    """The decision for this process."""

    wish = NOT_ASKED
    record = None  # the folder of the record for FALLBACK; pip may have removed it
    root = None  # "torch" or "mindtorch" once decided
    loaded = False
    loading = None  # the thread that loads the tree into the stub
    lock = RLock()


def real_torch_spec():
    """Returns the spec of a `torch` on sys.path that is not ours, or None."""
    spec = PathFinder.find_spec("torch")
    return spec if spec is not None and spec.origin is not None else None


def _foreign_torch_is_imported():
    module = sys.modules.get("torch")
    return module is not None and not isinstance(getattr(module, "__loader__", None), _TreeLoader)


def claims_torch():
    """Whether `import torch` in this process imports our tree."""
    if _State.root is not None:
        return _State.root == "torch"
    if _State.wish == FALLBACK:
        if _foreign_torch_is_imported():
            return False
        if real_torch_spec() is not None:
            _warn_of_replacement()
            return False
        return _State.record is None or _path.isdir(_State.record)
    return _State.wish == ASKED


def install():
    """Makes `import torch` import mindtorch from now on in this process, even if a real torch is installed; may be
    called again.

    RuntimeError if mindtorch is already in use under its own name, or another torch is imported.
    """
    if _State.root == "mindtorch":
        raise RuntimeError(
            "mindtorch.install() must be called before the first use of mindtorch: "
            "it is already loaded under its own name in this process"
        )
    if _foreign_torch_is_imported():
        raise RuntimeError(
            "mindtorch.install() must be called before torch is imported: another torch is already loaded"
        )
    _State.wish, _State.root = ASKED, "torch"
    _ensure_finder()


def install_as_fallback(record=None):
    """Makes `import torch` import mindtorch if no real torch is installed (in an enabled environment).

    With the folder of a record beside the package: only as long as that folder exists.
    """
    if _State.wish == NOT_ASKED:
        _State.wish = FALLBACK
    if record is not None and _State.record is None:  # Python reads a .pth twice in a virtual environment
        _State.record = _path.join(_path.dirname(PACKAGE), record)
        if any("pip" in _path.basename(argument) for argument in sys.orig_argv[1:3]):
            from ._environment import check_after_pip

            check_after_pip(_State.record)
    _ensure_finder()


def _warn_of_replacement():
    """Warns once that pip or uv has put another torch into an enabled environment."""
    if not _State.record:
        return
    from warnings import warn

    from ._environment import real_torch, replacement_message

    _State.record = ""
    warn(replacement_message(real_torch()), stacklevel=5)  # at the import


def is_loading():
    """Whether this thread is loading the tree's root into the stub."""
    return _State.loading == get_ident()


def load():
    """Returns the root module of the loaded tree; the first call decides its name."""
    if not _State.loaded:
        with _State.lock:
            if _State.root is None:
                _State.root = "torch" if claims_torch() else "mindtorch"
            if _State.root == "mindtorch" and not _State.loaded:
                _load_into_stub(sys.modules[STUB])
    return import_module("torch") if _State.root == "torch" else sys.modules[STUB]


def _load_into_stub(stub):
    """Loads the tree's root into the stub's own namespace: `from . import x` needs a module under its own name."""
    _State.loading = get_ident()
    if TREE not in stub.__path__:
        stub.__path__.append(TREE)
    stub_names = dict(vars(stub))
    try:
        exec(SourceFileLoader(STUB, _path.join(TREE, "__init__.py")).get_code(STUB), vars(stub))
    except BaseException:
        vars(stub).update({name: stub_names[name] for name in ("__getattr__", "__dir__")})
        _State.root = None
        raise
    finally:
        _State.loading = None
    _State.loaded = True


class _TreeLoader(SourceFileLoader):
    """Loads the tree's root as `torch`."""

    def exec_module(self, module):
        if _State.root == "mindtorch":
            raise ImportError(
                "mindtorch is already loaded under its own name; it cannot also be loaded as torch", name="torch"
            )
        _State.root = "torch"
        super().exec_module(module)
        _State.loaded = True
        _serve_extension_modules()


def _serve_extension_modules():
    """Imports extension modules that link to libtorch by name: loads it when their import fails without it."""
    create = ExtensionFileLoader.create_module

    def create_module(self, spec):
        try:
            return create(self, spec)
        except ImportError as error:
            from torch import _extensions

            if not _extensions.is_missing_library(error):
                raise
        return _extensions.import_module(spec.origin, lambda: create(self, spec))

    ExtensionFileLoader.create_module = create_module


class _AliasLoader:
    """Gives a second name to a module that is already imported."""

    def __init__(self, module):
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.spec  # the import system has just overwritten it


def _package_spec(name, loader):
    spec = ModuleSpec(name, loader, origin=loader.path, is_package=True)
    spec.submodule_search_locations = [_path.dirname(loader.path)]
    spec.has_location = True
    return spec


def _extension_spec(name):
    for suffix in EXTENSION_SUFFIXES:
        file = _path.join(TREE, "_C" + suffix)
        if _path.exists(file):
            spec = ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
            spec.has_location = True
            return spec
    raise ImportError(f"mindtorch's extension _C was not found in {TREE}: the package is not built", name=name)


def _alias_spec(name, target):
    try:
        module = import_module(target)
    except ModuleNotFoundError as error:
        if error.name == target:
            return None
        raise
    return ModuleSpec(name, _AliasLoader(module), origin=getattr(module, "__file__", None))


class Finder:
    """The sys.meta_path entry for `torch`, its extension, `torch_npu`, `functorch`, and aliases of submodules."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        head, _, rest = name.partition(".")
        if head == "torch":
            return cls._find_torch(name, rest)
        if head == "torch_npu":
            return cls._find_torch_npu(name, rest)
        if name == "functorch":
            path = _path.join(FUNCTORCH, "__init__.py")
            return _package_spec(name, SourceFileLoader(name, path)) if claims_torch() else None
        if head not in ALIASES or not rest:
            return None
        if head != STUB:
            return _alias_spec(name, f"{STUB}.{rest}")
        first = rest.partition(".")[0]
        if first == "_tree":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if first in OWN_MODULES:
            return None
        if is_loading():
            return _extension_spec(name) if rest == "_C" else None
        load()
        return _alias_spec(name, f"torch.{rest}") if _State.root == "torch" else None

    @staticmethod
    def _find_torch(name, rest):
        if not rest and claims_torch():
            return _package_spec(name, _TreeLoader(name, _path.join(TREE, "__init__.py")))
        if rest == "_C" and _State.root == "torch":
            return _extension_spec(name)
        return None

    @staticmethod
    def _find_torch_npu(name, rest):
        """If `torch` is ours, `torch_npu` is as well: torch_npu.npu is torch.npu."""
        if not claims_torch():
            return None
        if not rest:
            return _package_spec(name, SourceFileLoader(name, _path.join(TORCH_NPU, "__init__.py")))
        return _alias_spec(name, f"torch.{rest}") if rest.partition(".")[0] == "npu" else None

    @staticmethod
    def find_distributions(context=None):
        """The metadata of torch, if this process requested it; an enabled environment has it on disk."""
        wanted = getattr(context, "name", None)
        searched = vars(context).get("path") if context is not None else None
        if (wanted is not None and wanted.lower() != "torch") or _State.wish != ASKED:
            return iter(())
        if searched is not None and _path.dirname(PACKAGE) not in searched:  # one folder, as pip requires
            return iter(())
        from ._environment import torch_distribution

        ours = torch_distribution()
        return iter(() if ours is None else (ours,))

    @staticmethod
    def invalidate_caches():
        pass


def _ensure_finder():
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


_ensure_finder()
