"""DeviceMesh: an n-dimensional array of ranks, with a process group for each of its lines."""

from __future__ import annotations

import math
import os
import sys
import warnings

from .. import int32, tensor
from .distributed_c10d import (
    ProcessGroup,
    _get_default_group,
    _resolve_process_group,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
    new_group,
)

__all__ = ["init_device_mesh", "DeviceMesh"]


# The meshes whose `with` blocks run, the innermost last.
_active = []


def _get_current_mesh() -> "DeviceMesh":
    if not _active:
        raise RuntimeError("No device mesh is currently active!")
    return _active[-1]


class DeviceMesh:
    """An array of global ranks, with a process group for each of its lines along each dimension.

    All ranks make the same mesh. `mesh["name"]` and `mesh["a", "b"]` are the part along the named dimensions
    that has this rank. `mesh` is the array, `shape`, `ndim`, `device_type` and `mesh_dim_names` describe it.

    Args:
        device_type (str): the kind of device, as "cpu".
        mesh (Tensor or nested lists of int): the ranks.
        mesh_dim_names (tuple[str, ...], optional): a name for each dimension.
        _init_backend (bool): makes the groups, and the default group where there is none.
            Default: ``True``.

    Raises:
        RuntimeError: when the mesh has more ranks than the default group.
    """

    def __init__(
        self, device_type: str, mesh, *, mesh_dim_names: tuple[str, ...] | None = None, _init_backend: bool = True
    ) -> None:
        mesh = mesh.detach() if hasattr(mesh, "detach") else tensor(mesh, device="cpu")
        self._array = mesh.to("cpu", int32)
        # For each mesh dimension, the dimensions of `_array` that it covers: several if it was flattened.
        self._dims = tuple((dim,) for dim in range(self._array.ndim))
        self._device_type, self._root_mesh, self._flatten_mapping = device_type, self, {}
        self._mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        if _init_backend:
            self._init_default_group_and_device()
            self._dim_group_names = self._create_groups()

    def _init_default_group_and_device(self):
        if not is_initialized():
            init_process_group()
        world, size = get_world_size(), self._array.numel()
        if size > world:
            raise RuntimeError(f"Mesh should not be bigger than default world size {world}, but found {size} ranks!")
        device = getattr(sys.modules[__package__.rpartition(".")[0]], self._device_type, None)
        if device and not device.is_initialized() and device.device_count():
            device.set_device(int(os.environ.get("LOCAL_RANK", get_rank() % device.device_count())))

    def _list_ranks_along(self, dims):
        """Returns the ranks along these dimensions of the array, for each index along the others."""
        others = [dim for dim in range(self._array.ndim) if dim not in dims]
        size = math.prod(self._array.shape[dim] for dim in dims)
        return self._array.permute(*others, *dims).reshape(-1, size).tolist()

    def _create_groups(self):
        """Returns the name of this rank's group along each dimension; all ranks create all groups."""
        found = []
        for dim, dims in enumerate(self._dims):
            places = self._list_ranks_along(dims)
            if len(places[0]) == get_world_size():
                found.append(_get_default_group().group_name)
                continue
            name = self._mesh_dim_names[dim] if self._mesh_dim_names else f"dim_{dim}"
            groups = [new_group(ranks, group_desc=f"mesh_{name}") for ranks in places]
            found += [group.group_name for group, ranks in zip(groups, places) if get_rank() in ranks]
        return found

    def _make_submesh(self, dims, names, groups=None):
        part = DeviceMesh(self._device_type, self._array, mesh_dim_names=names, _init_backend=False)
        part._dims, part._root_mesh = dims, self._root_mesh
        part._dim_group_names = part._create_groups() if groups is None else groups
        return part

    device_type = property(lambda self: self._device_type)
    mesh_dim_names = property(lambda self: self._mesh_dim_names)
    ndim = property(lambda self: len(self._dims))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(math.prod(self._array.shape[dim] for dim in dims) for dims in self._dims)

    @property
    def mesh(self):
        """The ranks, an int32 tensor of this mesh's shape."""
        places = self._list_ranks_along(sum(self._dims, ()))
        for place in places:
            if len(places) == 1 or get_rank() in place:
                return tensor(place, dtype=int32, device="cpu").reshape(self.shape)
        raise RuntimeError(
            "In order to get the mesh Tensor of a DeviceMesh it needs to "
            "either have all its original dimensions (e.g., no slicing) "
            "or it needs to contain the local rank"
        )

    def size(self, mesh_dim: int | None = None) -> int:
        """Returns the number of ranks along the dimension `mesh_dim`; of the complete mesh if it is None."""
        return math.prod(self.shape) if mesh_dim is None else self.shape[mesh_dim]

    def get_rank(self) -> int:
        """Returns this process's global rank."""
        return get_rank()

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Returns the indices of this rank in the mesh; None if it is not in it."""
        place = (self.mesh == get_rank()).nonzero().tolist()
        return tuple(place[0]) if place else None

    def __enter__(self) -> "DeviceMesh":
        _active.append(self)
        return self

    def __exit__(self, exc_type, exc_value, exc_traceback) -> None:
        _active.pop()

    def __repr__(self) -> str:
        shape, names, array, strides = self.shape, self._mesh_dim_names, self._array, []
        for dims in self._dims:
            steps = []  # adjacent ones form one; dimensions of size 1 need none
            for dim in (dim for dim in dims if array.shape[dim] != 1):
                stride = math.prod(array.shape[dim + 1 :])
                if steps and steps[-1] == array.shape[dim] * stride:
                    steps.pop()
                steps.append(stride)
            strides.append(steps[0] if len(steps) == 1 else tuple(steps))
        shape = f"({', '.join(map('{}={}'.format, names, shape))})" if names else shape
        detail = f", Mesh: {self.mesh.tolist()}" if os.environ.get("TORCH_DISTRIBUTED_DEBUG") == "DETAIL" else ""
        return f"DeviceMesh({shape}, '{self._device_type}', stride={tuple(strides)}{detail})"

    def _comparison_key(self):
        ranks = self._array.flatten().tolist()
        return *ranks, self._array.shape, self._dims, self._device_type, self._mesh_dim_names

    def __hash__(self):
        return hash(self._comparison_key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self._comparison_key() == other._comparison_key()

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> "DeviceMesh":
        """Returns the part along the named dimensions that contains this rank."""
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else mesh_dim_names
        if names == self._mesh_dim_names:
            return self
        text, valid = f"Invalid mesh_dim_names {names} specified. ", [*self._mesh_dim_names, *self._flatten_mapping]
        if not set(names) <= set(valid):
            raise KeyError(f"{text}Valid mesh_dim_names are {valid}.")
        layout, groups = (), []
        for name in names:
            source = self._flatten_mapping.get(name, self)
            if source is not self:
                warnings.warn(
                    "Slicing a flattened dim from root mesh will be deprecated in PT 2.11. "
                    "Users need to bookkeep the flattened mesh directly. ",
                    stacklevel=2,
                )
            dim = source._mesh_dim_names.index(name)
            layout += (source._dims[dim],)
            groups += source._dim_group_names[dim : dim + 1]
        order = sum(layout, ())
        if list(order) != sorted(order):
            raise KeyError(f"{text}Mesh dim indices should be in ascending order.")
        if len(set(order)) < len(order):
            raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
        return self._make_submesh(layout, names, groups)

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """Returns this rank's group along a dimension.

        Args:
            mesh_dim (int or str, optional): the dimension's index or name; a mesh of one dimension needs none.

        Returns:
            ProcessGroup: the group.

        Raises:
            RuntimeError: when it is missing and the mesh has several dimensions.
            KeyError: when no dimension has the name.
        """
        flat = self._root_mesh._flatten_mapping.get(mesh_dim, self)
        if flat is not self:
            return flat.get_group()
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions",
                "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
                "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                "please use `get_all_groups()` instead.",
            )
        if isinstance(mesh_dim, str):
            names = self._mesh_dim_names
            if not names:
                raise KeyError("No `mesh_dim_names` found.")
            if mesh_dim not in names:
                raise KeyError(
                    f"Mesh dimension '{mesh_dim}' does not exist.",
                    f"Available mesh dimensions are: mesh_dim_names={names}",
                )
            mesh_dim = names.index(mesh_dim)
        return _resolve_process_group(self._dim_group_names[mesh_dim or 0])

    def get_all_groups(self) -> list[ProcessGroup]:
        """Returns this rank's groups along all dimensions, in order."""
        return [self.get_group(dim) for dim in range(self.ndim)]

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Returns this rank's number in its group along a dimension.

        Args:
            mesh_dim (int or str, optional): the dimension, as of get_group.

        Returns:
            int: the number.
        """
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions",
                "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
            )
        return get_rank(self.get_group(mesh_dim))

    def _flatten(self, mesh_dim_name: str | None = None) -> "DeviceMesh":
        """Returns the mesh as one dimension, named by default after all its dimensions, and registers it with the
        root mesh."""
        names, root, layout = self._mesh_dim_names, self._root_mesh, (sum(self._dims, ()),)
        if not names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(names)
        if self.ndim == 1 and name in names:
            return self
        if name in root._mesh_dim_names:
            raise ValueError(
                f"{name} already exists for submesh of the {root}. ",
                f"The mesh_dim_names of submesh and flattened mesh are {root._mesh_dim_names}. "
                f"Please specify another valid mesh_dim_name.",
            )
        if name not in root._flatten_mapping:
            root._flatten_mapping[name] = self._make_submesh(layout, (name,))
        if root._flatten_mapping[name]._dims != layout:
            raise ValueError(
                f"Flatten mesh with mesh_dim_name {name} has been created before, "
                f"Please specify another valid mesh_dim_name."
            )
        return root._flatten_mapping[name]


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *, mesh_dim_names: tuple[str, ...] | None = None
) -> DeviceMesh:
    """Makes a DeviceMesh of a shape, over the ranks from 0 in order; starts the default group if needed.

    Args:
        device_type (str): the kind of device, without an index.
        mesh_shape (tuple[int, ...]): the shape.
        mesh_dim_names (tuple[str, ...], optional): a name for each dimension.

    Returns:
        DeviceMesh: the mesh.

    Raises:
        RuntimeError: when names repeat or do not fit the shape, the device has an index, or the mesh has
            more ranks than the default group.
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}"
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    if device_type and not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    ranks = tensor(range(math.prod(mesh_shape)), device="cpu").reshape(mesh_shape)
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)
