"""examples/c/embed.c computes the same numbers as transformers on a small BERT with random weights."""

import shutil
import subprocess

import pytest
from test_c_files import HERE, ROOT, library_path, require_torch, run_beside_torch  # noqa: F401  fixtures

PROGRAM = """
import sys, safetensors.torch, torch
from transformers import BertConfig, BertModel
torch.manual_seed(0)
sizes = {"vocab_size": 50, "hidden_size": 48, "num_hidden_layers": 3, "intermediate_size": 96}
config = BertConfig(**sizes, max_position_embeddings=9)
model = BertModel(config, add_pooling_layer=False).eval()
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=0.3)
safetensors.torch.save_file(model.state_dict(), sys.argv[1])
with torch.no_grad():
    rows = model(torch.tensor([[1, 7, 42, 7, 2]])).last_hidden_state.mean(1)
print(*torch.nn.functional.normalize(rows)[0].tolist())
"""


def test_embed_matches_transformers(require_torch, library_path, tmp_path):  # noqa: F811
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    model, program = tmp_path / "model.safetensors", tmp_path / "embed"
    expected = [float(number) for number in run_beside_torch(["-c", PROGRAM], model).split()]
    folder = library_path.parent
    includes = next(p for p in (folder.parent / "include", ROOT / "capi" / "include") if (p / "mindtorch").is_dir())
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{includes}", f"-Wl,-rpath,{folder}"]
    source = ROOT / "examples" / "c" / "embed.c"
    subprocess.run(["cc", *options, str(source), str(library_path), "-lm", "-o", str(program)], check=True)
    done = subprocess.run(
        [str(program), str(model), "1", "7", "42", "7", "2"], check=True, capture_output=True, text=True, timeout=60
    )
    assert [float(line) for line in done.stdout.split()] == pytest.approx(expected, abs=1e-6)
    wrong = subprocess.run([str(program), str(HERE / "README.md"), "1"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 1 and "has no format that is known here" in wrong.stderr
