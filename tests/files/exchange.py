"""Saves every object, or loads files and reports their contents: python exchange.py save FOLDER | load FOLDER...

Runs on real torch or on mindtorch as torch. The report is JSON; it is equal if both load the same contents.
"""

import contextlib
import hashlib
import io
import json
import re
import sys
from pathlib import Path

import torch

FORMATS = {"zip": {}, "legacy": {"_use_new_zipfile_serialization": False}}
# How each file is loaded. Arbitrary objects need weights_only=False; refusals of the default are reported too.
LOADS = {
    "plain": {},
    "anything": {"weights_only": False},
    "mapped": {"mmap": True, "weights_only": False},
    "to meta": {"map_location": "meta", "weights_only": False},
    "by name": {"map_location": {"cpu": "cpu"}, "weights_only": False},
    "by function": {"map_location": lambda storage, place: storage, "weights_only": False},
}


class Describer:
    """Describes an object and its contents; repeated objects and storages are described by number."""

    def __init__(self):
        self.seen, self.storages = {}, {}

    def number_object(self, thing, numbers, key):
        return numbers.setdefault(key, (len(numbers), thing))[0]  # keeps it alive, so that no address is reused

    def describe_value(self, value):
        if isinstance(value, (int, float, complex, str, bytes, type(None), type, torch.dtype)):
            return remove_process_specifics(repr(value)) if len(repr(value)) < 100 else hash_bytes(repr(value).encode())
        if type(value).__name__ == "tensortype":  # torch.FloatTensor and similar
            return remove_process_specifics(str(value))
        if id(value) in self.seen:
            return f"object {self.seen[id(value)][0]}"
        self.number_object(value, self.seen, id(value))
        kind = type(value).__name__
        if isinstance(value, torch.Tensor):
            return [kind, self.describe_tensor(value)]
        if isinstance(value, (torch.UntypedStorage, torch.TypedStorage)):
            return [kind, self.describe_storage(value), len(value)]
        if isinstance(value, dict):
            pairs = [[self.describe_value(key), self.describe_value(item)] for key, item in value.items()]
            return [kind, pairs, self.describe_attributes(value)]
        if isinstance(value, (set, frozenset)):
            return [kind, sorted(map(repr, value))]
        if isinstance(value, (list, tuple)) or kind == "deque":
            return [kind, [self.describe_value(item) for item in value]]
        if callable(value) and not isinstance(value, torch.nn.Module):
            return [kind, getattr(value, "__qualname__", remove_process_specifics(repr(value)))]
        return [
            kind,
            remove_process_specifics(repr(value)) if type(value).__repr__ is not object.__repr__ else "",
            self.describe_attributes(value),
        ]

    def describe_attributes(self, value):
        return {name: self.describe_value(item) for name, item in sorted(getattr(value, "__dict__", {}).items())}

    def describe_storage(self, storage):
        untyped = storage if isinstance(storage, torch.UntypedStorage) else storage._untyped_storage
        number = self.number_object(untyped, self.storages, untyped._cdata)
        if untyped.device.type == "meta":
            return [number, untyped.nbytes(), "meta"]
        whole = torch.empty(0, dtype=torch.uint8).set_(untyped)
        return [number, untyped.nbytes(), hash_bytes(bytes(whole.tolist()))]

    def describe_tensor(self, t):
        if isinstance(t, torch.nn.parameter.UninitializedTensorMixin):
            return [str(t.dtype), str(t.device), t.requires_grad]
        place = [tuple(t.shape), t.stride(), t.storage_offset(), *self.describe_storage(t.untyped_storage())]
        marks = [t.requires_grad, t.is_leaf, t.is_conj(), t.is_neg(), t._version, t.is_inference()]
        samples = []
        if t.dtype == torch.uint8 and t.numel() == torch.get_rng_state().numel() and t.device.type == "cpu":
            generator = torch.Generator()
            generator.set_state(t)
            samples = torch.rand(5, generator=generator).tolist()
        return [str(t.dtype), str(t.device), place, marks, samples, self.describe_attributes(t)]


def hash_bytes(data):
    return hashlib.sha256(data).hexdigest()[:16]


def remove_process_specifics(text):
    """Removes what depends on the process: addresses and the name of the root module."""
    return re.sub(r"0x[0-9a-f]+", "0x", text.replace("mindtorch", "torch"))


def describe_loaded_file(file, options):
    """Returns the description of a file's contents, or the error: its type and text."""
    try:
        value = torch.load(file, **options)
    except Exception as error:
        return [type(error).__name__, remove_process_specifics(str(error)).replace(str(file), "FILE")]
    return Describer().describe_value(value)


def save_all_objects(folder):
    """Saves each object in both formats and with each newer pickle protocol; writes the text of a refusal."""
    import objects

    archives = {f"protocol{number}": {"pickle_protocol": number} for number in (2, 3, 4, 5)}
    for name, thing in objects.OBJECTS.items():
        for form, options in (FORMATS | archives).items():
            file, stream = folder / f"{name}.{form}", io.BytesIO()
            try:
                torch.save(thing, file if form in FORMATS else stream, **options)
            except Exception as error:
                file.unlink(missing_ok=True)  # torch leaves a partial file
                file.with_name(f"{file.name}.refused").write_text(
                    remove_process_specifics(f"{type(error).__name__}: {error}")
                )
            else:
                if form in archives:
                    file.write_bytes(stream.getvalue())


def main():
    command, *folders = sys.argv[1:]
    if command == "save":
        save_all_objects(Path(folders[0]))
        return
    import objects

    contents = {}
    kinds = [objects.Kind, objects.KindOfParameter, objects.Stateful, objects.Point, objects.rebuild_stateful_tensor]
    for folder in map(Path, folders):
        for file in sorted([*folder.glob("*.zip"), *folder.glob("*.legacy")]):
            about = {name: describe_loaded_file(file, options) for name, options in LOADS.items()}
            with torch.serialization.safe_globals(kinds):
                about["allowed"] = describe_loaded_file(file, {})
            with open(file, "rb") as stream, contextlib.closing(stream):
                about["from a stream"] = describe_loaded_file(stream, {"weights_only": False})
            contents[f"{folder.name}/{file.name}"] = about
    print(json.dumps(contents))


main()
