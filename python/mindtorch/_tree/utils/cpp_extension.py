"""torch.utils.cpp_extension: builds extensions over LibTorch's stable ABI, with setuptools or immediately."""

import hashlib
import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig

from .. import _extensions
from .._root import torch

__all__ = [
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "get_default_build_root",
    "include_paths",
    "is_ninja_available",
    "library_paths",
    "load",
    "load_inline",
    "verify_ninja_availability",
]

CUDA_HOME = ROCM_HOME = SYCL_HOME = CUDNN_HOME = None
IS_WINDOWS = IS_MACOS = IS_HIP_EXTENSION = False
IS_LINUX = True
TORCH_LIB_PATH = _extensions.libraries_folder()
LIB_EXT, EXEC_EXT, CLIB_PREFIX, CLIB_EXT, SHARED_FLAG = ".so", "", "lib", ".so", "-shared"

# The libraries that an extension links to: the loader finds the same names here as in torch.
_LIBRARIES = ("c10", "torch", "torch_cpu")
_COMPILE_FLAGS = ("-std=c++17", "-fPIC", "-O3")


def _raise_if_cuda_requested(*asked):
    if any(asked):
        raise OSError("CUDA_HOME environment variable is not set. Please set it to your CUDA install root.")


def _check_sources(sources):
    sources = [sources] if isinstance(sources, str) else list(sources)
    _raise_if_cuda_requested(*(os.path.splitext(source)[1] in (".cu", ".cuh", ".sycl") for source in sources))
    return sources


def get_cxx_compiler():
    """Returns the C++ compiler that extensions are built with.

    Returns:
        str: that of the environment variable ``CXX``, ``c++`` without it.
    """
    return os.environ.get("CXX", "c++")


def include_paths(device_type: str = "cpu", torch_include_dirs: bool = True) -> list[str]:
    """Returns the folders of the headers that extensions include.

    Args:
        device_type (str): ``"cpu"``. Default: ``"cpu"``.
        torch_include_dirs (bool): whether the folder of ``torch/`` is among them. Default: ``True``.

    Returns:
        list of str: the folders.

    Raises:
        OSError: for CUDA.

    Example:
        >>> import os
        >>> folder = torch.utils.cpp_extension.include_paths()[0]
        >>> os.path.exists(os.path.join(folder, "torch/csrc/stable/library.h"))
        True
    """
    _raise_if_cuda_requested(device_type == "cuda")
    return [_extensions.include_folder()] if torch_include_dirs else []


def library_paths(
    device_type: str = "cpu", torch_include_dirs: bool = True, cross_target_platform: str | None = None
) -> list[str]:
    """Returns the folders of the libraries that extensions link to.

    Args:
        device_type (str): ``"cpu"``. Default: ``"cpu"``.
        torch_include_dirs (bool): whether the folder of libtorch's names is among them. Default: ``True``.
        cross_target_platform (str, optional): ignored.

    Returns:
        list of str: the folders.

    Raises:
        OSError: for CUDA.

    Example:
        >>> import os
        >>> sorted(os.listdir(torch.utils.cpp_extension.library_paths()[0]))[0]
        'libc10.so'
    """
    _raise_if_cuda_requested(device_type == "cuda")
    return [TORCH_LIB_PATH] if torch_include_dirs else []


def get_default_build_root() -> str:
    """Returns the folder in which `load` builds extensions without their own folder.

    Returns:
        str: a folder in the user's cache.

    Example:
        >>> torch.utils.cpp_extension.get_default_build_root().endswith("torch_extensions")
        True
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "torch_extensions")


def CppExtension(name, sources, *args, **kwargs):
    """Returns a `setuptools.Extension` that finds the headers and libraries of LibTorch's stable ABI.

    Args:
        name (str): the module's name.
        sources (list of str): C++ files. They include ``torch/csrc/stable/*.h`` and ``torch/headeronly/*.h`` only.
        *args, **kwargs: as for `setuptools.Extension`.

    Returns:
        setuptools.Extension: the extension, to be built by `BuildExtension`.

    Raises:
        OSError: when a source is CUDA's.

    Example:
        >>> extension = torch.utils.cpp_extension.CppExtension("scaled", ["scaled.cpp"])
        >>> extension.libraries
        ['c10', 'torch', 'torch_cpu']
    """
    import setuptools

    kwargs["include_dirs"] = [*kwargs.get("include_dirs", []), *include_paths()]
    kwargs["library_dirs"] = [*kwargs.get("library_dirs", []), *library_paths()]
    kwargs["libraries"] = [*kwargs.get("libraries", []), *_LIBRARIES]
    kwargs["language"] = "c++"
    return setuptools.Extension(name, _check_sources(sources), *args, **kwargs)


def CUDAExtension(name, sources, *args, **kwargs):
    """Refuses: there is no CUDA here.

    Args:
        name (str): the module's name.
        sources (list of str): the files.
        *args, **kwargs: as for `setuptools.Extension`.

    Returns:
        Nothing, since it always raises.

    Raises:
        OSError: always.

    Example:
        >>> torch.utils.cpp_extension.CUDAExtension("name", ["kernel.cu"])
        Traceback (most recent call last):
          ...
        OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.
    """
    _raise_if_cuda_requested(True)


def SyclExtension(name, sources, *args, **kwargs):
    """Refuses: there is no SYCL here.

    Args:
        name (str): the module's name.
        sources (list of str): the files.
        *args, **kwargs: as for `setuptools.Extension`.

    Returns:
        Nothing, since it always raises.

    Raises:
        OSError: always.

    Example:
        >>> torch.utils.cpp_extension.SyclExtension("name", ["kernel.sycl"])
        Traceback (most recent call last):
          ...
        OSError: SYCL_HOME environment variable is not set. Please set it to your SYCL install root.
    """
    raise OSError("SYCL_HOME environment variable is not set. Please set it to your SYCL install root.")


def _build_extension_class():
    from setuptools.command.build_ext import build_ext

    class BuildExtension(build_ext):
        """The setuptools command that builds what `CppExtension` describes.

        Args:
            dist (setuptools.Distribution): the distribution to build, passed by setuptools.
            **kw: as for setuptools' own command.

        Example:
            >>> torch.utils.cpp_extension.BuildExtension.__name__
            'BuildExtension'
        """

        _options: dict = {}

        @classmethod
        def with_options(cls, **options):
            """Returns the command with options set.

            Args:
                **options: ``no_python_abi_suffix=True`` names the file without Python's version, as fits a library of
                    operators that any Python loads. ``use_ninja`` is ignored: compilers run one after the other.

            Returns:
                type: the command.

            Example:
                >>> command = torch.utils.cpp_extension.BuildExtension.with_options(no_python_abi_suffix=True)
                >>> issubclass(command, torch.utils.cpp_extension.BuildExtension)
                True
            """
            return type(cls.__name__, (cls,), {"_options": {**cls._options, **options}})

        def build_extensions(self):
            """Compiles and links every extension; setuptools calls it.

            Returns:
                None.
            """
            for extension in self.extensions:
                name = extension.name.rpartition(".")[2]
                flags = extension.extra_compile_args
                chosen = flags.get("cxx", []) if isinstance(flags, dict) else flags or []
                added = [] if any(flag.startswith("-std=") for flag in chosen) else ["-std=c++17"]
                extension.extra_compile_args = [
                    *chosen,
                    *added,
                    f"-DTORCH_EXTENSION_NAME={name}",
                ]
            super().build_extensions()

        def get_ext_filename(self, ext_name):
            path = super().get_ext_filename(ext_name)
            if self._options.get("no_python_abi_suffix"):
                path = path.removesuffix(sysconfig.get_config_var("EXT_SUFFIX")) + LIB_EXT
            return path

    return BuildExtension


def __getattr__(name):
    if name != "BuildExtension":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Imports setuptools only for builds.
    globals()[name] = _build_extension_class()
    return globals()[name]


def _run_command(command, verbose, what):
    if verbose:
        print(shlex.join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=not verbose, text=True)
    if done.returncode:
        raise RuntimeError(f"Error building extension '{what}': {done.stderr or ''}")


def _build_library(name, sources, folder, cflags, ldflags, includes, verbose, is_standalone):
    """Returns the path of the library, or program, made from the sources; builds it if they or the options changed."""
    target = os.path.join(folder, name + (EXEC_EXT if is_standalone else LIB_EXT))
    paths = [*includes, *include_paths(), sysconfig.get_path("include")]
    compile_options = [*_COMPILE_FLAGS, f"-DTORCH_EXTENSION_NAME={name}", *(f"-I{path}" for path in paths), *cflags]
    link = [f"-L{TORCH_LIB_PATH}", "-Wl,--no-as-needed", *(f"-l{library}" for library in _LIBRARIES), *ldflags]
    compiler = shlex.split(get_cxx_compiler())
    digest = hashlib.sha256(repr((compiler, compile_options, link, is_standalone)).encode())
    for source in sources:
        with open(source, "rb") as file:
            digest.update(file.read())
    stamp = os.path.join(folder, name + ".built")
    key = digest.hexdigest()
    if os.path.exists(target) and os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == key:
                return target
    objects = []
    for number, source in enumerate(sources):
        objects.append(os.path.join(folder, f"{os.path.splitext(os.path.basename(source))[0]}.{number}.o"))
        _run_command([*compiler, *compile_options, "-c", os.fspath(source), "-o", objects[-1]], verbose, name)
    # Another process may have loaded the previous file, which it keeps, because this one is a new file.
    fresh = f"{target}.{os.getpid()}"
    _run_command([*compiler, *([] if is_standalone else [SHARED_FLAG]), *objects, "-o", fresh, *link], verbose, name)
    os.replace(fresh, target)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(key)
    return target


def load(
    name,
    sources,
    extra_cflags=None,
    extra_cuda_cflags=None,
    extra_sycl_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    build_directory=None,
    verbose=False,
    with_cuda=None,
    with_sycl=None,
    is_python_module=True,
    is_standalone=False,
    keep_intermediates=True,
):
    """Compiles an extension and loads it; what did not change since the last time is not compiled again.

    Args:
        name (str): the extension's name.
        sources (str or list of str): C++ files. They include ``torch/csrc/stable/*.h`` and ``torch/headeronly/*.h``
            only, and define operators with ``STABLE_TORCH_LIBRARY``.
        extra_cflags (list of str, optional): options of the compiler.
        extra_cuda_cflags, extra_sycl_cflags (list of str, optional): ignored.
        extra_ldflags (list of str, optional): options of the linker.
        extra_include_paths (list of str, optional): folders of further headers.
        build_directory (str, optional): where to build. Default: a folder in the user's cache.
        verbose (bool): prints the commands and their output. Default: ``False``.
        with_cuda, with_sycl (bool, optional): must not be true.
        is_python_module (bool): imports it as a module; otherwise it is loaded for its operators. Default: ``True``.
        is_standalone (bool): builds a program and does not run it. Default: ``False``.
        keep_intermediates (bool): ignored. Default: ``True``.

    Returns:
        module, None or str: the module, nothing for a library, the path of a program.

    Raises:
        RuntimeError: when it cannot be compiled; the text has what the compiler printed.
        OSError: when CUDA is requested.

    Example:
        >>> torch.utils.cpp_extension.load("name", ["kernel.cu"])
        Traceback (most recent call last):
          ...
        OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.
    """
    _raise_if_cuda_requested(with_cuda, with_sycl)
    sources = [os.path.abspath(source) for source in _check_sources(sources)]
    if build_directory is None:
        version = f"py{sys.version_info.major}{sys.version_info.minor}_cpu"
        root = os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(get_default_build_root(), version)
        build_directory = os.path.join(root, name)
        os.makedirs(build_directory, exist_ok=True)
    includes = [os.path.abspath(path) for path in extra_include_paths or ()]
    path = _build_library(
        name,
        sources,
        build_directory,
        list(extra_cflags or ()),
        list(extra_ldflags or ()),
        includes,
        verbose,
        is_standalone,
    )
    if is_standalone:
        return path
    if not is_python_module:
        torch.ops.load_library(path)
        return None
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_inline(
    name,
    cpp_sources,
    cuda_sources=None,
    sycl_sources=None,
    functions=None,
    extra_cflags=None,
    extra_cuda_cflags=None,
    extra_sycl_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    build_directory=None,
    verbose=False,
    with_cuda=None,
    with_sycl=None,
    is_python_module=True,
    with_pytorch_error_handling=True,
    keep_intermediates=True,
    use_pch=False,
    no_implicit_headers=False,
):
    """Compiles an extension from C++ in strings and loads it.

    Args:
        name (str): the extension's name.
        cpp_sources (str or list of str): C++, as for `load`. No header is added.
        cuda_sources, sycl_sources (str or list of str, optional): must be empty.
        functions (list or dict, optional): must be empty: bindings of functions need libtorch's C++ interface. Define
            operators with ``STABLE_TORCH_LIBRARY`` and give ``is_python_module=False`` instead.
        extra_cflags (list of str, optional): options of the compiler.
        extra_ldflags (list of str, optional): options of the linker.
        extra_include_paths (list of str, optional): folders of further headers.
        build_directory (str, optional): where to build. Default: a folder in the user's cache.
        verbose (bool): prints the commands and their output. Default: ``False``.
        with_cuda, with_sycl (bool, optional): must not be true.
        is_python_module (bool): imports it as a module; otherwise it is loaded for its operators. Default: ``True``.
        keep_intermediates (bool): ignored. Default: ``True``.
        extra_cuda_cflags, extra_sycl_cflags, with_pytorch_error_handling, use_pch, no_implicit_headers: ignored.

    Returns:
        module or None: the module, nothing for a library.

    Raises:
        NotImplementedError: when `functions` are given.
        RuntimeError: when it cannot be compiled.

    Example:
        >>> torch.utils.cpp_extension.load_inline("name", "int f();", functions=["f"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
          ...
        NotImplementedError: torch.utils.cpp_extension.load_inline: bindings of functions need ...
    """
    if functions:
        raise NotImplementedError(
            "torch.utils.cpp_extension.load_inline: bindings of functions need libtorch's C++ interface, which is not "
            "here; define operators with STABLE_TORCH_LIBRARY (torch/csrc/stable/library.h), give "
            "is_python_module=False, and call torch.ops"
        )
    _raise_if_cuda_requested(cuda_sources, sycl_sources)
    if build_directory is None:
        build_directory = os.path.join(os.environ.get("TORCH_EXTENSIONS_DIR") or get_default_build_root(), name)
    os.makedirs(build_directory, exist_ok=True)
    path = os.path.join(build_directory, "main.cpp")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([cpp_sources] if isinstance(cpp_sources, str) else cpp_sources))
    return load(
        name,
        [path],
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        verbose=verbose,
        with_cuda=with_cuda,
        with_sycl=with_sycl,
        is_python_module=is_python_module,
    )


def is_ninja_available() -> bool:
    """Returns whether the ninja build program can be run.

    Returns:
        bool: whether it can.
    """
    try:
        subprocess.check_output("ninja --version".split())
    except Exception:
        return False
    return True


def verify_ninja_availability() -> None:
    """Raises RuntimeError where ninja is not installed.

    Returns:
        None.
    """
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")
