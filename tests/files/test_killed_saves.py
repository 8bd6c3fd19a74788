"""A save that is killed at any point leaves the complete old or new file, and later saves still work."""

import os
import resource
import signal
import sys

import pytest

POINTS = 50


def make_state(mt, scale):
    return {"big": mt.full((100_000,), float(scale)), "small": [mt.ones(3) * scale, "x" * 1000]}


def count_calls_and_returns(function):
    """Counts the calls and returns of Python and C functions in `function`."""
    count = 0

    def count_step(frame, event, argument):
        nonlocal count
        count += 1

    sys.setprofile(count_step)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def run_and_die_at_step(function, step):
    """Calls `function` in a child process, and kills it at the call or return with this number."""
    child = os.fork()
    if child == 0:
        count = 0

        def die_at_step(frame, event, argument):
            nonlocal count
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(die_at_step)
        function()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run_and_die_at_byte(function, at):
    """Calls `function` in a child process, which the kernel kills when a file would get more bytes than `at`."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
        resource.setrlimit(resource.RLIMIT_FSIZE, (at, at))
        function()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "legacy"])
def test_a_killed_save_leaves_the_old_file_or_the_new(mt, is_zip, tmp_path):
    path = tmp_path / "checkpoint.pt"
    options = {"_use_new_zipfile_serialization": is_zip}
    mt.save(make_state(mt, 1), path, **options)
    new = make_state(mt, 2)
    steps = count_calls_and_returns(lambda: mt.save(new, tmp_path / "other.pt", **options))
    assert steps > POINTS
    for point in range(POINTS):
        status = run_and_die_at_step(lambda: mt.save(new, path, **options), 1 + steps * point // POINTS)
        assert status == -signal.SIGKILL, point
        found = mt.load(path)
        scale = found["big"][0].item()
        assert scale == 1 or point == POINTS - 1
        assert mt.equal(found["big"], make_state(mt, scale)["big"]) and mt.equal(found["small"][0], mt.ones(3) * scale)
    # A zip archive is written by one call of the library: only the kernel interrupts it.
    size = path.stat().st_size
    for at in (0, 1, size // 2, size - 1):
        assert run_and_die_at_byte(lambda: mt.save(new, path, **options), at) == -signal.SIGXFSZ, at
        assert mt.load(path)["big"][0] == scale
    assert any(name.endswith(".tmp") for name in os.listdir(tmp_path))  # left by the killed processes
    mt.save(make_state(mt, 3), path, **options)
    assert mt.load(path)["big"][0] == 3


def test_save_keeps_temporary_files_of_killed_saves(mt, tmp_path):
    path = tmp_path / "checkpoint.pt"
    left = [tmp_path / f".checkpoint.pt.{os.getpid()}-{number}.tmp" for number in range(3)]
    for path_left in left:
        path_left.write_text("left")
    mt.save(1, path)
    assert mt.load(path) == 1
    assert [path_left.read_text() for path_left in left] == ["left"] * 3
    assert sorted(os.listdir(tmp_path)) == sorted(["checkpoint.pt", *(path_left.name for path_left in left)])


def test_save_keeps_symlink_and_file_mode(mt, tmp_path):
    target, link = tmp_path / "target.pt", tmp_path / "link.pt"
    mt.save(1, target)
    target.chmod(0o640)
    link.symlink_to("target.pt")
    mt.save(2, link)
    assert link.is_symlink() and mt.load(target) == 2
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "legacy"])
def test_failed_save_keeps_the_old_file(mt, is_zip, tmp_path):
    path = tmp_path / "checkpoint.pt"
    mt.save(1, path)
    with pytest.raises(Exception, match="pickle"):
        mt.save([mt.ones(3), lambda: 0], path, _use_new_zipfile_serialization=is_zip)
    assert mt.load(path) == 1
    assert os.listdir(tmp_path) == ["checkpoint.pt"]
