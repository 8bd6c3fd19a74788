"""Loads the probe extension and prints its results and errors, one line per case; equal on both libraries.

python drive.py LIBRARY             with whatever `torch` is
python drive.py LIBRARY mindtorch   with mindtorch as torch
"""

import re
import sys
import warnings

if sys.argv[2:] == ["mindtorch"]:
    import mindtorch

    mindtorch.install()

import torch

torch.ops.load_library(sys.argv[1])
ops = torch.ops.extension_probe


def show(value):
    if isinstance(value, torch.Tensor):
        return f"{value.tolist()} {value.dtype} {tuple(value.stride())}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return repr(value)


def case(name, function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = show(function())
        except Exception as error:
            # Removes source locations and torch's list of backends.
            message = re.sub(r"[^\s(,]*/([\w.]+)([:,] ?(?:line )?)\d+", r"\1\2N", str(error)).splitlines()[0]
            text = f"{type(error).__name__}: {message.split(' is only available for these backends')[0]}"
    told = {f"{w.category.__name__}: {str(w.message).split(' (Triggered internally')[0]}" for w in caught}
    told = sorted(line for line in told if not line.startswith("UserWarning: Warning only once"))
    print(f"{name}: {text}", *(f"| {line}" for line in told))


x = torch.arange(6, dtype=torch.float32).reshape(3, 2)
grad = x.clone().requires_grad_()
case("count", lambda: ops.count(x))
case("halved", lambda: ops.halved(3.0))
case("halved int", lambda: ops.halved(3))
case("negated", lambda: ops.negated(True))
case("doubled", lambda: ops.doubled("ab\0c\u00e9"))
case("reversed", lambda: ops.reversed([1, 2, -3]))
case("reversed none", lambda: ops.reversed([]))
case("sum_of", lambda: ops.sum_of([0.5, 2.0]))
case("next_of", lambda: ops.next_of(4))
case("next_of none", lambda: ops.next_of(None))
case("optional_list", lambda: ops.optional_list([3, 4]))
case("optional_list none", lambda: ops.optional_list(None))
case("swapped", lambda: ops.swapped([x, x + 1]))
case("how_many", lambda: ops.how_many([x, None, x]))
case("three", lambda: ops.three(x, 3))
case("three identity", lambda: ops.three(x, 3)[0] is x)
case("undefined", lambda: ops.undefined())
case("is_undefined", lambda: [ops.is_undefined(x), ops.is_undefined(None)])
case("as_dtype", lambda: ops.as_dtype(x, torch.int64))
case("as_dtype half", lambda: ops.as_dtype(x, torch.bfloat16))
case("made", lambda: ops.made([2, 2]))
case("made with all", lambda: ops.made([2], torch.int32, torch.strided, torch.device("cpu")))
case("made on meta", lambda: ops.made([2], device="meta").shape)
case("arranged", lambda: ops.arranged(torch.ones(1, 2, 2, 2), torch.channels_last))
case("device_of", lambda: [ops.device_of(x, torch.device("cpu")), ops.device_of(x, torch.device("cuda:1"))])
case("has_generator", lambda: [ops.has_generator(torch.Generator()), ops.has_generator(None)])
case("operators", lambda: ops.operators(x))
case("shape_of", lambda: ops.shape_of(x.t()))
case("squares", lambda: ops.squares(x))
case("squares of many", lambda: ops.squares(torch.arange(5000.0)).sum())
case("squares wrong", lambda: ops.squares(x.double()))
case("borrowed", lambda: ops.borrowed())
case("deletions", lambda: ops.deletions() > 0)
case("narrow_too_far", lambda: ops.narrow_too_far(x))
case("refuse", lambda: ops.refuse(x))
case("wrong_type", lambda: ops.wrong_type(x))
case("bad_device", lambda: ops.bad_device("zpu"))
case("good device", lambda: ops.bad_device("cuda:3"))
case("number", lambda: ops.number(2, x))
case("without_kernel", lambda: ops.without_kernel(x))
case("no such operator", lambda: ops.nothing)
case("wrong argument", lambda: ops.halved("text"))
case("too few", lambda: ops.three(x))
for which in range(11):
    case(f"said {which}", lambda which=which: ops.said(which))
case("come_and_go", lambda: ops.come_and_go(0))
case("come_and_go again", lambda: ops.come_and_go(1))
case("constants", lambda: ops.constants())
case("tags", lambda: [sorted(tag.name for tag in ops.squares.default.tags), ops.count.default.tags])
case("schema", lambda: [str(ops.made.default._schema), str(ops.three.default._schema)])
case("python DEF", lambda: torch.library.Library("extension_probe", "DEF"))
case("python define", lambda: torch.library.Library("extension_probe", "FRAGMENT").define("count(Tensor self) -> int"))


def overridden():
    library = torch.library.Library("extension_probe", "IMPL")
    library.impl("squares", lambda self: self + 100, "CPU", allow_override=True)
    during = ops.squares(x)
    library._destroy()
    return [during, ops.squares(x)]


case("overridden for a while", overridden)
case("no gradient", lambda: ops.squares(grad).requires_grad)
case("no gradient's node", lambda: ops.squares(grad).grad_fn.name())
case("backward without gradient", lambda: (ops.squares(grad).sum().backward(), grad.grad))
case("vmap", lambda: torch.vmap(ops.squares)(x))


def with_gradient():
    torch.library.register_autograd(
        "extension_probe::squares",
        lambda ctx, grad: 2 * ctx.saved_tensors[0] * grad,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    torch.library.register_fake("extension_probe::squares", torch.empty_like)
    ops.squares(grad).sum().backward()
    return [grad.grad, ops.squares(torch.ones(2, 3, device="meta")).shape]


case("with gradient", with_gradient)
case("opcheck", lambda: torch.library.opcheck(ops.squares.default, (grad,)))
