"""Programs may include DLPack's own header before mindtorch.h, after it, or not at all."""

import importlib.util
import subprocess
from pathlib import Path

import declarations
import pytest

PROGRAM = """
int is_read_only_on_rocm(DLManagedTensorVersioned* managed) {
  DLDeviceType type = managed->dl_tensor.device.device_type;
  if (managed->dl_tensor.dtype.code != kDLBool) return 0;
  return type == kDLROCM && (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
}
mt_status* export_it(const mt_tensor* tensor, DLManagedTensor** out) {
  void* managed = NULL;
  mt_status* status = mt_tensor_to_dlpack(tensor, 0, 0, &managed);
  *out = (DLManagedTensor*)managed;
  return status;
}
int sizes[sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80 && sizeof(DLDevice) == 8 ? 1 : -1];
int main(void) { return 0; }
"""
NEEDS_1_3 = (
    "int table(DLPackExchangeAPI* api) { return api->current_work_stream != NULL && api->header.prev_api == NULL; }\n"
)
OURS = "#include <mindtorch/mindtorch.h>\n"


def find_header_of_real_torch():
    """DLPack's header, in the copy that is part of torch."""
    spec = importlib.util.find_spec("torch")
    path = Path(spec.origin).parent / "include/ATen/dlpack.h" if spec and spec.origin else None
    if path is None or not path.exists():
        pytest.skip("needs real torch")
    return path


def remove_version_from_header(text):
    """The header as releases before 1.0 had it: without versions, flags, and what belongs to them."""
    text = text.replace("#define DLPACK_MAJOR_VERSION 1", "#define DLPACK_VERSION 80").replace(
        "#define DLPACK_MINOR_VERSION 3", ""
    )
    start, end = text.index("// bit masks used in the DLManagedTensorVersioned"), text.index("#ifdef __cplusplus\n}")
    text = text[:start] + text[end:]
    start = text.index("typedef struct {\n  /*! \\brief DLPack major version.")
    end = text.index("} DLPackVersion;") + len("} DLPackVersion;")
    return text[:start] + text[end:]


def compile_source(tmp_path, source, language, *flags):
    file = tmp_path / ("one.c" if language == "c" else "one.cpp")
    file.write_text(source, encoding="utf-8")
    standard = "c99" if language == "c" else "c++11"
    warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    command = [{"c": "gcc", "c++": "g++"}[language], f"-std={standard}", *warnings, f"-I{declarations.HEADERS}", *flags]
    ended = subprocess.run([*command, "-fsyntax-only", str(file)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("order", ["before", "after", "absent"])
def test_the_real_header_may_be_anywhere(tmp_path, language, order):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/other.h").write_text(find_header_of_real_torch().read_text(encoding="utf-8"), encoding="utf-8")
    theirs = "#include <other.h>\n"
    head = {"before": theirs + OURS, "after": OURS + theirs, "absent": OURS}[order]
    compile_source(tmp_path, head + PROGRAM + NEEDS_1_3, language, "-isystem", str(tmp_path / "real"))


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("order", ["before", "after", "absent"])
def test_an_installed_header_is_used(tmp_path, language, order):
    (tmp_path / "real/dlpack").mkdir(parents=True)
    marked = (
        find_header_of_real_torch()
        .read_text(encoding="utf-8")
        .replace("#define DLPACK_MINOR_VERSION 3", "#define DLPACK_MINOR_VERSION 99")
    )
    (tmp_path / "real/dlpack/dlpack.h").write_text(marked, encoding="utf-8")
    theirs = "#include <dlpack/dlpack.h>\n"
    head = {"before": theirs + OURS, "after": OURS + theirs, "absent": OURS}[order]
    newer = "int newer[DLPACK_MINOR_VERSION == 99 ? 1 : -1];\n"
    compile_source(tmp_path, head + PROGRAM + newer, language, "-isystem", str(tmp_path / "real"))


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("order", ["before", "after", "absent"])
def test_an_old_installed_header_gets_what_it_lacks(tmp_path, language, order):
    (tmp_path / "real/dlpack").mkdir(parents=True)
    old = remove_version_from_header(find_header_of_real_torch().read_text(encoding="utf-8"))
    assert "struct DLManagedTensorVersioned" not in old
    (tmp_path / "real/dlpack/dlpack.h").write_text(old, encoding="utf-8")
    theirs = "#include <dlpack/dlpack.h>\n"
    head = {"before": theirs + OURS, "after": OURS + theirs, "absent": OURS}[order]
    compile_source(tmp_path, head + PROGRAM, language, "-isystem", str(tmp_path / "real"))
