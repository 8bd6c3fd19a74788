"""Runs a user's program for each architecture of transformers; prints the numbers of each as a line of JSON.

    python program.py [--list] [--dtype DTYPE] [KIND:MODEL_TYPE...]

Builds a small model, trains one step with dropout, predicts, and generates. It does not depend on mindtorch and runs
on either torch. Images use double precision, because batch norms of untrained networks amplify rounding errors
thousands of times.
"""

import argparse
import contextlib
import hashlib
import json
import sys
import warnings

import torch
import transformers
from architectures import OWN, SMALL
from transformers import AutoConfig
from transformers.models.auto import modeling_auto as auto

KINDS = {
    "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "tokens": auto.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES,
    "image": auto.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES,
    "speech": auto.MODEL_FOR_CTC_MAPPING_NAMES,
    "transcription": auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
    "contrastive": auto.MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES,
}
GENERATING = ("causal", "seq2seq")
LARGEST = 30_000_000  # parameters; architectures that stay larger after generic shrinking are too slow for a test


def shrink_config(config, overrides):
    for name, value in SMALL.items():
        with contextlib.suppress(Exception):  # some configurations refuse single values
            if type(getattr(config, name, None)) is int:
                setattr(config, name, value)
    for name in ("text_config", "vision_config", "audio_config", "decoder", "encoder"):
        part = getattr(config, name, None)
        if isinstance(part, transformers.PretrainedConfig):
            shrink_config(part, {})
    if isinstance(getattr(config, "layer_types", None), list):
        config.layer_types = config.layer_types[:2]
    for name, value in overrides.items():
        setattr(config, name, value)
    return config


def make_model_inputs(kind, config):
    draw = torch.Generator().manual_seed(1)
    ids = torch.randint(3, 90, (2, 16), generator=draw)
    if kind in ("causal", "masked"):
        return {"input_ids": ids, "labels": ids}
    if kind == "seq2seq":
        return {"input_ids": ids, "labels": ids[:, :8].contiguous()}
    if kind == "tokens":
        return {"input_ids": ids, "labels": ids % 2}
    if kind == "speech":
        return {"input_values": torch.randn(2, 400, generator=draw), "labels": ids[:, :4].contiguous()}
    if kind == "transcription":
        length = 2 * getattr(config, "max_source_positions", 64)
        features = torch.randn(2, getattr(config, "num_mel_bins", 16), length, generator=draw)
        return {"input_features": features, "labels": ids[:, :8].contiguous()}
    size = getattr(getattr(config, "vision_config", config), "image_size", 64)
    height, width = (size, size) if isinstance(size, int) else size
    channels = getattr(getattr(config, "vision_config", config), "num_channels", 3)
    pixels = torch.randn(4, channels, height, width, generator=draw)
    if kind == "image":
        return {"pixel_values": pixels, "labels": torch.tensor([0, 1, 1, 0])}
    return {"input_ids": torch.cat([ids, ids]), "pixel_values": pixels, "return_loss": True}


def hash_tensor_bits(tensor):
    """Hashes the bits of a tensor."""
    bits = tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
    return hashlib.sha256(bits).hexdigest()[:16]


def sum_and_absolute_sum(tensor):
    wide = tensor.detach().double()
    return [wide.sum().item(), wide.abs().sum().item()]


def run_architecture(kind, model_type, dtype):
    torch.manual_seed(0)
    config = shrink_config(AutoConfig.for_model(model_type), OWN.get(model_type, {}))
    name = KINDS[kind][model_type]
    model = getattr(transformers, name if isinstance(name, str) else name[0])(config).to(dtype)
    made = {"parameters": sum(p.numel() for p in model.parameters())}
    if made["parameters"] > LARGEST:
        raise RuntimeError(f"{made['parameters']} parameters are too many")
    made["initial"] = {n: [hash_tensor_bits(t), *sum_and_absolute_sum(t)] for n, t in model.state_dict().items()}
    inputs = make_model_inputs(kind, config)
    inputs = {k: v.to(dtype) if torch.is_tensor(v) and v.is_floating_point() else v for k, v in inputs.items()}

    transformers.set_seed(2)  # NumPy too: speech models use it for masks
    model.train()
    loss = model(**inputs).loss
    loss.backward()
    made["loss"] = loss.item()
    made["gradients"] = {n: sum_and_absolute_sum(p.grad)[1] for n, p in model.named_parameters() if p.grad is not None}
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    optimizer.step()
    optimizer.zero_grad()

    model.eval()
    with torch.no_grad():
        outputs = model(**inputs)
        made["after"] = outputs.loss.item()
        logits = outputs.logits if "logits" in outputs else outputs.logits_per_image
        made["logits"] = sum_and_absolute_sum(logits)
    if kind in GENERATING:
        start = inputs["input_ids"][:, :5]
        made["greedy"] = model.generate(start, max_new_tokens=8, do_sample=False).tolist()
        made["beams"] = model.generate(start, max_new_tokens=6, do_sample=False, num_beams=3).tolist()
        torch.manual_seed(3)
        made["sampled"] = model.generate(start, max_new_tokens=8, do_sample=True, top_k=20, top_p=0.9).tolist()
    made["stream"] = torch.rand(()).item()
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print KIND:MODEL_TYPE of all that transformers has")
    parser.add_argument("--dtype", help="instead of float32, or float64 for images")
    parser.add_argument("names", nargs="*", metavar="KIND:MODEL_TYPE")
    arguments = parser.parse_args()
    if arguments.list:
        print(*(f"{kind}:{name}" for kind, types in KINDS.items() for name in types), sep="\n")
        return
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    for name in arguments.names:
        kind, model_type = name.split(":")
        try:
            dtype = arguments.dtype or ("float64" if kind == "image" else "float32")
            made = run_architecture(kind, model_type, getattr(torch, dtype))
        except Exception as error:  # error texts are compared like numbers
            made = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"name": name, **made}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
