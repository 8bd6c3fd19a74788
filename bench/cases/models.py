"""transformers' BERT with random weights: nothing is downloaded."""

from . import Group

group = Group("models", 0.6, tolerance=1e-3)
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37, "vocab_size": 99}


def bert(torch, name="BertModel", **config):
    import transformers

    model = getattr(transformers, name)(transformers.BertConfig(**config))
    return model.eval()


def ids(torch, batch, length, vocabulary):
    return (torch.arange(batch * length) * 7919 % vocabulary).view(batch, length)


def forward(batch, length, **config):
    def prepare(torch):
        model, x = bert(torch, **config), ids(torch, batch, length, config.get("vocab_size", 30522))

        def run():
            with torch.no_grad():
                return model(x).last_hidden_state

        return run

    return prepare


def forward_backward(torch):
    model, x = bert(torch, **SMALL), ids(torch, 13, 7, 99)

    def run():
        model.zero_grad(set_to_none=True)
        loss = model(x).last_hidden_state.sum()
        loss.backward()
        return loss.detach()

    return run


def training_step(torch):
    model, x = bert(torch, "BertForMaskedLM").train(), ids(torch, 8, 128, 30522)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)

    def run():
        optimizer.zero_grad(set_to_none=True)
        loss = model(x, labels=x).loss
        loss.backward()
        optimizer.step()
        return loss.detach()

    return run


group.add("BERT-base 8 x 128 forward", forward(8, 128), at_most=0.8)
group.add("BERT-base 1 x 16 forward", forward(1, 16))
group.add("BERT-base MLM 8 x 128 training step", training_step)
group.add("test-size BERT forward", forward(13, 7, **SMALL))
group.add("test-size BERT forward and backward", forward_backward)
