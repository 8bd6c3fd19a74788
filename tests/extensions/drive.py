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


def format_value(value):
    if isinstance(value, torch.Tensor):
        return f"{value.tolist()} {value.dtype} {tuple(value.stride())}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(format_value(item) for item in value) + "]"
    return repr(value)


def print_case_outcome(name, function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = format_value(function())
        except Exception as error:
            # Removes source locations and torch's list of backends.
            message = re.sub(r"[^\s(,]*/([\w.]+)([:,] ?(?:line )?)\d+", r"\1\2N", str(error)).splitlines()[0]
            text = f"{type(error).__name__}: {message.split(' is only available for these backends')[0]}"
    told = {f"{w.category.__name__}: {str(w.message).split(' (Triggered internally')[0]}" for w in caught}
    told = sorted(line for line in told if not line.startswith("UserWarning: Warning only once"))
    print(f"{name}: {text}", *(f"| {line}" for line in told))


x = torch.arange(6, dtype=torch.float32).reshape(3, 2)
grad = x.clone().requires_grad_()
print_case_outcome("count", lambda: ops.count(x))
print_case_outcome("halved", lambda: ops.halved(3.0))
print_case_outcome("halved int", lambda: ops.halved(3))
print_case_outcome("negated", lambda: ops.negated(True))
print_case_outcome("doubled", lambda: ops.doubled("ab\0c\u00e9"))
print_case_outcome("reversed", lambda: ops.reversed([1, 2, -3]))
print_case_outcome("reversed none", lambda: ops.reversed([]))
print_case_outcome("sum_of", lambda: ops.sum_of([0.5, 2.0]))
print_case_outcome("next_of", lambda: ops.next_of(4))
print_case_outcome("next_of none", lambda: ops.next_of(None))
print_case_outcome("optional_list", lambda: ops.optional_list([3, 4]))
print_case_outcome("optional_list none", lambda: ops.optional_list(None))
print_case_outcome("swapped", lambda: ops.swapped([x, x + 1]))
print_case_outcome("how_many", lambda: ops.how_many([x, None, x]))
print_case_outcome("three", lambda: ops.three(x, 3))
print_case_outcome("three identity", lambda: ops.three(x, 3)[0] is x)
print_case_outcome("undefined", lambda: ops.undefined())
print_case_outcome("is_undefined", lambda: [ops.is_undefined(x), ops.is_undefined(None)])
print_case_outcome("as_dtype", lambda: ops.as_dtype(x, torch.int64))
print_case_outcome("as_dtype half", lambda: ops.as_dtype(x, torch.bfloat16))
print_case_outcome("made", lambda: ops.made([2, 2]))
print_case_outcome("made with all", lambda: ops.made([2], torch.int32, torch.strided, torch.device("cpu")))
print_case_outcome("made on meta", lambda: ops.made([2], device="meta").shape)
print_case_outcome("arranged", lambda: ops.arranged(torch.ones(1, 2, 2, 2), torch.channels_last))
print_case_outcome(
    "device_of", lambda: [ops.device_of(x, torch.device("cpu")), ops.device_of(x, torch.device("cuda:1"))]
)
print_case_outcome("has_generator", lambda: [ops.has_generator(torch.Generator()), ops.has_generator(None)])
print_case_outcome("operators", lambda: ops.operators(x))
print_case_outcome("shape_of", lambda: ops.shape_of(x.t()))
print_case_outcome("squares", lambda: ops.squares(x))
print_case_outcome("squares of many", lambda: ops.squares(torch.arange(5000.0)).sum())
print_case_outcome("squares wrong", lambda: ops.squares(x.double()))
print_case_outcome("borrowed", lambda: ops.borrowed())
print_case_outcome("deletions", lambda: ops.deletions() > 0)
print_case_outcome("narrow_too_far", lambda: ops.narrow_too_far(x))
print_case_outcome("refuse", lambda: ops.refuse(x))
print_case_outcome("wrong_type", lambda: ops.wrong_type(x))
print_case_outcome("bad_device", lambda: ops.bad_device("zpu"))
print_case_outcome("good device", lambda: ops.bad_device("cuda:3"))
print_case_outcome("number", lambda: ops.number(2, x))
print_case_outcome("without_kernel", lambda: ops.without_kernel(x))
print_case_outcome("no such operator", lambda: ops.nothing)
print_case_outcome("wrong argument", lambda: ops.halved("text"))
print_case_outcome("too few", lambda: ops.three(x))
for which in range(11):
    print_case_outcome(f"said {which}", lambda which=which: ops.said(which))
print_case_outcome("come_and_go", lambda: ops.come_and_go(0))
print_case_outcome("come_and_go again", lambda: ops.come_and_go(1))
print_case_outcome("constants", lambda: ops.constants())
print_case_outcome("tags", lambda: [sorted(tag.name for tag in ops.squares.default.tags), ops.count.default.tags])
print_case_outcome("schema", lambda: [str(ops.made.default._schema), str(ops.three.default._schema)])
print_case_outcome("python DEF", lambda: torch.library.Library("extension_probe", "DEF"))
print_case_outcome(
    "python define", lambda: torch.library.Library("extension_probe", "FRAGMENT").define("count(Tensor self) -> int")
)


def call_with_overridden_kernel():
    library = torch.library.Library("extension_probe", "IMPL")
    library.impl("squares", lambda self: self + 100, "CPU", allow_override=True)
    during = ops.squares(x)
    library._destroy()
    return [during, ops.squares(x)]


print_case_outcome("overridden for a while", call_with_overridden_kernel)
print_case_outcome("no gradient", lambda: ops.squares(grad).requires_grad)
print_case_outcome("no gradient's node", lambda: ops.squares(grad).grad_fn.name())
print_case_outcome("backward without gradient", lambda: (ops.squares(grad).sum().backward(), grad.grad))
print_case_outcome("vmap", lambda: torch.vmap(ops.squares)(x))


def differentiate_registered_operator():
    torch.library.register_autograd(
        "extension_probe::squares",
        lambda ctx, grad: 2 * ctx.saved_tensors[0] * grad,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    torch.library.register_fake("extension_probe::squares", torch.empty_like)
    ops.squares(grad).sum().backward()
    return [grad.grad, ops.squares(torch.ones(2, 3, device="meta")).shape]


print_case_outcome("with gradient", differentiate_registered_operator)
print_case_outcome("opcheck", lambda: torch.library.opcheck(ops.squares.default, (grad,)))
