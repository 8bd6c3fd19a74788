"""Parts 2 and 3: fine-tune a small BERT classifier, save it in two ways, reload both."""

import csv
import pathlib
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, get_linear_schedule_with_warmup

HELD_OUT = 6  # every sixth sentence of a topic is in the test set


class Sentences(Dataset):
    """Returns pairs of a sentence and its topic's number."""

    def __init__(self, rows, topics):
        self.items = [(text, topics.index(topic)) for topic, text in rows]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def read_sentences(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = [(row["topic"], row["sentence"]) for row in csv.DictReader(file, delimiter="\t")]
    topics = sorted({topic for topic, _ in rows})
    train, test = [], []
    for topic in topics:
        own = [row for row in rows if row[0] == topic]
        test += own[HELD_OUT - 1 :: HELD_OUT]
        train += [row for i, row in enumerate(own) if i % HELD_OUT != HELD_OUT - 1]
    return topics, train, test


def make_model(tokenizer, topics):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=512,
        max_position_embeddings=64,
        hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.1,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(topics),
        id2label=dict(enumerate(topics)),
        label2id={topic: i for i, topic in enumerate(topics)},
    )
    return BertForSequenceClassification(config)


@torch.no_grad()
def predict(model, loader):
    model.eval()
    logits, labels = [], []
    for batch in loader:
        labels.append(batch.pop("labels"))
        logits.append(model(**batch).logits)
    return torch.cat(logits), torch.cat(labels)


def accuracy(logits, labels):
    return (logits.argmax(dim=1) == labels).float().mean().item()


def train(model, loader, test_loader, args):
    decay = [p for n, p in model.named_parameters() if p.dim() > 1]
    rest = [p for n, p in model.named_parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=args.learning_rate
    )
    steps = args.epochs * len(loader)
    schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=steps // 10, num_training_steps=steps)
    losses, history = [], []
    for epoch in range(1, args.epochs + 1):
        model.train()
        first = len(losses)
        bar = tqdm(loader, desc=f"epoch {epoch}/{args.epochs}", leave=False, mininterval=1, ncols=80)
        for batch in bar:
            loss = model(**batch).loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
        mean = sum(losses[first:]) / (len(losses) - first)
        history.append({"loss": mean, "accuracy": accuracy(*predict(model, test_loader))})
        print(f"epoch {epoch}: loss {mean:.4f}, accuracy on held-out sentences {history[-1]['accuracy']:.3f}")
    return losses, history, optimizer, schedule


def prepare(folder, data, args):
    """Creates everything that training needs from one seed."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    topics, train_rows, test_rows = read_sentences(data)
    torch.manual_seed(args.seed)
    model = make_model(tokenizer, topics)

    def collate(items):
        texts, labels = zip(*items, strict=True)
        batch = tokenizer(list(texts), padding=True, truncation=True, max_length=32, return_tensors="pt")
        return {**batch, "labels": torch.tensor(labels)}

    order = torch.Generator().manual_seed(args.seed)
    loader = DataLoader(
        Sentences(train_rows, topics),
        batch_size=args.batch_size,
        shuffle=True,
        generator=order,
        collate_fn=collate,
        num_workers=args.workers,
    )
    test_loader = DataLoader(Sentences(test_rows, topics), batch_size=34, collate_fn=collate)
    print(f"{len(train_rows)} sentences to learn from, {len(test_rows)} to test, topics: {', '.join(topics)}")
    return tokenizer, model, loader, test_loader


def save_and_reload(tokenizer, model, optimizer, schedule, test_loader):
    """Checks that both ways of saving restore the exact predictions."""
    expected, _ = predict(model, test_loader)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        checkpoint = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "random": torch.get_rng_state(),
        }
        torch.save(checkpoint, folder / "checkpoint.pt")
        sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}

        from_safetensors = BertForSequenceClassification.from_pretrained(folder)
        from_checkpoint = BertForSequenceClassification(model.config)
        loaded = torch.load(folder / "checkpoint.pt", weights_only=True)
        from_checkpoint.load_state_dict(loaded["model"])
        same_random = torch.equal(loaded["random"], checkpoint["random"])

    equal = {}
    for name, again in (("save_pretrained", from_safetensors), ("torch.save", from_checkpoint)):
        logits, _ = predict(again, test_loader)
        equal[name] = torch.equal(logits, expected)
        print(f"reloaded from {name}: predictions {'equal' if equal[name] else 'DIFFER'}")
    equal["random state"] = same_random
    print("files:", ", ".join(f"{name} {size // 1024} KiB" for name, size in sizes.items() if size > 65536))
    return equal
