"""Makes items for values: pieces to write, and pieces to read where stored and requested boxes overlap."""

from typing import Any

from ..._root import torch
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from .planner import LoadItemType, ReadItem, TensorWriteData, WriteItem, WriteItemType

__all__ = ["create_read_items_for_chunk_list"]


def _make_whole_tensor_chunk(tensor):
    """Returns the complete tensor as one chunk."""
    return ChunkStorageMetadata(offsets=torch.Size([0] * tensor.dim()), sizes=tensor.size())


def _create_write_items(fqn: str, object: Any) -> list[WriteItem]:
    """Returns a value's items to write; tensors in pieces define `__create_write_items__` in their class."""
    if hasattr(object, "__create_write_items__"):
        return object.__create_write_items__(fqn, object)
    if not isinstance(object, torch.Tensor):
        return [WriteItem(MetadataIndex(fqn), WriteItemType.BYTE_IO)]
    chunk = _make_whole_tensor_chunk(object)
    data = TensorWriteData(chunk, TensorProperties.create_from_tensor(object), object.size())
    return [WriteItem(MetadataIndex(fqn, chunk.offsets), WriteItemType.TENSOR, tensor_data=data)]


def _create_chunk_list(tensor: torch.Tensor) -> list[ChunkStorageMetadata]:
    """Returns the pieces of a tensor on this rank; tensors in pieces define `__create_chunk_list__` in their class."""
    if hasattr(tensor, "__create_chunk_list__"):
        return tensor.__create_chunk_list__()
    if isinstance(tensor, torch.Tensor):
        return [_make_whole_tensor_chunk(tensor)]
    raise ValueError(f"Unsupported Type, expecting one of [Tensor, DTensor, ShardedTensor] ,but got {type(tensor)}")


def _overlap_of_chunks(stored: ChunkStorageMetadata, wanted: ChunkStorageMetadata):
    """Returns the start of two boxes' intersection in each of them, and its shape; None if they do not intersect."""
    in_stored, in_wanted, lengths = [], [], []
    for begin, size, other_begin, other_size in zip(stored.offsets, stored.sizes, wanted.offsets, wanted.sizes):
        first = max(begin, other_begin)
        length = min(begin + size, other_begin + other_size) - first
        if length <= 0:
            return None
        in_stored.append(first - begin)
        in_wanted.append(first - other_begin)
        lengths.append(length)
    return in_stored, in_wanted, lengths


def create_read_items_for_chunk_list(
    fqn: str, checkpoint_md: TensorStorageMetadata, local_chunks: list[ChunkStorageMetadata]
) -> list[ReadItem]:
    """Returns what has to be read so that pieces of a tensor are filled from the pieces that are stored.

    Args:
        fqn (str): the tensor's key.
        checkpoint_md (TensorStorageMetadata): the stored pieces.
        local_chunks (list[ChunkStorageMetadata]): the pieces that are wanted.

    Returns:
        list[ReadItem]: an item for each two pieces that overlap.
    """
    items = []
    for number, wanted in enumerate(local_chunks):
        for stored_number, stored in enumerate(checkpoint_md.chunks):
            common = _overlap_of_chunks(stored, wanted)
            if common is None:
                continue
            in_stored, in_wanted, lengths = map(torch.Size, common)
            items.append(
                ReadItem(
                    type=LoadItemType.TENSOR,
                    dest_index=MetadataIndex(fqn, wanted.offsets, number),
                    dest_offsets=in_wanted,
                    storage_index=MetadataIndex(fqn, stored.offsets, stored_number),
                    storage_offsets=in_stored,
                    lengths=lengths,
                )
            )
    return items


def _create_read_items(fqn: str, md, obj: Any) -> list[ReadItem]:
    """Returns the items to read for a value of the state_dict."""
    if isinstance(md, BytesStorageMetadata):
        index, nothing = MetadataIndex(fqn), torch.Size((0,))
        return [ReadItem(LoadItemType.BYTE_IO, index, nothing, index, nothing, nothing)]
    try:
        local_chunks = _create_chunk_list(obj)
    except ValueError as error:
        raise ValueError(
            f"Invalid checkpoint metadata for {fqn}, expected BytesStorageMetadata but found {type(md)}"
        ) from error
    return create_read_items_for_chunk_list(fqn, md, local_chunks)


def _materialize(value: Any) -> Any:
    """Replaces meta tensors in a value by tensors with memory; changes dictionaries in place, copies lists and
    tuples."""
    if isinstance(value, torch.Tensor):
        return torch.empty_like(value, device="cpu") if value.is_meta else value
    if isinstance(value, dict):
        for key in value:
            value[key] = _materialize(value[key])
    elif type(value) in (list, tuple):
        value = type(value)(map(_materialize, value))
    return value


def _plans_write_same_items(plan, other) -> bool:
    """Whether two save plans write the same pieces."""

    def describe_item(item):
        data = item.tensor_data
        return item.type, item.index, item.index.index, data and (data.size, data.chunk)

    return plan.usable == other.usable and list(map(describe_item, plan.items)) == list(map(describe_item, other.items))
