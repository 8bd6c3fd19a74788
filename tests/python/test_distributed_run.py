"""torchrun and its parts: workers' environment, failures, restarts, signals, log files."""

import os
import re
import signal
import subprocess
import sys
import textwrap

import pytest

LIBRARIES = {"torch": [], "mindtorch": ["-m", "mindtorch"]}


def torchrun_command(library, *arguments):
    return [sys.executable, *LIBRARIES[library], "-m", "torch.distributed.run", *map(str, arguments)]


def start_torchrun(library, *arguments, **variables):
    variables = {**os.environ, **variables}
    variables.pop("OMP_NUM_THREADS", None)
    return subprocess.Popen(
        torchrun_command(library, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables
    )


def wait_for_output(process, timeout=120):
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return process.returncode, sorted(out.splitlines()), err


def assert_same_output(*arguments, **variables):
    """Runs both libraries' torchrun concurrently; asserts that exit codes and outputs are equal; returns ours."""
    processes = {library: start_torchrun(library, *arguments, **variables) for library in LIBRARIES}
    results = {library: wait_for_output(process) for library, process in processes.items()}
    assert results["mindtorch"][:2] == results["torch"][:2], results
    return results["mindtorch"][0], results["mindtorch"][1], {library: result[2] for library, result in results.items()}


@pytest.fixture
def make_script(tmp_path):
    def write_script(text, name="script.py"):
        path = tmp_path / name
        path.write_text("import os, sys, time\n" + textwrap.dedent(text))
        return path

    return write_script


SHOWN = """
names = [name for name in os.environ if name in ("RANK", "OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING")
         or name.startswith(("LOCAL_", "GROUP_", "ROLE_", "WORLD_", "MASTER_ADDR", "TORCHELASTIC_"))]
# Values that differ from run to run are replaced by a property of theirs, such as their length.
values = {name: os.environ[name] for name in names}
values["MASTER_PORT"] = os.environ["MASTER_PORT"].isdigit()
values["TORCHELASTIC_RUN_ID"] = len(values["TORCHELASTIC_RUN_ID"])
values["TORCHELASTIC_ERROR_FILE"] = values["TORCHELASTIC_ERROR_FILE"].split("/")[-3:]
os.write(1, (repr((sorted(values.items()), sys.argv[1:], __name__)) + "\\n").encode())
"""


def test_workers_see_their_ranks_and_the_place_to_meet(oracle, make_script):
    code, lines, errors = assert_same_output(
        "--nproc-per-node", 2, "--max-restarts=3", make_script(SHOWN), "--lr", "0.1"
    )
    assert code == 0 and len(lines) == 2
    assert "('LOCAL_RANK', '0')" in lines[0] and "['--lr', '0.1']" in lines[0]
    # The warning about threads, which `python -m` prints without a source location.
    assert errors["mindtorch"] == errors["torch"] and "OMP_NUM_THREADS" in errors["torch"]


def test_static_rendezvous_uses_rank_and_port_options(oracle, make_script, tmp_path):
    options = "--nnodes=1 --node_rank=0 --master-addr=127.0.0.1 --nproc_per_node=2 --role trainer --rdzv-id=job"
    processes = {
        library: start_torchrun(library, *options.split(), f"--master_port={port}", make_script(SHOWN, f"{library}.py"))
        for library, port in (("torch", 29613), ("mindtorch", 29614))
    }
    results = {library: wait_for_output(process) for library, process in processes.items()}
    assert results["mindtorch"][:2] == results["torch"][:2]
    assert results["torch"][0] == 0 and "('ROLE_NAME', 'trainer')" in results["torch"][1][0]


def test_options_may_come_from_the_environment(make_script):
    code, lines, _ = wait_for_output(
        start_torchrun("mindtorch", make_script(SHOWN), PET_NPROC_PER_NODE="3", PET_STANDALONE="1")
    )
    assert code == 0 and len(lines) == 3 and "('WORLD_SIZE', '3')" in lines[0]


def test_modules_programs_and_old_launch(oracle, make_script, tmp_path):
    # One write per line: workers are unbuffered, and a print of several values could mix with another worker's.
    make_script("os.write(1, f\"{os.environ['LOCAL_RANK']} {sys.argv[1:]}\\n\".encode())", "worker_module.py")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    assert assert_same_output("--nproc-per-node=2", "-m", "worker_module", "a", PYTHONPATH=path)[1] == [
        "0 ['a']",
        "1 ['a']",
    ]
    code, lines, _ = wait_for_output(
        start_torchrun("mindtorch", "--no-python", "sh", "-c", "echo $RANK of $WORLD_SIZE")
    )
    assert (code, lines) == (0, ["0 of 1"])
    old = [
        sys.executable, "-W", "always", *LIBRARIES["mindtorch"], "-m", "torch.distributed.launch", "--nproc_per_node=2",
        str(tmp_path / "worker_module.py"),
    ]  # fmt: skip
    finished = subprocess.run(old, capture_output=True, text=True)
    assert sorted(finished.stdout.splitlines()) == ["0 ['--local-rank=0']", "1 ['--local-rank=1']"]
    assert "The module torch.distributed.launch is deprecated" in finished.stderr


FAILS = """
from torch.distributed.elastic.multiprocessing.errors import record
@record
def main():
    if os.environ["RANK"] == "1":
        time.sleep(0.3)
        raise ValueError("no good")
    time.sleep(600)
main()
"""


def mask_varying_report_text(text):
    """Removes from a ChildFailedError's report what differs between runs."""
    text = text[text.index("errors.ChildFailedError:") :]
    text = re.sub(r"(time +: ).*", r"\1T", re.sub(r"(host +: ).*", r"\1H", text))
    text = re.sub(r"PID \d+", "PID", re.sub(r"\(pid: \d+\)", "(pid)", text))
    text = re.sub(r"error_file: /.*/(attempt.*)", r"error_file: \1", text)
    text = re.sub(r'File ".*/errors/__init__.py", line \d+', "File E", text)
    return re.sub(r"return f\w?\(\*args, \*\*kwargs\)\n +\^+", "return f()", text)


def test_a_failed_worker_ends_the_others_and_is_reported(oracle, make_script):
    code, _, errors = assert_same_output("--nproc-per-node=2", make_script(FAILS))
    assert code == 1
    assert mask_varying_report_text(errors["mindtorch"]) == mask_varying_report_text(errors["torch"])
    for text in ("exitcode  : 1 (pid)", "ValueError: no good", "exitcode  : -15 (pid)  (SIGTERM)"):
        assert text in mask_varying_report_text(errors["torch"])
    for text in ("Sending process", "failed (exitcode: 1) local_rank: 1"):
        assert text in errors["torch"] and text in errors["mindtorch"]
    assert re.search(r"^E\d{4} [\d:.]+ \d+ torch/distributed/elastic/multiprocessing/api.py:\d+\] failed",
                     errors["mindtorch"], re.M)  # fmt: skip


def test_workers_start_again_up_to_max_restarts(make_script):
    text = """
    count = os.environ["TORCHELASTIC_RESTART_COUNT"]
    import torch
    torch.distributed.init_process_group("gloo")
    total = torch.ones(1)
    torch.distributed.all_reduce(total)
    os.write(1, f"{count} {os.environ['RANK']} {total.item()}\\n".encode())
    torch.distributed.barrier()
    sys.exit(3 if count < sys.argv[1] and os.environ["RANK"] == "1" else 0)
    """
    path = make_script(text)
    code, lines, _ = wait_for_output(start_torchrun("mindtorch", "--nproc-per-node=2", "--max-restarts=2", path, "1"))
    assert (code, lines) == (0, ["0 0 2.0", "0 1 2.0", "1 0 2.0", "1 1 2.0"])
    code, lines, errors = wait_for_output(
        start_torchrun("mindtorch", "--nproc-per-node=2", "--max-restarts=1", path, "9")
    )
    assert code == 1 and len(lines) == 4 and "exitcode  : 3" in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_workers(oracle, make_script, number):
    text = f"""
    import signal
    def exit_on_signal(*_):
        os.write(1, b"told\\n")
        sys.exit(0)
    signal.signal({int(number)}, exit_on_signal)
    os.write(1, b"ready\\n")
    time.sleep(60)
    """
    path, results = make_script(text), {}
    processes = {library: start_torchrun(library, "--nproc-per-node=2", path) for library in LIBRARIES}
    for library, process in processes.items():
        for _ in range(2):
            assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        code, lines, errors = wait_for_output(process)
        results[library] = code, lines, errors.splitlines()[-1].replace(str(process.pid), "PID")
    assert results["mindtorch"] == results["torch"]
    assert results["torch"][1] == ["told", "told"] and f"got signal: {int(number)}" in results["torch"][2]


def test_two_agents_meet_by_c10d_and_by_static_options(make_script):
    path = make_script(
        "os.write(1, ' '.join(map(os.environ.get, ('RANK', 'WORLD_SIZE', 'GROUP_RANK'))).encode() + b'\\n')"
    )
    for place in ("--rdzv-backend=c10d --rdzv-endpoint=localhost:29615 --rdzv-id=x", "--master-port=29616"):
        agents = [
            start_torchrun("mindtorch", "--nnodes=2", f"--nproc-per-node={node + 1}", *place.split(),
                    *([f"--node-rank={node}"] if "master" in place else []), path)
            for node in range(2)
        ]  # fmt: skip
        results = [wait_for_output(agent) for agent in agents]
        lines = sorted(line for _, out, _ in results for line in out)
        assert [code for code, *_ in results] == [0, 0], results
        assert [line[:3] for line in lines] == ["0 3", "1 3", "2 3"]


def test_log_files_and_tee(oracle, make_script, tmp_path):
    path = make_script("os.write(1, f\"out {os.environ['RANK']}\\n\".encode()); os.write(2, b'err\\n')")
    options = "--nproc-per-node=2 --rdzv-id=job -r 3 -t 0:1 --local-ranks-filter=0"
    found = {}
    for library in LIBRARIES:
        folder = tmp_path / library
        found[library] = wait_for_output(start_torchrun(library, *options.split(), "--log-dir", folder, path))[:2]
        files = sorted(file for file in folder.rglob("*.log"))
        found[library] += ([("/".join(file.parts[-3:]), file.read_text()) for file in files],)
    assert found["mindtorch"] == found["torch"]
    assert found["torch"][1] == ["[default0]:out 0"] and len(found["torch"][2]) == 4


def test_invalid_options_are_reported(make_script):
    path = make_script("")
    for options, text in (
        (["--nproc-per-node=many", path], "ValueError: Unsupported nproc_per_node value: many"),
        (["--nproc-per-node=gpu", path], "ValueError: Cuda is not available."),
        (["--nnodes=1:2:3", path], 'RuntimeError: nnodes=1:2:3 is not in "MIN:MAX" format'),
        (["--nnodes=2:1", path], "AssertionError: min_nodes must be > 0 and <= max_nodes, got min_nodes=2"),
        (["--tee=5", path], r"ValueError: 5 does not match: <^[0123]$> or <^(\d:[0123],)*(\d:[0123])$>"),
        (["--rdzv-conf==1", path], "ValueError: The rendezvous configuration string must be in format"),
        (["--rdzv-backend=etcd", "--rdzv-endpoint=h:1", path], "ValueError: The rendezvous backend 'etcd' is not"),
        (["--no-python", "-m", path], "ValueError: Don't use both the '--no-python' flag and the '--module' flag"),
        ([], "error: the following arguments are required: training_script, training_script_args"),
    ):
        code, _, errors = wait_for_output(start_torchrun("mindtorch", *options))
        assert code and text in errors, errors


def test_options_have_torchs_names_and_defaults(run_as_torch):
    parser = "from torch.distributed.run import get_args_parser as p; print(vars(p().parse_args(['s'])))"
    values = eval(run_as_torch(parser).ok())
    theirs = eval(subprocess.run([sys.executable, "-c", parser], capture_output=True, text=True, check=True).stdout)
    missing = set(theirs) - set(values)
    assert missing == {
        "duplicate_stderr_filters", "duplicate_stdout_filters", "logs_specs", "numa_binding", "virtual_local_rank"
    }  # fmt: skip
    assert {name: value or None for name, value in values.items() if value != "1"} == {
        name: value or None for name, value in theirs.items() if name not in missing and value not in ("1", "1:1")
    }


def test_functions_are_launched_and_return_values(tmp_path):
    text = """
    import os, sys
    import torch
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    def work(scale):
        if scale < 0:
            raise RuntimeError("negative")
        return [scale * int(os.environ["RANK"])] * 50000  # more than a pipe holds

    if __name__ == "__main__":
        for method in "spawn", "fork":
            config = LaunchConfig(1, 1, 2, run_id="job", rdzv_backend="c10d", rdzv_endpoint="localhost:0",
                                  max_restarts=0, start_method=method)
            values = elastic_launch(config, work)(7)
            print({rank: (len(value), value[0]) for rank, value in values.items()})
        try:
            elastic_launch(config, work)(-1)
        except ChildFailedError as error:
            print(error.name, error.get_first_failure()[1].message["message"])
    """
    path = tmp_path / "functions.py"
    path.write_text(textwrap.dedent(text))
    finished = subprocess.run([sys.executable, *LIBRARIES["mindtorch"], path], capture_output=True, text=True)
    values = "{0: (50000, 0), 1: (50000, 7)}\n"
    assert finished.stdout == f"{values}{values}work RuntimeError: negative\n", finished.stderr


def test_record_writes_the_error_file(run_as_torch, tmp_path):
    code = f"""
import json, os
os.environ["TORCHELASTIC_ERROR_FILE"] = {str(tmp_path / "error.json")!r}
from torch.distributed.elastic.multiprocessing.errors import record
@record
def raise_given_exception(end):
    raise end
print(raise_given_exception(SystemExit(0)))
try:
    raise_given_exception(KeyError("k"))
except KeyError:
    told = json.load(open(os.environ["TORCHELASTIC_ERROR_FILE"]))["message"]
print(told["message"], sorted(told["extraInfo"]), told["extraInfo"]["timestamp"].isdigit())
"""
    assert run_as_torch(code).ok() == "None\nKeyError: 'k' ['py_callstack', 'timestamp'] True\n"
