"""One step over the parameters of BERT-base (110 million numbers in 199 tensors)."""

from . import Group

group = Group("optimizers", 0.7)


def shapes():
    yield from ((30522, 768), (512, 768), (2, 768), (768,), (768,))
    for _ in range(12):
        for _ in range(4):
            yield from ((768, 768), (768,))
        yield from ((768,), (768,), (3072, 768), (3072,), (768, 3072), (768,), (768,), (768,))
    yield from ((768, 768), (768,))


def step(name, **options):
    def prepare(torch):
        parameters = [torch.nn.Parameter(torch.rand(*shape)) for shape in shapes()]
        for parameter in parameters:
            parameter.grad = torch.full_like(parameter, 0.01)
        optimizer = getattr(torch.optim, name)(parameters, lr=1e-3, **options)

        def run():
            optimizer.step()
            return parameters[1].detach()

        return run

    return prepare


group.add("AdamW", step("AdamW"))
group.add("SGD with momentum", step("SGD", momentum=0.9))
