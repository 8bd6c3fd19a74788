"""The valid files that damaged ones are made from, and real torch if it is installed."""

import os
import pickle
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
CHECKOUT = Path(__file__).resolve().parents[2] / "python"
if find_spec("mindtorch") is None:  # run from a checkout that is not installed
    sys.path.insert(0, str(CHECKOUT))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(CHECKOUT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])


@pytest.fixture(scope="session")
def mt():
    import mindtorch

    return mindtorch


@pytest.fixture(scope="session")
def has_oracle():
    """Whether `import torch` is real torch."""
    try:
        from importlib.metadata import version

        return version("torch").startswith("2.13.0") and "mindtorch" not in version("torch")
    except ModuleNotFoundError:
        return False


@pytest.fixture(scope="session")
def genuine_files(mt, tmp_path_factory):
    """A folder with the valid files, pickled in one, and a small intact file."""
    from cases import make_genuine_files

    folder = tmp_path_factory.mktemp("genuine")
    mt.manual_seed(0)
    (folder / "files.pkl").write_bytes(pickle.dumps(make_genuine_files(mt)))
    mt.save([mt.ones(2)], folder / "whole.pt")
    return folder
