"""A mode that compares what operators do to their arguments with what their schemas say."""

from typing import Any, NamedTuple

from .._root import torch
from ..utils._python_dispatch import TorchDispatchMode
from ..utils._pytree import tree_leaves


class Mutation(NamedTuple):
    """A write to an argument."""

    op_name: str
    arg_name: str


class Aliasing(NamedTuple):
    """An argument and a result in the same memory."""

    op_name: str
    arg_name: str
    output_number: str


def _list_tensors_in(value):
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _storage_addresses_in(value):
    return {t.untyped_storage()._cdata for t in _list_tensors_in(value) if t.layout == torch.strided and not t.is_meta}


def _has_changed(tensor, before):
    if tensor.shape != before.shape or tensor.layout != before.layout:
        return True
    return not torch.allclose(tensor.detach(), before, equal_nan=True)


class SchemaCheckMode(TorchDispatchMode):
    """While it is active, a call that writes to memory, or returns it, against its schema raises.

    Example:
        >>> with torch._subclasses.schema_check_mode.SchemaCheckMode() as mode:
        ...     _ = torch.ones(2).add_(1).view(2, 1)
        >>> mode.mutated
        [Mutation(op_name='aten::add_', arg_name='input')]
    """

    def __init__(self):
        super().__init__()
        self.reset_cache()

    def reset_cache(self) -> None:
        """Forgets the calls that were seen."""
        self.ops: list[str] = []
        self.mutated: list[Mutation] = []
        self.aliasing: list[Aliasing] = []

    def display_ops(self) -> None:
        """Prints the names of the operators that were called."""
        print(*self.ops, sep=",")

    def __torch_dispatch__(self, func: Any, types, args=(), kwargs=None):
        kwargs, schema = kwargs or {}, func._schema
        given = dict(zip((a.name for a in schema.arguments), args, strict=False)) | kwargs
        before = {name: [t.detach().clone() for t in _list_tensors_in(value)] for name, value in given.items()}
        results = func(*args, **kwargs)
        self.ops.append(schema.name)
        returned = results if isinstance(results, (tuple, list)) and len(schema.returns) != 1 else (results,)
        for argument in schema.arguments:
            if argument.name in given:
                self._check_argument(schema, argument, given[argument.name], before[argument.name], returned)
        self._check_results(schema, returned)
        return results

    def _check_argument(self, schema, argument, value, before, returned):
        name = "input" if argument.name == "self" else argument.name
        alias = argument.alias_info
        mine = _storage_addresses_in(value)
        for number, (result, declared) in enumerate(zip(returned, schema.returns, strict=False)):
            if not mine & _storage_addresses_in(result):
                continue
            self.aliasing.append(Aliasing(schema.name, name, f"output_{number}"))
            if alias is None or declared.alias_info is None and not _contains_alias(declared):
                raise RuntimeError(f"Argument {argument.name} is not defined to alias output but was aliasing")
        if any(map(_has_changed, _list_tensors_in(value), before)):
            self.mutated.append(Mutation(schema.name, name))
            if not (alias is not None and alias.is_write or _is_running_statistic(schema, argument)):
                raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")

    def _check_results(self, schema, returned):
        for j, one in enumerate(returned):
            for k in range(j + 1, min(len(returned), len(schema.returns))):
                declared = schema.returns[j].alias_info, schema.returns[k].alias_info
                if _storage_addresses_in(one) & _storage_addresses_in(returned[k]) and None in declared:
                    raise RuntimeError(f"Outputs {j} and {k} alias unexpectedly")


def _is_running_statistic(schema, argument):
    """Whether training updates the argument, which the schemas of normalisations do not say."""
    return schema.name.endswith(("batch_norm", "instance_norm")) and argument.name.startswith("running_")


def _contains_alias(declared):
    return "(a" in str(declared.type) or "*" in str(declared)
