"""Real torch saves each object, and the C library reads it: prints a JSON line with the difference per file.

c_exchange.py LIBRARY FOLDER
"""

import json
import pickle
import sys
import warnings
from pathlib import Path

import c_files
import torch
from objects import OBJECTS

warnings.simplefilter("ignore")


def find_difference(ours, theirs, seen=None):
    """Returns "" if both are equal, otherwise a description of the first difference."""
    seen = set() if seen is None else seen
    if id(theirs) in seen:
        return ""
    if isinstance(theirs, torch.Tensor):
        if type(ours) is c_files.Object:
            return f"an object of {ours.made_by}"
        if not isinstance(ours, torch.Tensor):
            return f"{type(ours)} instead of a tensor"
        facts = [
            (
                t.dtype,
                t.shape,
                t.layout,
                t.device.type,
                t.requires_grad,
                isinstance(t, torch.nn.Parameter),
                t.is_conj(),
                t.is_neg(),
            )
            for t in (ours, theirs)
        ]
        if facts[0] != facts[1]:
            return f"{facts}"
        if theirs.layout is not torch.strided:
            return "" if torch.equal(ours.to_dense(), theirs.to_dense()) else "other elements"
        if ours.stride() != theirs.stride() or ours.storage_offset() != theirs.storage_offset():
            return f"strides {ours.stride()} instead of {theirs.stride()}"
        if theirs.is_meta:
            return ""
        left, right = (bytes(t.detach().untyped_storage()) for t in (ours, theirs))
        return "" if left == right else "other bytes"
    if isinstance(theirs, torch.storage.TypedStorage):
        facts = [(s.dtype, bytes(s._untyped_storage)) for s in (ours, theirs)]
        return "" if facts[0] == facts[1] else f"{facts}"
    if type(ours) is not type(theirs):
        return f"{type(ours)} instead of {type(theirs)}"
    if isinstance(theirs, dict):
        seen.add(id(theirs))
        if list(ours) != list(theirs):
            return f"keys {list(ours)} instead of {list(theirs)}"
        return next((f"{k}: {d}" for k in theirs if (d := find_difference(ours[k], theirs[k], seen))), "")
    if isinstance(theirs, (list, tuple)):
        seen.add(id(theirs))
        if len(ours) != len(theirs):
            return f"{len(ours)} items instead of {len(theirs)}"
        return next(
            (
                f"{i}: {d}"
                for i, (a, b) in enumerate(zip(ours, theirs, strict=True))
                if (d := find_difference(a, b, seen))
            ),
            "",
        )
    return "" if ours == theirs or repr(ours) == repr(theirs) else f"{ours!r} instead of {theirs!r}"


def compare_loaders_on_file(library, path):
    try:
        theirs, refusal = torch.load(path, weights_only=True), None
    except (pickle.UnpicklingError, RuntimeError, AttributeError, NotImplementedError, ImportError) as error:
        theirs, refusal = None, str(error)
    try:
        file = c_files.File(library, path)
        ours, failure = file.read_content(), None
    except c_files.Failure as error:
        ours, failure = None, error
    if refusal is not None:
        return {"refused": refusal, "here": str(failure), "alike": failure is not None and failure.message in refusal}
    if failure is not None:
        return {"differs": str(failure)}
    return {"differs": find_difference(ours, theirs), "tensors": len(file.list_entries())}


def main(library, folder):
    library = c_files.Library(library)
    for name, value in OBJECTS.items():
        for kind in ("zip", "legacy"):
            path = Path(folder) / f"{kind}.pt"
            try:
                torch.save(value, path, _use_new_zipfile_serialization=kind == "zip")
            except Exception:
                continue
            print(json.dumps({"file": f"{name} ({kind})", **compare_loaders_on_file(library, path)}), flush=True)


main(*sys.argv[1:])
