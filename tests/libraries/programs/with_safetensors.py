"""safetensors: tensors and models saved and loaded, shared weights, refusals."""
# requires: safetensors; numpy

import torch
from report import report
from safetensors import safe_open
from safetensors.torch import load_file, load_model, save, save_file, save_model

torch.manual_seed(0)
tensors = {
    "a": torch.randn(3, 4),
    "b": torch.arange(5),
    "c": torch.randn(2).bfloat16(),
    "d": torch.tensor([True, False]),
}
save_file(tensors, "t.safetensors", metadata={"by": "me"})
report("loaded", load_file("t.safetensors"))
with safe_open("t.safetensors", framework="pt") as file:
    report("metadata", file.metadata())
    report("slice", file.get_slice("a")[1:, :2])
report("bytes", len(save(tensors)))
model = torch.nn.Linear(3, 3)
model.other = torch.nn.Linear(3, 3)
model.other.weight = model.weight
save_model(model, "m.safetensors")
torch.nn.init.zeros_(model.weight)
report("missing", [sorted(names) for names in load_model(model, "m.safetensors")])
report("weight", model.weight)
try:
    save_file({"x": tensors["a"], "y": tensors["a"][1:]}, "u.safetensors")
except RuntimeError as error:
    report("refusal", str(error)[:60])
