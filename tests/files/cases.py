"""The numbered malicious and damaged files: a number always yields the same file."""

import io
import random as randoms
import re
import zipfile

import damage
import hostile
from archives import make_checkpoint_archive

KINDS = [
    "bytes",
    "bytes",
    "zip fields",
    "pickle of a zip",
    "hostile zip",
    "hostile zip",
    "hostile legacy",
    "odd archive",
]


def make_genuine_files(torch):
    """Real files of both formats: {name: bytes}."""
    base = torch.arange(24, dtype=torch.float32)
    module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.AdamW(module.parameters())
    module(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    objects = {
        "plain": {"numbers": [1, 2.5, 10**30, True, None], "text": "x", "tuple": (1, (2, 3)), "bytes": b"abc"},
        "views": [base, base[3:9], base.view(4, 6).t(), base[:0]],
        "dtypes": [torch.ones(3, dtype=kind) for kind in (torch.float16, torch.bool, torch.complex64, torch.uint16)],
        "state": module.state_dict(),
        "optimizer": optimizer.state_dict(),
        "parameter": [torch.nn.Parameter(torch.ones(2, 2)), torch.empty(2, device="meta"), torch.Size([1, 2])],
    }
    files = {}
    for name, thing in objects.items():
        for is_zip in (True, False):
            stream = io.BytesIO()
            torch.save(thing, stream, _use_new_zipfile_serialization=is_zip)
            data = stream.getvalue()
            files[f"{name}.{'zip' if is_zip else 'legacy'}"] = data if is_zip else number_storage_keys(data)
    return files


def number_storage_keys(legacy_file):
    """A legacy file with small numbers in place of the addresses that identify storages, so that its bytes are always
    the same."""
    keys = sorted(set(re.findall(rb"X\x0e\x00\x00\x00([0-9]{14})|X\x0f\x00\x00\x00([0-9]{15})", legacy_file)))
    for number, found in enumerate(keys):
        key = found[0] or found[1]
        legacy_file = legacy_file.replace(key, str(number).zfill(len(key)).encode())
    return legacy_file


def read_zip_records(zip_file):
    archive = zipfile.ZipFile(io.BytesIO(zip_file))
    return {info.filename.partition("/")[2]: archive.read(info) for info in archive.infolist()}


def make_damaged_file(number, genuine_files):
    """Returns the kind of a numbered file, and its bytes."""
    random = randoms.Random(number)
    kind = KINDS[number % len(KINDS)]
    zips = [data for name, data in genuine_files.items() if name.endswith("zip")]
    everything = list(genuine_files.values())
    if kind == "bytes":
        data = random.choice(everything)
        for _ in range(random.choice([1, 1, 1, 2, 5])):
            data = random.choice(damage.ANYWHERE)(random, data, everything) or b"P"
        return kind, data
    if kind == "zip fields":
        return kind, damage.falsify_zip_fields(random, random.choice(zips), zips)
    if kind == "pickle of a zip":
        records = read_zip_records(random.choice(zips))
        others = [read_zip_records(data)["data.pkl"] for data in zips]
        for _ in range(random.choice([1, 1, 1, 2, 5])):
            records["data.pkl"] = random.choice(damage.ANYWHERE)(random, records["data.pkl"], others) or b"."
        return kind, make_checkpoint_archive(b"", **records).build_zip_bytes()
    if kind == "hostile zip":
        return kind, hostile.wrap_pickle_in_zip(random)
    if kind == "hostile legacy":
        return kind, hostile.wrap_pickle_in_legacy_file(random)
    return kind, hostile.make_false_archive(random)
