"""Copies, gathers, sorts."""

from . import Group

group = Group("data movement", 0.7)


def matrix(torch, *shape):
    return torch.randn(*shape)


def in_numpy(call, *shape):
    def prepare(numpy):
        a = numpy.random.default_rng(0).standard_normal(shape, numpy.float32)
        return lambda: call(numpy, a)

    return {"NumPy": prepare}


@group.case("transpose copy, 2048 x 2048", beside=in_numpy(lambda numpy, a: numpy.ascontiguousarray(a.T), 2048, 2048))
def transpose(torch):
    a = matrix(torch, 2048, 2048)
    return lambda: a.t().contiguous()


@group.case("heads to the front, 8 x 128 x 12 x 64")
def heads(torch):
    a = matrix(torch, 8, 128, 12, 64)
    return lambda: a.permute(0, 2, 1, 3).contiguous()


@group.case(
    "cat of two, 1024 x 1024, last dimension",
    beside=in_numpy(lambda numpy, a: numpy.concatenate((a, a), 1), 1024, 1024),
)
def cat(torch):
    a = matrix(torch, 1024, 1024)
    return lambda: torch.cat((a, a), 1)


@group.case("index_select, 8192 rows of 768")
def index_select(torch):
    a, rows = matrix(torch, 30522, 768), torch.arange(8192) * 7 % 30522
    return lambda: torch.index_select(a, 0, rows)


@group.case("gather, 4096 x 768")
def gather(torch):
    a, index = matrix(torch, 4096, 768), (torch.arange(4096 * 768) * 31 % 768).view(4096, 768)
    return lambda: torch.gather(a, 1, index)


@group.case("embedding, 8192 rows of 768")
def embedding(torch):
    table, rows = matrix(torch, 30522, 768), torch.arange(8192) * 7 % 30522
    return lambda: torch.nn.functional.embedding(rows, table)


@group.case("embedding backward, 8192 rows of 768")
def embedding_backward(torch):
    table, rows = matrix(torch, 30522, 768).requires_grad_(), torch.arange(8192) * 7 % 30522
    y = torch.nn.functional.embedding(rows, table)
    g = torch.ones(8192, 768)
    return lambda: torch.autograd.grad(y, table, g, retain_graph=True)


@group.case("scatter_add, 4096 x 768")
def scatter_add(torch):
    a, index = matrix(torch, 4096, 768), (torch.arange(4096 * 768) * 31 % 768).view(4096, 768)
    zeros = torch.zeros(4096, 768)
    return lambda: torch.scatter_add(zeros, 1, index, a)


@group.case("sort 1M", beside=in_numpy(lambda numpy, a: (a[i := numpy.argsort(a)], i), 1 << 20))
def sort(torch):
    a = matrix(torch, 1 << 20)
    return lambda: torch.sort(a).values  # the places of equal values may differ


@group.case("topk 50 of 64 x 30522")
def topk(torch):
    a = matrix(torch, 64, 30522)
    return lambda: torch.topk(a, 50)


@group.case("cumsum 1M", beside=in_numpy(lambda numpy, a: numpy.cumsum(a, 1), 1024, 1024))
def cumsum(torch):
    a = matrix(torch, 1024, 1024)
    return lambda: torch.cumsum(a, 1)
