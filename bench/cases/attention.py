"""scaled_dot_product_attention."""

from . import Group

group = Group("attention", 0.8, tolerance=1e-3)


def make_qkv(torch, batch, heads, queries, keys, width=64, requires_grad=False):
    shapes = ((batch, heads, queries, width), (batch, heads, keys, width), (batch, heads, keys, width))
    return [torch.randn(*shape).requires_grad_(requires_grad) for shape in shapes]


def make_forward_case(batch, heads, queries, keys, masked=False, **options):
    def prepare(torch):
        q, k, v = make_qkv(torch, batch, heads, queries, keys)
        mask = torch.where(torch.rand(batch, 1, queries, keys) > 0.1, 0.0, float("-inf")) if masked else None
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, **options)

    return prepare


def make_backward_case(batch, heads, queries, keys, **options):
    def prepare(torch):
        q, k, v = make_qkv(torch, batch, heads, queries, keys, requires_grad=True)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, **options)
        g = torch.ones(batch, heads, queries, 64)
        return lambda: torch.autograd.grad(y, (q, k, v), g, retain_graph=True)

    return prepare


group.add_case("8 x 12 x 128 x 64", make_forward_case(8, 12, 128, 128))
group.add_case("8 x 12 x 128 x 64, mask", make_forward_case(8, 12, 128, 128, masked=True))
group.add_case("8 x 12 x 128 x 64, causal", make_forward_case(8, 12, 128, 128, is_causal=True))
group.add_case("8 x 12 x 128 x 64, backward", make_backward_case(8, 12, 128, 128))
group.add_case("1 x 12 x 1024 x 64", make_forward_case(1, 12, 1024, 1024))
group.add_case("1 x 12 x 1024 x 64, mask", make_forward_case(1, 12, 1024, 1024, masked=True))
group.add_case("1 x 12 x 1024 x 64, causal", make_forward_case(1, 12, 1024, 1024, is_causal=True))
group.add_case("1 x 12 x 1024 x 64, backward", make_backward_case(1, 12, 1024, 1024))
group.add_case("one query over 4,096 keys", make_forward_case(1, 14, 1, 4096))
