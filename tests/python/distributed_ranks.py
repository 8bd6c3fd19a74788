"""Runs one script in several processes that form a group, on this library or on real torch, and returns their
outputs."""

import difflib
import os
import subprocess
import sys
import tempfile
import textwrap

import torch_server

PRELUDE = """
import datetime, io, os, pickle, sys, warnings
{imports}
dist = torch.distributed
RANK, WORLD_SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])

def join(timeout=60, **options):
    dist.init_process_group("gloo", init_method="file://" + os.environ["MEETING_PLACE"], rank=RANK,
    world_size=WORLD_SIZE,
                            timeout=datetime.timedelta(seconds=timeout), **options)

def shown(function, *arguments, **options):
    "Prints what a call returns or raises, with its warnings."
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(function(*arguments, **options))
        except Exception as error:
            result = f"{{type(error).__name__}}: {{error}}"
    for warning in caught:
        result += f" | {{warning.category.__name__}}: {{warning.message}}"
    print(result.replace("mindtorch", "torch"))
"""


EPILOGUE = """
if dist.is_available() and dist.is_initialized():
    dist.destroy_process_group()
"""


def run_script_on_ranks(script, world_size=2, library="mindtorch", timeout=120, environment=None, casualties=()):
    """Returns the lines that each rank printed, a list per rank; fails with their stderr if a rank fails.

    library: one for all ranks, or one per rank. casualties: ranks that are expected to fail; they are killed once the
    others have finished. The script can use `torch`, `dist`, `RANK`, `WORLD_SIZE`, `join()` (init_process_group over
    a file) and `shown()`.
    """
    reads_at_import = any(name.startswith("TORCH") for name in environment or ())  # torch does
    libraries = [library] * world_size if isinstance(library, str) else library
    with tempfile.TemporaryDirectory() as folder:
        ranks = []
        for rank in range(world_size):
            imports = {"torch": "import torch"}.get(libraries[rank], "import mindtorch as torch, mindtorch.distributed")
            path = os.path.join(folder, f"script{rank}.py")
            code = PRELUDE.format(imports=imports) + textwrap.dedent(script) + EPILOGUE
            with open(path, "w") as file:
                file.write(code)
            variables = dict(
                os.environ,
                RANK=str(rank),
                WORLD_SIZE=str(world_size),
                MEETING_PLACE=os.path.join(folder, "store"),
                OMP_NUM_THREADS="1",
                **(environment or {}),
            )
            if libraries[rank] == "torch" and not reads_at_import:
                ranks.append(torch_server.Program(code, path, variables))
                continue
            pipe = subprocess.PIPE
            ranks.append(subprocess.Popen([sys.executable, path], env=variables, stdout=pipe, stderr=pipe, text=True))
        try:
            outputs = {
                rank: process.communicate(timeout=timeout)
                for rank, process in enumerate(ranks)
                if rank not in casualties
            }
            for rank in casualties:
                ranks[rank].kill()
                outputs[rank] = ranks[rank].communicate(timeout=timeout)
        finally:
            for process in ranks:
                process.kill()
    for rank, process in enumerate(ranks):
        ended_well = process.returncode == 0 or rank in casualties
        assert ended_well, f"{libraries[rank]}, rank {rank}:\n{outputs[rank][1][-3000:]}"
    return [outputs[rank][0].splitlines() for rank in range(world_size)]


def assert_same_on_ranks(script, world_size=2, **options):
    """Asserts that both libraries print the same on every rank; returns the lines."""
    ours, theirs = (run_script_on_ranks(script, world_size, library, **options) for library in ("mindtorch", "torch"))
    for rank, (here, there) in enumerate(zip(ours, theirs, strict=True)):
        difference = "\n".join(difflib.unified_diff(there, here, "torch", "mindtorch", n=1, lineterm=""))
        assert not difference, f"rank {rank}:\n{difference}"
    return ours


def run_sections_on_ranks(names, sections, world_size=2, **options):
    """Runs many scripts but starts each library's processes once; returns the outputs of ours and of torch by title.

    sections: scripts by title; `names` is a script that runs before each of them.
    """
    script = textwrap.dedent(names) + "".join(f"\nprint('## {title}')\n{text}" for title, text in sections.items())
    printed = {title: [] for title in sections}
    for library in ("mindtorch", "torch"):
        for lines in printed.values():
            lines.append([])
        for rank_lines in run_script_on_ranks(script, world_size, library, **options):
            for line in rank_lines:
                if line.startswith("## "):
                    title = line[3:]
                    printed[title][-1].append([])
                else:
                    printed[title][-1][-1].append(line)
    return printed
