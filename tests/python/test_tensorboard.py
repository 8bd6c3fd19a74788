"""torch.utils.tensorboard writes the same events as torch, except for their times."""

import importlib.util

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="tensorboard is not installed")

START = """
import glob, hashlib, os, tempfile
import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter
os.chdir(tempfile.mkdtemp(dir="."))
torch.manual_seed(0)
np.random.seed(0)
writer = SummaryWriter("logs")
def print_error(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
"""
END = """
writer.close()
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
for path in sorted(glob.glob("logs/**/*", recursive=True)):
    if os.path.isdir(path):
        print(path)
    elif "tfevents" not in path:
        print(path, hashlib.sha1(open(path, "rb").read()).hexdigest())
    else:
        print(os.path.dirname(path))
        for event in LegacyEventFileLoader(path).Load():
            event.wall_time = 0
            event.ClearField("source_metadata")
            print(event)
"""
PROGRAMS = {
    "numbers": """
writer.add_scalar("a/b", 1.5, 1)
writer.add_scalar("tensor", torch.tensor([2.5], requires_grad=True), 2.7)
writer.add_scalar("new", 3, torch.tensor(4), new_style=True)
writer.add_scalar("double", 0.1, 4, new_style=True, double_precision=True)
writer.add_scalar("bfloat16", torch.tensor(1.5, dtype=torch.bfloat16))
writer.add_scalars("m/n", {"a": 1, "b": torch.tensor(2.0)}, 3)
for bad in (torch.ones(2), "s", [1], None):
    print_error(lambda: writer.add_scalar("bad", bad))""",
    "histograms": """
writer.add_histogram("h", torch.randn(100), 1)
writer.add_histogram("auto", np.arange(10), 1, bins="auto")
writer.add_histogram("fewer", torch.rand(50) * 100, 1, max_bins=20)
writer.add_histogram("few", torch.tensor([1, 2, 2]), bins=7, max_bins=3)
writer.add_histogram("zeros", torch.zeros(3))
writer.add_histogram("outside", torch.tensor([5.0]), bins=[0, 1])
print_error(lambda: writer.add_histogram("none", torch.tensor([])))
print_error(lambda: writer.add_histogram("outside", torch.tensor([5.0]), bins=[0, 1, 2]))""",
    "pictures": """
writer.add_image("floats", torch.rand(3, 5, 6), 1)
writer.add_image("bytes", torch.randint(0, 255, (5, 6, 1), dtype=torch.uint8), 1, dataformats="HWC")
writer.add_image("beyond", torch.rand(5, 6) * 2, dataformats="HW")
writer.add_images("grid", torch.rand(10, 3, 4, 4))
writer.add_images("grey", torch.rand(3, 4, 4, 1), dataformats="NHWC")
print_error(lambda: writer.add_image("bad", torch.rand(2, 2)))
print_error(lambda: writer.add_image("bad", torch.rand(2, 2), dataformats="HH"))
print_error(lambda: writer.add_images("bad", torch.rand(2, 2, 3, 3)))""",
    "sound and text": """
writer.add_audio("sound", torch.rand(1, 100), sample_rate=8000)
writer.add_audio("loud", torch.rand(100) * 3)
print_error(lambda: writer.add_audio("stereo", torch.rand(2, 100)))
writer.add_text("text", "h\\u00e9llo **x**", 2)""",
    "curves and charts": """
writer.add_pr_curve("p", torch.randint(0, 2, (50,)), torch.rand(50), 1)
weights = np.array([1.0, 2.0, 3.0])
writer.add_pr_curve("q", np.array([0, 1, 1]), np.array([0.1, 0.9, 0.4]), num_thresholds=500, weights=weights)
writer.add_custom_scalars({"A": {"x": ["Multiline", ["a", "b"]], "y": ["Margin", ["a", "b", "c"]]}})
writer.add_custom_scalars_multilinechart(["q", "r"])
writer.add_custom_scalars_marginchart(["q", "r", "s"], "C", "T")
print_error(lambda: writer.add_custom_scalars_marginchart(["q"]))
print_error(lambda: writer.add_custom_scalars({"A": {"y": ["Margin", ["a"]]}}))""",
    "vectors": """
labels, pictures = list("abcde"), torch.rand(5, 3, 4, 4)
writer.add_embedding(torch.randn(5, 3), metadata=labels, label_img=pictures, global_step=2, tag="x/%\\\\y")
writer.add_embedding(np.random.randn(2, 3), metadata=[["a", 1], ["b", 2]], metadata_header=["n", "v"])
writer.add_embedding(torch.randn(2, 3))
print_error(lambda: writer.add_embedding(torch.randn(2, 3), metadata=["a"]))
print_error(lambda: writer.add_embedding(torch.randn(6)))
print_error(lambda: writer.add_embedding(torch.randn(2, 3), label_img=torch.rand(1, 3, 2, 2)))""",
    "hyperparameters": """
writer.add_hparams({"lr": 0.1, "none": None}, {"acc": 0.5, "loss": torch.tensor(1.0)}, {"lr": [0.1, 0.2]}, "run", 1)
for value, domain in ((True, [True, False]), ("x", ["x", "y"]), (3, None)):
    writer.add_hparams({"v": value}, {}, domain and {"v": domain}, run_name=f"run{value}")
writer.add_hparams({"v": torch.tensor([4.0])}, {}, run_name="tensor")
for bad in (({"a": [1]}, {}), (3, {}), ({"a": 1}, {}, {"a": ["x"]}), ({"a": 1}, {}, [1])):
    print_error(lambda: writer.add_hparams(*bad, run_name="bad"))""",
    "an end and a beginning": """
writer.add_scalar("a", 1)
writer.close()
writer.close()
writer.flush()
writer = SummaryWriter("logs/again", purge_step=3)
print(writer.get_logdir(), len(writer.default_bins), writer.default_bins[:2])
with writer as same:
    same.add_scalar("a", 2)
print(writer.file_writer)""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_events_are_torchs(name, same_as_oracle):
    same_as_oracle(START + PROGRAMS[name] + END)


def test_graphs_of_models_are_refused(run_as_torch):
    run_as_torch("""
import torch
from torch.utils.tensorboard import SummaryWriter
try:
    SummaryWriter("logs").add_graph(torch.nn.Linear(1, 1), torch.ones(1, 1))
except NotImplementedError:
    pass
else:
    raise AssertionError
""").ok()
