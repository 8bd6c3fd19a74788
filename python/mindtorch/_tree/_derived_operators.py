"""Overloads with ``out=`` that torch derives for all operators; here they are defined when a program names one."""

from ._root import torch

_libraries: list = []  # keeps the registrations


def define_out(packet, name):
    """Defines an overload that computes what a functional one does and writes it to ``out=``.

    Args:
        packet (OpOverloadPacket): the operator.
        name (str): the overload's name, ``"out"`` or ``"<functional overload>_out"``.

    Returns:
        bool: whether there is a functional overload to derive it from.
    """
    if name != "out" and not name.endswith("_out") or packet._qualified_op_name.partition("::")[0] != "aten":
        return False
    functional = name.removesuffix("out").removesuffix("_") or "default"
    if functional not in packet.overloads():
        return False
    overload = getattr(packet, functional)
    schema = _derive_schema(overload._schema, name)
    if schema is None:
        return False
    from .library import Library

    if not _libraries:
        _libraries.append(Library("aten", "FRAGMENT"))
    _libraries[0].define(schema)
    _libraries[0].impl(schema.partition("(")[0], _make_kernel(overload), "CompositeExplicitAutograd")
    return True


def _derive_schema(schema, name):
    """Returns the schema with ``out=``; None if the operator writes to its arguments or returns other things."""
    kinds = [str(result.type) for result in schema.returns]
    if schema.is_mutable or any(kind not in ("Tensor", "List[Tensor]") for kind in kinds) or not kinds:
        return None
    if "List[Tensor]" in kinds and len(kinds) > 1:
        return None
    head, _, _ = str(schema).partition(" -> ")
    head = head.partition("::")[2]
    arguments = head[head.index("(") + 1 : -1]
    separator = ", " if arguments else ""
    star = "" if any(argument.kwarg_only for argument in schema.arguments) else "*, "
    if kinds == ["List[Tensor]"]:
        outs, result = "Tensor(a!)[] out", "()"
    elif len(kinds) == 1:
        outs = result = "Tensor(a!)"
        outs += " out"
    else:
        letters = [f"Tensor({chr(ord('a') + place)}!)" for place in range(len(kinds))]
        outs = ", ".join(f"{letter} out{place}" for place, letter in enumerate(letters))
        result = f"({', '.join(letters)})"
    base = schema.name.partition("::")[2]
    return f"{base}.{name}({arguments}{separator}{star}{outs}) -> {result}"


def _make_kernel(overload):
    def kernel(*args, **kwargs):
        names = [name for name in kwargs if name == "out" or name.startswith("out") and name[3:].isdigit()]
        outs = [kwargs.pop(name) for name in names]
        with torch.no_grad():
            results = overload(*args, **kwargs)
        is_one = isinstance(results, torch.Tensor)
        targets = outs[0] if isinstance(outs[0], (list, tuple)) else outs
        for out, result in zip(targets, [results] if is_one else results, strict=True):
            if out.shape != result.shape:
                out.resize_(result.shape)
            out.copy_(result)
        if isinstance(outs[0], (list, tuple)):
            return None
        return outs[0] if is_one else tuple(outs)

    return kernel
