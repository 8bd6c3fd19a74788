"""BERT end to end: embeddings, fine-tuning, saving and loading, and a description of the environment.

Plain PyTorch and transformers: it runs on whatever answers to `import torch`.
"""

import argparse
import contextlib
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
here = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=here / "sentences.tsv", help="tab-separated topic and sentence")
    parser.add_argument("--model", help="folder of the pretrained model (default: the pip package's)")
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--workers", type=int, default=0, help="worker processes of the DataLoader")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", help="write all results to this file")
    return parser.parse_args()


seconds = {}


@contextlib.contextmanager
def part(name, title=None):
    if title:
        print(f"\n== {title}", flush=True)
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start


def main():
    args = parse_arguments()
    with part("import torch"):
        import torch  # noqa: F401
    with part("import transformers"):
        import classify
        import embed
        import runtime

    folder = args.model or embed.model_folder()
    results = {}
    with part("embed", "1. sentence embeddings with the pretrained MiniLM"):
        results.update(embed.run(folder))
    with part("train", "2. fine-tuning a small BERT classifier"):
        tokenizer, model, loader, test_loader = classify.prepare(folder, args.data, args)
        losses, history, optimizer, schedule = classify.train(model, loader, test_loader, args)
        results.update(losses=losses, epochs=history)
    with part("save and load", "3. saving and loading"):
        results["equal"] = classify.save_and_reload(tokenizer, model, optimizer, schedule, test_loader)
    print("\n== 4. what ran where")
    results["runtime"] = runtime.report()
    results["seconds"] = seconds
    runtime.show(results["runtime"], seconds)

    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results))
    return 0 if all(results["equal"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
