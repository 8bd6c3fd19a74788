"""transformers' BERT with random weights: nothing is downloaded."""

from . import Group

group = Group("models", 0.6, tolerance=1e-3)
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37, "vocab_size": 99}


def make_bert(torch, name="BertModel", **config):
    import transformers

    model = getattr(transformers, name)(transformers.BertConfig(**config))
    return model.eval()


def make_token_ids(torch, batch, length, vocabulary):
    return (torch.arange(batch * length) * 7919 % vocabulary).view(batch, length)


def make_forward_case(batch, length, **config):
    def prepare(torch):
        model, x = make_bert(torch, **config), make_token_ids(torch, batch, length, config.get("vocab_size", 30522))

        def run_measured_call():
            with torch.no_grad():
                return model(x).last_hidden_state

        return run_measured_call

    return prepare


def make_onnxruntime_case(batch, length):
    """BERT's forward as a graph that onnxruntime compiled."""

    def prepare(onnxruntime):
        import os
        import tempfile

        import torch

        class Hidden(torch.nn.Module):
            def __init__(self, model):
                super().__init__()
                self.model = model

            def forward(self, x):
                return self.model(x).last_hidden_state

        torch.manual_seed(0)
        x = make_token_ids(torch, batch, length, 30522)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        # ONNX Runtime's idle threads would otherwise spin, and slow down the library that is measured next.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        with tempfile.TemporaryDirectory(prefix="mindtorch-bench-") as folder:
            path = os.path.join(folder, "bert.onnx")
            torch.onnx.export(Hidden(make_bert(torch)).eval(), (x,), path, dynamo=False)
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        inputs = {session.get_inputs()[0].name: x.numpy()}
        return lambda: session.run(None, inputs)[0]

    return {"onnxruntime": prepare}


# The operators that transformers' Python code calls to compute. When their results come from a record, what remains is
# the time of the Python code and of views.
STUBBED = (
    "linear", "embedding", "layer_norm", "dropout", "scaled_dot_product_attention", "gelu", "softmax",
)  # fmt: skip


def make_case_without_operators(prepare):
    """The time that the call would take if the operators in it took none."""

    def prepare_stubbed(torch):
        results, position = [], None  # the next result to give again; None while they are recorded

        def replay_results_of(function):
            function = getattr(function, "stands_for", function)  # an earlier case's stub stays where it is

            def replay_result(*args, **kwargs):
                nonlocal position
                if position is None:
                    results.append(function(*args, **kwargs).detach())
                    return results[-1]
                position += 1
                return results[position - 1]

            replay_result.stands_for = function
            return replay_result

        def run_measured_call():
            nonlocal position
            position = 0
            call()

        for name in STUBBED:
            setattr(torch.nn.functional, name, replay_results_of(getattr(torch.nn.functional, name)))
        call = prepare(torch)
        results.clear()
        call()
        return run_measured_call

    return {"floor": prepare_stubbed}


def prepare_forward_and_backward(torch):
    model, x = make_bert(torch, **SMALL), make_token_ids(torch, 13, 7, 99)

    def run_measured_call():
        model.zero_grad(set_to_none=True)
        loss = model(x).last_hidden_state.sum()
        if loss.requires_grad:  # not where the operators are stubbed
            loss.backward()
        return loss.detach()

    return run_measured_call


def prepare_training_step(torch):
    model, x = make_bert(torch, "BertForMaskedLM").train(), make_token_ids(torch, 8, 128, 30522)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)

    def run_measured_call():
        optimizer.zero_grad(set_to_none=True)
        loss = model(x, labels=x).loss
        loss.backward()
        optimizer.step()
        return loss.detach()

    return run_measured_call


group.add_case(
    "BERT-base 8 x 128 forward", make_forward_case(8, 128), at_most=0.8, beside=make_onnxruntime_case(8, 128)
)
group.add_case("BERT-base 1 x 16 forward", make_forward_case(1, 16), beside=make_onnxruntime_case(1, 16))
group.add_case("BERT-base MLM 8 x 128 training step", prepare_training_step)
group.add_case(
    "test-size BERT forward",
    make_forward_case(13, 7, **SMALL),
    beside=make_case_without_operators(make_forward_case(13, 7, **SMALL)),
)
group.add_case(
    "test-size BERT forward and backward",
    prepare_forward_and_backward,
    beside=make_case_without_operators(prepare_forward_and_backward),
)
