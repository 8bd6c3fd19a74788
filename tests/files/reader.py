"""Loads numbered files in a process with limits and prints the outcome of each: python reader.py LIBRARY FILES FIRST
LAST."""

import importlib
import json
import os
import pickle
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

MEMORY = 1 << 30  # bytes of address space beyond the library's own
SECONDS = {"mindtorch": 20, "torch": 3}  # for one file; torch is known to hang on some
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "subprocess.Popen", "socket.", "shutil.")


def exit_on_forbidden_event(loading):
    """Ends the process if a load does something that only a file's code would do."""

    def hook(event, arguments):
        writes = event == "open" and isinstance(arguments[1], str) and "r" not in arguments[1]
        if loading and (writes or event.startswith(FORBIDDEN)):
            print(json.dumps({"ran": f"{event} {arguments}"}), flush=True)
            os._exit(9)

    sys.addaudithook(hook)


def limit_memory():
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))


def describe_loaded_object(torch, value, values_left):
    """Describes the loaded object by up to a hundred values."""
    values_left[0] -= 1
    if values_left[0] < 0:
        return "..."
    if isinstance(value, torch.Tensor):
        place = (list(value.shape), value.stride(), value.storage_offset()) if value.layout == torch.strided else ()
        return [str(value.dtype).rpartition(".")[2], str(value.device), *place, value.requires_grad]
    if isinstance(value, (list, tuple)):
        return [
            type(value).__name__,
            len(value),
            *(describe_loaded_object(torch, item, values_left) for item in value[:20]),
        ]
    if isinstance(value, dict):
        return [
            type(value).__name__,
            len(value),
            *(describe_loaded_object(torch, item, values_left) for item in list(value.values())[:20]),
        ]
    return type(value).__name__


def choose_load_options(number, kind, path):
    """How to load the file: as a path or a stream, mapped or read; unrestricted only if its pickle is genuine."""
    asked = [{}, {}, {"map_location": "cpu"}, {"map_location": "meta"}, {"weights_only": True, "mmap": True}][
        number % 5
    ]
    if kind == "zip fields" and number % 3 == 0:
        asked = {"weights_only": False}
    return (path if asked.get("mmap") or number % 2 else open(path, "rb")), asked


def describe_load_outcome(torch, number, kind, path):
    source, asked = choose_load_options(number, kind, path)
    try:
        return {"value": describe_loaded_object(torch, torch.load(source, **asked), [100])}
    except Exception as error:
        return {"error": f"{type(error).__module__}.{type(error).__name__}", "text": str(error)[:3000]}
    finally:
        if source is not path:
            source.close()


def main():
    library, files, first, last = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    from cases import make_damaged_file

    torch = importlib.import_module(library)
    genuine = pickle.loads(files.read_bytes())
    warnings.simplefilter("ignore")
    torch.load(open(files.parent / "whole.pt", "rb"))  # imports now what a load imports
    loading = []
    exit_on_forbidden_event(loading)
    limit_memory()
    path = files.parent / f"{library}-{first}.pt"
    for number in range(first, last):
        kind, data = make_damaged_file(number, genuine)
        path.write_bytes(data)
        print(json.dumps({"number": number}), flush=True)
        begun = time.monotonic()
        signal.alarm(SECONDS[library])
        loading.append(True)
        outcome = describe_load_outcome(torch, number, kind, str(path))
        loading.clear()
        signal.alarm(0)
        outcome["seconds"] = round(time.monotonic() - begun, 2)
        outcome["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(json.dumps({"number": number, "kind": kind} | outcome), flush=True)
    path.unlink()


main()
