"""One step over the parameters of BERT-base (110 million numbers in 199 tensors)."""

from . import Group

group = Group("optimizers", 0.7)


def yield_bert_parameter_shapes():
    yield from ((30522, 768), (512, 768), (2, 768), (768,), (768,))
    for _ in range(12):
        for _ in range(4):
            yield from ((768, 768), (768,))
        yield from ((768,), (768,), (3072, 768), (3072,), (768, 3072), (768,), (768,), (768,))
    yield from ((768, 768), (768,))


def make_step_case(optimizer_name, **options):
    def prepare(torch):
        parameters = [torch.nn.Parameter(torch.rand(*shape)) for shape in yield_bert_parameter_shapes()]
        for parameter in parameters:
            parameter.grad = torch.full_like(parameter, 0.01)
        optimizer = getattr(torch.optim, optimizer_name)(parameters, lr=1e-3, **options)

        def run_measured_call():
            optimizer.step()
            return parameters[1].detach()

        return run_measured_call

    return prepare


group.add_case("AdamW", make_step_case("AdamW"))
group.add_case("SGD with momentum", make_step_case("SGD", momentum=0.9))
