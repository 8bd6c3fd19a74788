"""parallelize_module: applies styles to the submodules of a module."""

import warnings
from fnmatch import fnmatch

from ...._root import torch
from ...device_mesh import DeviceMesh, _get_current_mesh
from .style import ParallelStyle

__all__ = ["parallelize_module"]


def parallelize_module(
    module: torch.nn.Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> torch.nn.Module:
    """Splits a module's layers over the ranks of a mesh.

    Args:
        module (Module): the module; it is changed.
        device_mesh (DeviceMesh, optional): a mesh of one dimension; the current one of ``with mesh:`` if it is None.
        parallelize_plan (ParallelStyle or dict[str, ParallelStyle], optional): the module's style, or those of its
            submodules by path. Each part of a path can have the wildcards ``*``, ``?`` and ``[...]``.
        src_data_rank (int, optional): the rank whose parameters all ranks get; each keeps its own if it is None.
            Default: ``0``.

    Returns:
        Module: the module.

    Raises:
        TypeError: when the plan is something else.
    """
    device_mesh = device_mesh or _get_current_mesh()
    if parallelize_plan is None:
        warnings.warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, "
            "so this parallelize_module call will do nothing.",
            stacklevel=2,
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, device_mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for"
            f" parallelize_plan, {type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        if path == "":
            parallelize_module(module, device_mesh, style, src_data_rank=src_data_rank)
            continue
        for child in _find_submodules(module, path.split("."), path):
            parallelize_module(child, device_mesh, style, src_data_rank=src_data_rank)
    return module


def _find_submodules(module, tokens, path):
    """Returns the submodules that a path means; warns if there are none."""
    found = [child for name, child in module.named_children() if fnmatch(name, tokens[0])]
    if not found:
        warnings.warn(
            f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{tokens[0]}' in module "
            f"{module}, skipping this plan entry.",
            stacklevel=3,
        )
    if len(tokens) == 1:
        return found
    return [match for child in found for match in _find_submodules(child, tokens[1:], path)]
