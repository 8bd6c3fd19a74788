"""Makes a release wheel from a built one: sets its tag, optionally replaces its binaries; the bytes do not depend on
the machine.

usage: repack_wheel.py WHEEL --tag TAG --out FOLDER [--binaries FOLDER]

Copies everything from WHEEL, except shared objects if --binaries names a tree with those of another Python or
processor. Sorts the files and sets their time to SOURCE_DATE_EPOCH. Prints the path of the new wheel.
"""

import argparse
import base64
import hashlib
import os
import re
import time
import zipfile
from pathlib import Path

PERMISSIONS_FILE = 0o100644
PERMISSIONS_PROGRAM = 0o100755


def is_shared_object(name):
    return re.search(r"\.so(\.[0-9.]+)?$", name) is not None


def read_wheel(path):
    """Returns names and contents, without RECORD, which is rewritten."""
    with zipfile.ZipFile(path) as wheel:
        return {n: wheel.read(n) for n in wheel.namelist() if not n.endswith(("/", ".dist-info/RECORD"))}


def read_shared_objects(folder):
    files = (path for path in Path(folder).rglob("*") if path.is_file() and is_shared_object(path.name))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def replace_tags(wheel_metadata, tag):
    """Returns the text of a WHEEL file with another `tag`; a compressed tag set gets one line per tag."""
    python, abi, platforms = tag.split("-")
    lines = [line for line in wheel_metadata.decode().splitlines() if line and not line.startswith("Tag:")]
    return "\n".join(lines + [f"Tag: {python}-{abi}-{platform}" for platform in platforms.split(".")] + [""]).encode()


def make_record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(path, files, timestamp):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, timestamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (PERMISSIONS_PROGRAM if is_shared_object(name) else PERMISSIONS_FILE) << 16
            wheel.writestr(entry, content)


def write_retagged_wheel(wheel, tag, out, binaries=None):
    files = read_wheel(wheel)
    dist_info = next(name for name in files if name.endswith(".dist-info/WHEEL")).rsplit("/", 1)[0]
    if binaries is not None:
        files = {n: content for n, content in files.items() if not is_shared_object(n)} | read_shared_objects(binaries)
        extensions = [name for name in files if re.fullmatch(r"mindtorch/_tree/_C\..*\.so", name)]
        if len(extensions) != 1 or "mindtorch/lib/libmindtorch.so.0" not in files:
            raise SystemExit(f"{binaries}: one _C and libmindtorch are expected, got {sorted(extensions)}")
    files[f"{dist_info}/WHEEL"] = replace_tags(files[f"{dist_info}/WHEEL"], tag)
    # RECORD comes last, as in pip's own wheels.
    files = dict(sorted(files.items(), key=lambda item: (item[0].startswith(dist_info), item[0])))
    files[f"{dist_info}/RECORD"] = (
        "".join(make_record_line(*item) for item in files.items()) + f"{dist_info}/RECORD,,\n"
    ).encode()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))  # the earliest date that a zip file can store
    path = Path(out) / f"{dist_info.removesuffix('.dist-info')}-{tag}.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_wheel(path, files, moment)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel")
    parser.add_argument("--tag", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--binaries")
    given = parser.parse_args()
    print(write_retagged_wheel(given.wheel, given.tag, given.out, given.binaries))
