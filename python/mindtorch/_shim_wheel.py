"""A wheel named torch that requires mindtorch, for requirements files and lock files."""

import zipfile
from pathlib import Path

from ._environment import ENTRY_POINTS, METADATA, format_record_line, version_to_record
from .version import mindtorch as own_version

PTH_NAME = "torch-by-mindtorch.pth"  # differs from enable's file, so that uninstalling one keeps the other
PTH = "import _torch_by_mindtorch\n"
MODULE_NAME = "_torch_by_mindtorch.py"
MODULE = '''\
"""Makes `import torch` give mindtorch; runs at each start of Python."""

try:
    from mindtorch._proxy import install_as_fallback
except ImportError:  # uninstalled, or another project's package of that name
    import sys
    from importlib.machinery import ModuleSpec

    class Missing:
        """Finds a torch that says on import what is missing."""

        @classmethod
        def find_spec(cls, name, path=None, target=None):
            return ModuleSpec(name, cls) if name == "torch" else None

        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            from importlib.metadata import PackageNotFoundError, version

            try:
                found = f"the package mindtorch {{version('mindtorch')}} that is installed is another one"
            except PackageNotFoundError:
                found = "that is not installed"
            raise ImportError(
                f"torch {version} needs mindtorch {own_version}, and {{found}}: "
                "pip install the wheel of mindtorch by its file name",
                name="torch",
            )

    sys.meta_path.append(Missing)
else:
    install_as_fallback()
'''
WHEEL = "Wheel-Version: 1.0\nGenerator: mindtorch\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# Requires exactly this release: an index may have other packages under the name.
REQUIRES = "Requires-Python: >=3.11\nRequires-Dist: mindtorch=={own_version}\n"


def _list_contents(version):
    info = f"torch-{version}.dist-info"
    files = {
        PTH_NAME: PTH,
        MODULE_NAME: MODULE.format(version=version, own_version=own_version),
        f"{info}/METADATA": (METADATA + REQUIRES).format(version=version, own_version=own_version),
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": ENTRY_POINTS,
        f"{info}/top_level.txt": "torch\n",
    }
    record = "".join(format_record_line(name, text.encode()) for name, text in files.items()) + f"{info}/RECORD,,\n"
    return files | {f"{info}/RECORD": record}


def write_shim_wheel(folder, as_version=None):
    """Writes the wheel and returns its path; the same version gives the same bytes."""
    version = version_to_record(as_version)
    path = Path(folder) / f"torch-{version}-py3-none-any.whl"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name, text in _list_contents(version).items():
                entry = zipfile.ZipInfo(name)  # dated 1980, whenever it is written
                entry.external_attr = 0o100644 << 16
                archive.writestr(entry, text)
    except OSError as error:
        raise SystemExit(f"mindtorch: cannot write to {error.filename or path}: {error.strerror}") from None
    return path
