"""A model of long convolutions, trained on compressed shards by workers, has real torch's losses; no NumPy."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "monarch_mixer.py"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the program prints on ours and on torch."""
    if find_spec("torch") is None:
        pytest.skip("needs real torch")
    folder = tmp_path_factory.mktemp("monarch") / "shards"
    environment = {name: value for name, value in os.environ.items() if name != "MINDTORCH_AS_TORCH"}
    commands = [[sys.executable, *launcher, str(PROGRAM), str(folder)] for launcher in (["-m", "mindtorch"], [])]
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for command in commands]
    made = []
    for program in programs:
        output = program.communicate(timeout=900)[0]
        assert program.returncode == 0
        made.append(json.loads(output.splitlines()[-1]))
    assert [result["ours"] for result in made] == [True, False]
    return made


def test_losses_of_100_steps_match_torch(results):
    ours, theirs = results
    assert len(theirs["losses"]) == 100 and theirs["losses"][-1] < 0.9 * theirs["losses"][0]
    assert ours["losses"] == pytest.approx(theirs["losses"], rel=1e-5)
    assert ours["accuracies"] == pytest.approx(theirs["accuracies"], abs=0.02)  # a tie may fall either way


def test_long_convolution_and_its_gradients_match_torch(results):
    ours, theirs = results
    assert ours["long"] == pytest.approx(theirs["long"], rel=1e-4)


def test_factors_of_svd_multiply_to_the_matrix(results):
    for result in results:
        assert result["error"] < 1e-6
    assert results[0]["energy"] == pytest.approx(results[1]["energy"], rel=1e-5)


def test_training_under_autocast_is_near_torch(results):
    assert results[0]["autocast"] == pytest.approx(results[1]["autocast"], rel=2e-2)


def test_training_from_shards_imports_no_numpy(results):
    assert results[0]["numpy"] is False
