"""Copies, gathers, sorts."""

from . import Group

group = Group("data movement", 0.7)


def make_random(torch, *shape):
    return torch.randn(*shape)


def make_numpy_case(call, *shape):
    def prepare(numpy):
        a = numpy.random.default_rng(0).standard_normal(shape, numpy.float32)
        return lambda: call(numpy, a)

    return {"NumPy": prepare}


@group.register_case(
    "transpose copy, 2048 x 2048", beside=make_numpy_case(lambda numpy, a: numpy.ascontiguousarray(a.T), 2048, 2048)
)
def prepare_transpose(torch):
    a = make_random(torch, 2048, 2048)
    return lambda: a.t().contiguous()


@group.register_case("heads to the front, 8 x 128 x 12 x 64")
def prepare_head_permutation(torch):
    a = make_random(torch, 8, 128, 12, 64)
    return lambda: a.permute(0, 2, 1, 3).contiguous()


@group.register_case(
    "cat of two, 1024 x 1024, last dimension",
    beside=make_numpy_case(lambda numpy, a: numpy.concatenate((a, a), 1), 1024, 1024),
)
def prepare_cat(torch):
    a = make_random(torch, 1024, 1024)
    return lambda: torch.cat((a, a), 1)


@group.register_case("index_select, 8192 rows of 768")
def prepare_index_select(torch):
    a, rows = make_random(torch, 30522, 768), torch.arange(8192) * 7 % 30522
    return lambda: torch.index_select(a, 0, rows)


@group.register_case("gather, 4096 x 768")
def prepare_gather(torch):
    a, index = make_random(torch, 4096, 768), (torch.arange(4096 * 768) * 31 % 768).view(4096, 768)
    return lambda: torch.gather(a, 1, index)


@group.register_case("embedding, 8192 rows of 768")
def prepare_embedding(torch):
    table, rows = make_random(torch, 30522, 768), torch.arange(8192) * 7 % 30522
    return lambda: torch.nn.functional.embedding(rows, table)


@group.register_case("embedding backward, 8192 rows of 768")
def prepare_embedding_backward(torch):
    table, rows = make_random(torch, 30522, 768).requires_grad_(), torch.arange(8192) * 7 % 30522
    y = torch.nn.functional.embedding(rows, table)
    g = torch.ones(8192, 768)
    return lambda: torch.autograd.grad(y, table, g, retain_graph=True)


@group.register_case("scatter_add, 4096 x 768")
def prepare_scatter_add(torch):
    a, index = make_random(torch, 4096, 768), (torch.arange(4096 * 768) * 31 % 768).view(4096, 768)
    zeros = torch.zeros(4096, 768)
    return lambda: torch.scatter_add(zeros, 1, index, a)


@group.register_case("sort 1M", beside=make_numpy_case(lambda numpy, a: (a[i := numpy.argsort(a)], i), 1 << 20))
def prepare_sort(torch):
    a = make_random(torch, 1 << 20)
    return lambda: torch.sort(a).values  # the places of equal values may differ


@group.register_case("topk 50 of 64 x 30522")
def prepare_topk(torch):
    a = make_random(torch, 64, 30522)
    return lambda: torch.topk(a, 50)


@group.register_case("cumsum 1M", beside=make_numpy_case(lambda numpy, a: numpy.cumsum(a, 1), 1024, 1024))
def prepare_cumsum(torch):
    a = make_random(torch, 1024, 1024)
    return lambda: torch.cumsum(a, 1)
