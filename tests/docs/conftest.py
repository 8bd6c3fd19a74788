"""The paths of the pages, the site, the SDK and a Python with mindtorch."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name != "README.md")
SITE = ROOT / "build/docs/html"
SCREENSHOTS = ROOT / "build/docs/screenshots"


@pytest.fixture(scope="session")
def sdk_prefix() -> Path:
    """An installed SDK."""
    path = Path(os.environ.get("MINDTORCH_DOCS_PREFIX", ROOT / "build/docs/sdk"))
    assert next(path.rglob("mindtorch.pc"), None), (
        f"no SDK in {path}: cmake --install build/release --component sdk --prefix {path}"
    )
    return path


@pytest.fixture(scope="session")
def python_with_mindtorch() -> str:
    """A Python with mindtorch installed."""
    return os.environ.get("MINDTORCH_DOCS_PYTHON", sys.executable)


@pytest.fixture
def environment(python_with_mindtorch, tmp_path) -> dict[str, str]:
    """The settings that the pages ask the reader to make."""
    made = dict(os.environ, MINDTORCH_AS_TORCH="1", repo=str(ROOT), HOME=str(tmp_path), PYTHONDONTWRITEBYTECODE="1")
    # Debian's toolchains first, as tests/run installs them: others may have settings in the user's own HOME.
    made["PATH"] = f"{Path(python_with_mindtorch).parent}:/usr/bin:{made['PATH']}"
    simulator = ROOT / "build/release/lib/libmindtorch_npu_sim.so"
    if simulator.exists():
        made["MINDTORCH_ACL_PATH"] = str(simulator)
    return made


@pytest.fixture
def sdk_environment(environment, sdk_prefix) -> dict[str, str]:
    pc = next(sdk_prefix.rglob("mindtorch.pc")).parent
    return environment | {"prefix": str(sdk_prefix), "PKG_CONFIG_PATH": str(pc), "LD_LIBRARY_PATH": str(pc.parent)}
